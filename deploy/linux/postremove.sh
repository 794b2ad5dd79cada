#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
fi
# Identity and ledger stay until the package is purged.
if [ "$1" = purge ]; then
  rm -rf /var/lib/svc-agent /etc/svc-agent
fi
