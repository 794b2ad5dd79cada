#!/bin/sh
# For the test: installs a deb into a throw-away copy of this machine's root (an overlay in memory, in a mount namespace of its own) and
# runs what its unit says, as the user and with the environment of the unit and no capability at all. $1: the deb, $2: managed.json.
set -e
# chroot and dpkg's helpers lie there, also where a person's PATH leaves it out.
PATH=$PATH:/usr/sbin:/sbin
# Nothing is left of it: the mounts go with the namespace.
lower=/mnt
mount -t tmpfs tmpfs "$lower"
mkdir "$lower/up" "$lower/work" "$lower/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$lower/up,workdir=$lower/work" "$lower/root"
mount -t proc proc "$lower/root/proc"
mount --bind /dev "$lower/root/dev"
in_root() { chroot "$lower/root" "$@"; }

mkdir -p "$lower/root/etc/svc-agent"
cp "$1" "$lower/root/tmp/agent.deb"
cp "$2" "$lower/root/etc/svc-agent/managed.json"
chown root:root "$lower/root/etc/svc-agent/managed.json"
in_root dpkg -i /tmp/agent.deb
echo "MANAGED $(in_root stat -c '%U:%G %a' /etc/svc-agent/managed.json)"
if in_root sh -c 'command -v systemd-analyze' >/dev/null; then
  in_root systemd-analyze verify --man=no /usr/lib/systemd/system/svc-agent.service && echo VERIFIED
  in_root systemd-analyze security --offline=yes --threshold=20 --no-pager /usr/lib/systemd/system/svc-agent.service >/dev/null && echo HARDENED
fi
# What systemd does for StateDirectory.
in_root install -d -o svc-agent -g svc-agent -m 0700 /var/lib/svc-agent

unit="$lower/root/usr/lib/systemd/system/svc-agent.service"
command=$(sed -n 's/^ExecStart=//p' "$unit")
environment=$(sed -n 's/^Environment=//p' "$unit")
echo "RUNNING $command"
# The first word on standard input ends it.
(
  # shellcheck disable=SC2086
  exec chroot "$lower/root" setpriv --reuid=svc-agent --regid=svc-agent --clear-groups --bounding-set=-all --inh-caps=-all \
    --no-new-privs env -i PATH=/usr/bin:/bin $environment $command
) &
pid=$!
read -r _ || true
kill -TERM "$pid"
wait "$pid" && echo "STOPPED 0" || echo "STOPPED $?"

echo "STATE $(in_root stat -c '%U %a' /var/lib/svc-agent)"
echo "TOKENS $(in_root grep -rl svc_enr_ /var/lib/svc-agent | wc -l)"
in_root dpkg -r svc-agent >/dev/null
echo "REMOVED $(in_root ls /usr/bin/svc-agent /usr/lib/svc-agent 2>/dev/null | wc -l) kept $(in_root ls /var/lib/svc-agent/identity | wc -l)"
in_root dpkg --purge svc-agent >/dev/null
echo "PURGED $(in_root ls -d /var/lib/svc-agent /etc/svc-agent 2>/dev/null | wc -l)"
