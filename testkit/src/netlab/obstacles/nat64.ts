import { fileURLToPath } from 'node:url';
import { startHelper } from '../control.ts';
import type { Netlab } from '../netlab.ts';
import { LINKS, SERVER } from '../topology.ts';

const PROGRAM = fileURLToPath(new URL('nat64-main.ts', import.meta.url));
const [OWN, GATEWAY] = LINKS[0].v6;

/** The client loses its IPv4. */
export async function leaveIpv6Only(lab: Netlab): Promise<void> {
  const lines = [
    'ip addr flush dev eth0 scope global',
    `ip addr add ${OWN}/64 dev eth0 nodad`,
    `ip -6 route replace default via ${GATEWAY}`,
  ];
  await lab.exec('client', ['sh', '-ec', lines.join('\n')], { uid: 0 });
  await lab.setResolvers([SERVER.v6]);
}

/** An IPv6-only client whose services have IPv4 alone: the resolver makes addresses for them, and the edge translates. */
export async function startNat64(lab: Netlab): Promise<void> {
  await leaveIpv6Only(lab);
  await startHelper(lab.start('r2', [process.execPath, PROGRAM], { uid: 0 }));
  await lab.exec('r2', ['ip', '-6', 'route', 'add', 'local', '64:ff9b::/96', 'dev', 'lo'], { uid: 0 });
  await lab.setServer({ dns6: { mode: 'dns64' } });
}
