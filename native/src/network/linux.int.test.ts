import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const CHILD = fileURLToPath(new URL('../testing/network-child.ts', import.meta.url));

function namespacesMissing(): string | undefined {
  try {
    execFileSync('unshare', ['--net', 'ip', 'link', 'show'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'no network namespace can be made here (root, unshare and ip)';
  }
}
const missing = namespacesMissing();
if (missing) console.warn(`SKIPPED: changes of networks: ${missing}`);

const HOME = [
  'ip link set lo up',
  'ip link add eth0 type veth peer name far0',
  'ip link set far0 up',
  'ip link set eth0 up',
  'ip addr add 192.168.1.20/24 dev eth0',
  'ip route add default via 192.168.1.1',
].join('; ');

async function watch(steps: readonly string[]): Promise<string[][]> {
  const argv = ['--net', process.execPath, CHILD, HOME, ...steps];
  const { stdout } = await promisify(execFile)('unshare', argv, { timeout: 60_000 });
  const answer = JSON.parse(stdout) as { watching: boolean; found: string[][] };
  expect(answer.watching).toBe(true);
  return answer.found;
}

describe.skipIf(missing)('a change of the network is announced by the kernel', () => {
  it('where the next one has the same gateway address, and where it does not', { timeout: 60_000 }, async () => {
    const steps = {
      'the cable goes from one network into another of the same addresses':
        'ip link set far0 down; sleep 0.1; ip link set far0 up',
      'the connection is made anew':
        'ip addr flush dev eth0; ip addr add 192.168.1.20/24 dev eth0; ip route add default via 192.168.1.1',
      'another address of the same network':
        'ip addr flush dev eth0; ip addr add 192.168.1.21/24 dev eth0; ip route add default via 192.168.1.1',
      'another gateway': 'ip route replace default via 192.168.1.254',
      'no way out': 'ip route del default',
      'and back': 'ip route add default via 192.168.1.254',
      'a second interface takes over':
        'ip link add wlan0 type veth peer name far1; ip link set far1 up; ip link set wlan0 up; ip addr add 10.0.0.2/24 dev wlan0; ip route replace default via 10.0.0.1 dev wlan0',
      'a tunnel is laid over it':
        'ip tuntap add tun0 mode tun; ip link set tun0 up; ip addr add 10.8.0.2/24 dev tun0; ip route add 0.0.0.0/1 via 10.8.0.1; ip route add 128.0.0.0/1 via 10.8.0.1',
    };
    const found = await watch(Object.values(steps));
    expect(Object.fromEntries(Object.keys(steps).map((name, i) => [name, found[i]]))).toEqual({
      'the cable goes from one network into another of the same addresses': ['left', 'joined'],
      'the connection is made anew': ['left', 'joined'],
      'another address of the same network': ['left', 'joined'],
      'another gateway': ['joined'],
      'no way out': ['left'],
      'and back': ['joined'],
      'a second interface takes over': ['joined'],
      'a tunnel is laid over it': ['joined'],
    });
  });

  it('and what changes nothing is passed over', { timeout: 60_000 }, async () => {
    const found = await watch([
      'ip route replace default via 192.168.1.1',
      'ip addr add 192.168.1.77/24 dev eth0; ip addr del 192.168.1.77/24 dev eth0',
      'ip link add docker0 type veth peer name inside0; ip link set docker0 up; ip addr add 172.17.0.1/16 dev docker0; ip link del docker0',
      'ip neigh add 192.168.1.1 lladdr 02:00:00:00:00:01 dev eth0; ip route add 10.9.0.0/16 via 192.168.1.7',
    ]);
    expect(found).toEqual([[], [], [], []]);
  });
});
