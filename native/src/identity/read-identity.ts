import type { FindRoute } from '../gateway/gateway.ts';
import type { FindUnderlay } from '../gateway/underlay.ts';
import { readingValue } from '../reading.ts';
import type { NetworkIdentity } from './identity.ts';

/** Addresses that exist only in documents: what routes them is the default route, and no packet is sent. */
const ANYWHERE = ['192.0.2.1', '2001:db8::1'] as const;

export interface IdentitySources {
  readonly findRoute: FindRoute;
  readonly findUnderlay: FindUnderlay;
  /** Of the interface that carries the traffic, where it is a radio. */
  readonly readSsid: (interfaceName: string) => Promise<string | undefined>;
  readonly readDomain: (interfaceName: string) => Promise<string | undefined>;
}

export async function readIdentity(sources: IdentitySources): Promise<NetworkIdentity | undefined> {
  for (const address of ANYWHERE) {
    const route = readingValue(await sources.findRoute(address));
    if (!route) continue;
    const beneath = route.tunnel ? readingValue(await sources.findUnderlay()) : undefined;
    const name = beneath?.interfaceName ?? route.interfaceName;
    return {
      ssid: await sources.readSsid(name),
      gateway: beneath?.gateway ?? readingValue(route.gateway),
      domain: await sources.readDomain(name),
      tunnel: route.tunnel,
    };
  }
  return undefined;
}
