import { addressBytes, addressText } from '../ffi/address.ts';
import { decodeAttributes, encodeAttribute, nested, text, u32 } from '../ffi/netlink-message.ts';
import { AF_INET, AF_INET6 } from '../ffi/sockaddr.ts';

/** Parsers and builders of rtnetlink's messages (what follows the netlink header). */

export const RTM_GETLINK = 18;
export const RTM_GETROUTE = 26;
const ROUTE_HEADER = 12;
const LINK_HEADER = 16;
const RTA = { destination: 1, outgoing: 4, gateway: 5, preferredSource: 7, via: 18 } as const;
const IFLA = { name: 3, info: 18 } as const;
const IFLA_INFO_KIND = 1;
const ROUTE_TYPES = { unicast: 1, local: 2 } as const;

const TUNNEL_KINDS = new Set(['tun', 'wireguard', 'ipip', 'ip6tnl', 'sit', 'gre', 'ip6gre', 'vti', 'vti6', 'xfrm']);
/** ARPHRD numbers of TUNNEL, TUNNEL6, SIT, IPGRE, IP6GRE. */
const TUNNEL_TYPES = new Set([768, 769, 776, 778, 823]);

/** Asks how one destination would be routed. */
export function encodeRouteRequest(destination: string): Buffer {
  const address = addressBytes(destination);
  const header = Buffer.alloc(ROUTE_HEADER);
  header.writeUInt8(address.length === 4 ? AF_INET : AF_INET6, 0);
  header.writeUInt8(address.length * 8, 1);
  return Buffer.concat([header, encodeAttribute(RTA.destination, address)]);
}

export interface RouteMessage {
  /** False: the kernel has a rule that refuses or drops. */
  readonly usable: boolean;
  readonly outgoingIndex: number;
  readonly gateway: string | undefined;
  readonly source: string | undefined;
}

/** undefined for a message cut short or without an outgoing interface. */
export function parseRoute(message: Buffer): RouteMessage | undefined {
  if (message.length < ROUTE_HEADER) return undefined;
  const type = message.readUInt8(7);
  const a = decodeAttributes(message.subarray(ROUTE_HEADER));
  const outgoingIndex = u32(a, RTA.outgoing);
  if (outgoingIndex === undefined) return undefined;
  const gateway = a.get(RTA.gateway);
  const via = a.get(RTA.via);
  const source = a.get(RTA.preferredSource);
  return {
    usable: type === ROUTE_TYPES.unicast || type === ROUTE_TYPES.local,
    outgoingIndex,
    // RTA_VIA: a gateway of the other family, its family in front.
    gateway: gateway ? addressText(gateway) : via && addressText(via.subarray(2)),
    source: source && addressText(source),
  };
}

export function encodeLinkRequest(index: number): Buffer {
  const header = Buffer.alloc(LINK_HEADER);
  header.writeInt32LE(index, 4);
  return header;
}

export interface LinkMessage {
  readonly name: string;
  readonly tunnel: boolean;
}

export function parseLink(message: Buffer): LinkMessage | undefined {
  if (message.length < LINK_HEADER) return undefined;
  const a = decodeAttributes(message.subarray(LINK_HEADER));
  const name = text(a, IFLA.name);
  if (!name) return undefined;
  const info = nested(a, IFLA.info);
  const kind = info && text(info, IFLA_INFO_KIND);
  const tunnel = TUNNEL_TYPES.has(message.readUInt16LE(2)) || (kind !== undefined && TUNNEL_KINDS.has(kind));
  return { name, tunnel };
}
