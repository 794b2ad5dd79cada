import { addressBytes, addressText } from '../ffi/address.ts';
import { LINUX } from '../ffi/layout/linux.ts';
import { decodeAttributes, encodeAttribute, nested, text, u32 } from '../ffi/netlink/netlink-message.ts';
import { AF_INET, AF_INET6 } from '../ffi/sockaddr.ts';
import type { RouteRow } from './route-table.ts';

/** Parsers and builders of rtnetlink's messages (what follows the netlink header). */

const C = LINUX.constants;
const { rtmsg: ROUTE, ifinfomsg: LINK } = LINUX.structs;
export const { RTM_GETLINK, RTM_GETROUTE } = C;

const TUNNEL_KINDS = new Set(['tun', 'wireguard', 'ipip', 'ip6tnl', 'sit', 'gre', 'ip6gre', 'vti', 'vti6', 'xfrm']);
const TUNNEL_TYPES = new Set<number>([C.ARPHRD_TUNNEL, C.ARPHRD_TUNNEL6, C.ARPHRD_SIT, C.ARPHRD_IPGRE, C.ARPHRD_IP6GRE]);

/** Asks how one destination would be routed. */
export function encodeRouteRequest(destination: string): Buffer {
  const address = addressBytes(destination);
  const header = Buffer.alloc(ROUTE.sizeof);
  header.writeUInt8(address.length === 4 ? AF_INET : AF_INET6, ROUTE.rtm_family);
  header.writeUInt8(address.length * 8, ROUTE.rtm_dst_len);
  return Buffer.concat([header, encodeAttribute(C.RTA_DST, address)]);
}

/** Asks for all routes of one family. */
export function encodeRoutesRequest(family: 4 | 6): Buffer {
  const header = Buffer.alloc(ROUTE.sizeof);
  header.writeUInt8(family === 4 ? AF_INET : AF_INET6, ROUTE.rtm_family);
  return header;
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
  if (message.length < ROUTE.sizeof) return undefined;
  const type = message.readUInt8(ROUTE.rtm_type);
  const a = decodeAttributes(message.subarray(ROUTE.sizeof));
  const outgoingIndex = u32(a, C.RTA_OIF);
  if (outgoingIndex === undefined) return undefined;
  const gateway = a.get(C.RTA_GATEWAY);
  const via = a.get(C.RTA_VIA);
  const source = a.get(C.RTA_PREFSRC);
  return {
    usable: type === C.RTN_UNICAST || type === C.RTN_LOCAL,
    outgoingIndex,
    // RTA_VIA: a gateway of the other family, its family in front.
    gateway: gateway ? addressText(gateway) : via && addressText(via.subarray(2)),
    source: source && addressText(source),
  };
}

/** One route of a table of any number but the local one's; undefined for what drops, what has several ways and what is cut short. */
export function parseRouteRow(message: Buffer): RouteRow | undefined {
  const route = parseRoute(message);
  if (!route?.usable || message.readUInt8(ROUTE.rtm_table) === C.RT_TABLE_LOCAL) return undefined;
  const a = decodeAttributes(message.subarray(ROUTE.sizeof));
  const any = message.readUInt8(ROUTE.rtm_family) === AF_INET ? '0.0.0.0' : '::';
  const destination = a.get(C.RTA_DST);
  const text = destination ? addressText(destination) : any;
  if (text === undefined) return undefined;
  return {
    destination: text,
    prefixLength: message.readUInt8(ROUTE.rtm_dst_len),
    interfaceIndex: route.outgoingIndex,
    nextHop: route.gateway,
    metric: u32(a, C.RTA_PRIORITY) ?? 0,
  };
}

export function encodeLinkRequest(index: number): Buffer {
  const header = Buffer.alloc(LINK.sizeof);
  header.writeInt32LE(index, LINK.ifi_index);
  return header;
}

export interface LinkMessage {
  readonly name: string;
  readonly tunnel: boolean;
}

export function parseLink(message: Buffer): LinkMessage | undefined {
  if (message.length < LINK.sizeof) return undefined;
  const a = decodeAttributes(message.subarray(LINK.sizeof));
  const name = text(a, C.IFLA_IFNAME);
  if (!name) return undefined;
  const info = nested(a, C.IFLA_LINKINFO);
  const kind = info && text(info, C.IFLA_INFO_KIND);
  const tunnel = TUNNEL_TYPES.has(message.readUInt16LE(LINK.ifi_type)) || (kind !== undefined && TUNNEL_KINDS.has(kind));
  return { name, tunnel };
}
