import { fileURLToPath } from 'node:url';
import { startHelper } from '../control.ts';
import type { Netlab } from '../netlab.ts';
import { LINKS, SERVER } from '../topology.ts';

export const PORTAL_URL = 'http://portal.hotel.example/sign-in';
const PROGRAM = fileURLToPath(new URL('portal-main.ts', import.meta.url));
const GATEWAY = LINKS[0].v4[1];

/**
 * `redirect`: every web connection ends at the portal, HTTPS with the portal's own certificate. `dropping`: HTTP alone does, HTTPS
 * vanishes. `dns`: every name is the portal's.
 */
export type PortalWay = 'redirect' | 'dropping' | 'dns';

/** From now on the gateway lets nothing through until somebody signs in, which nobody does. */
export async function startPortal(lab: Netlab, way: PortalWay): Promise<void> {
  const program = [process.execPath, PROGRAM, way === 'dns' ? 'all' : 'honest'];
  const helper = await startHelper(lab.start('r1', program, { uid: 0 }));
  await helper.set(lab.certificates.other_name);
  await lab.setResolvers([GATEWAY]);
  if (way !== 'dns') {
    // Whatever lies behind is answered by the gateway itself.
    const routes = ['ip route add local 203.0.113.0/24 dev lo', 'ip -6 route add local 2001:db8:3::/64 dev lo'];
    await lab.exec('r1', ['sh', '-ec', routes.join('; ')], { uid: 0 });
  }
  const silent = [SERVER.v4, SERVER.v6].flatMap((from) => [
    { kind: 'icmp' as const, from, lossRatio: 1 },
    { kind: 'icmp-error' as const, from, lossRatio: 1 },
  ]);
  await lab.setLink(0, { rules: way === 'dropping' ? [...silent, { port: 443, lossRatio: 1 }] : silent });
  await lab.setLink(1, { lossRatio: 1, lossBackRatio: 1 });
}
