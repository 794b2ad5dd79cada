#!/bin/sh
set -e
if command -v systemd-sysusers >/dev/null 2>&1; then
  systemd-sysusers svc-agent.conf
elif ! getent passwd svc-agent >/dev/null 2>&1; then
  useradd --system --user-group --home-dir /var/lib/svc-agent --no-create-home --shell /usr/sbin/nologin svc-agent
fi
# The managed configuration holds an enrol token: where it is for the service alone, others need not read it.
if [ -f /etc/svc-agent/managed.json ] && [ "$(stat -c %U /etc/svc-agent/managed.json)" = root ]; then
  chgrp svc-agent /etc/svc-agent/managed.json
  chmod 0640 /etc/svc-agent/managed.json
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl enable svc-agent.service
  systemctl restart svc-agent.service
fi
