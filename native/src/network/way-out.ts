import { addressBytes } from '../ffi/address.ts';
import type { FindRoute } from '../gateway/gateway.ts';
import type { NetworkIdentity } from '../identity/identity.ts';
import { readingValue } from '../reading.ts';

/** Addresses that exist only in documents: what routes them is the default route, and no packet is sent. */
const ANYWHERE = { 4: '192.0.2.1', 6: '2001:db8::1' } as const;

/** How packets leave by one family of addresses. */
export interface FamilyWay {
  readonly interfaceIndex: number;
  readonly gateway: string | undefined;
  /** IPv4: the address; IPv6: its first 64 bits, because hosts change the rest every day. */
  readonly source: string | undefined;
}

/** The way out of this device, as far as it tells networks apart. */
export interface WayOut {
  readonly v4: FamilyWay | undefined;
  readonly v6: FamilyWay | undefined;
  /** What the network calls itself, and its gateway beneath a tunnel. */
  readonly identity: NetworkIdentity | undefined;
}

export const hasWayOut = ({ v4, v6 }: WayOut): boolean => v4 !== undefined || v6 !== undefined;

export const isSameWayOut = (one: WayOut, other: WayOut): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Looks the default routes up. Sends nothing. */
export async function readWayOut(
  findRoute: FindRoute,
  readIdentity: () => Promise<NetworkIdentity | undefined>,
): Promise<WayOut> {
  const [v4, v6, identity] = await Promise.all([readFamily(findRoute, 4), readFamily(findRoute, 6), readIdentity()]);
  return { v4, v6, identity };
}

async function readFamily(findRoute: FindRoute, family: 4 | 6): Promise<FamilyWay | undefined> {
  const route = readingValue(await findRoute(ANYWHERE[family]));
  if (!route) return undefined;
  const source = readingValue(route.source);
  return {
    interfaceIndex: route.interfaceIndex,
    gateway: readingValue(route.gateway),
    source: source === undefined || family === 4 ? source : networkPart(source),
  };
}

const networkPart = (address: string): string => addressBytes(address).toString('hex', 0, 8);
