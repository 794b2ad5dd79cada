#!/bin/sh
set -e
# dpkg says "remove", rpm 0, where the package goes for good; an upgrade keeps the service.
case "$1" in
  remove | 0)
    if [ -d /run/systemd/system ]; then
      systemctl disable --now svc-agent.service || true
    fi
    ;;
esac
