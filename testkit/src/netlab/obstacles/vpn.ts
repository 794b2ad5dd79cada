import { fileURLToPath } from 'node:url';
import { startHelper } from '../control.ts';
import type { Netlab } from '../netlab.ts';
import { LINKS } from '../topology.ts';

export const TUNNEL_PORT = 51_820;
const PROGRAM = fileURLToPath(new URL('tunnel-main.ts', import.meta.url));
const GATEWAY = LINKS[0].v4[1];
/** The last router has the far end: what lies behind it is the company's network. */
const ENDPOINT = LINKS[2].v4[1];
const MTU = 1400;

export interface TunnelSettings {
  /** Each way. */
  readonly delayMs?: number;
  /** 0 to 1, each way. */
  readonly lossRatio?: number;
}

export interface Vpn {
  readonly endpoint: string;
  /** What the company's end does to packets. */
  set(settings: TunnelSettings): Promise<void>;
  /** The company's end is gone; the device still routes into the tunnel. */
  stop(): Promise<void>;
}

/** All IPv4 of the client goes through a tun device to the last router; it has no IPv6 any more. */
export async function startVpn(lab: Netlab): Promise<Vpn> {
  const end = (node: 'client' | 'r3', ...argv: string[]) =>
    startHelper(lab.start(node, [process.execPath, PROGRAM, 'tun0', ...argv], { uid: 0 }));
  const root = async (node: 'client' | 'r3', lines: readonly string[]): Promise<void> => {
    const { code, stderr } = await lab.exec(node, ['sh', '-ec', lines.join('\n')], { uid: 0 });
    if (code !== 0) throw new Error(stderr);
  };
  const company = await end('r3');
  await root('r3', ['ip addr add 10.99.0.1/24 dev tun0', `ip link set tun0 mtu ${MTU} up`]);
  await end('client', ENDPOINT);
  await root('client', [
    'ip addr add 10.99.0.2/24 dev tun0',
    `ip link set tun0 mtu ${MTU} up`,
    `ip route add ${ENDPOINT}/32 via ${GATEWAY}`,
    'ip route add 0.0.0.0/1 dev tun0',
    'ip route add 128.0.0.0/1 dev tun0',
    'ip -6 addr flush dev eth0 scope global',
  ]);
  return { endpoint: ENDPOINT, set: (settings) => company.set(settings), stop: () => company.close() };
}
