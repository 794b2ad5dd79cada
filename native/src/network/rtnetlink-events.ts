import { addressText } from '../ffi/address.ts';
import { LINUX } from '../ffi/layout/linux.ts';
import { decodeAttributes, HEADER, u32 } from '../ffi/netlink/netlink-message.ts';
import { AF_INET } from '../ffi/sockaddr.ts';
import type { RouteEvent } from './route-event.ts';

const C = LINUX.constants;
const { nlmsghdr: MESSAGE, ifinfomsg: LINK, ifaddrmsg: ADDRESS, rtmsg: ROUTE } = LINUX.structs;

/** The announcements of one datagram. What is cut short or of no interest is left out. */
export function parseRouteEvents(datagram: Buffer): RouteEvent[] {
  const events: RouteEvent[] = [];
  for (let at = 0; at + HEADER <= datagram.length; ) {
    const length = datagram.readUInt32LE(at + MESSAGE.nlmsg_len);
    if (length < HEADER || at + length > datagram.length) break;
    const event = parseEvent(datagram.readUInt16LE(at + MESSAGE.nlmsg_type), datagram.subarray(at + HEADER, at + length));
    if (event) events.push(event);
    at += (length + 3) & ~3;
  }
  return events;
}

function parseEvent(type: number, message: Buffer): RouteEvent | undefined {
  if (type === C.RTM_NEWLINK || type === C.RTM_DELLINK) return parseLinkEvent(message, type === C.RTM_DELLINK);
  if (type === C.RTM_NEWADDR || type === C.RTM_DELADDR) return parseAddressEvent(message, type === C.RTM_DELADDR);
  if (type === C.RTM_NEWROUTE || type === C.RTM_DELROUTE) return parseRouteEvent(message, type === C.RTM_DELROUTE);
  return undefined;
}

function parseLinkEvent(message: Buffer, removed: boolean): RouteEvent | undefined {
  if (message.length < LINK.sizeof) return undefined;
  // Every scan of a radio announces itself as a link.
  if (decodeAttributes(message.subarray(LINK.sizeof)).has(C.IFLA_WIRELESS)) return undefined;
  const flags = removed ? 0 : message.readUInt32LE(LINK.ifi_flags);
  const up = (flags & C.IFF_UP) !== 0;
  return { kind: 'link', index: message.readInt32LE(LINK.ifi_index), up, carrier: up && (flags & C.IFF_LOWER_UP) !== 0 };
}

function parseAddressEvent(message: Buffer, removed: boolean): RouteEvent | undefined {
  if (message.length < ADDRESS.sizeof) return undefined;
  const a = decodeAttributes(message.subarray(ADDRESS.sizeof));
  const bytes = a.get(C.IFA_LOCAL) ?? a.get(C.IFA_ADDRESS);
  const isV4 = message.readUInt8(ADDRESS.ifa_family) === AF_INET;
  // Of IPv6, addresses of a day come and go within one network.
  const address = isV4 && bytes ? addressText(bytes) : undefined;
  return { kind: 'address', index: message.readUInt32LE(ADDRESS.ifa_index), removed, address };
}

function parseRouteEvent(message: Buffer, removed: boolean): RouteEvent | undefined {
  if (message.length < ROUTE.sizeof || message.readUInt8(ROUTE.rtm_table) === C.RT_TABLE_LOCAL) return undefined;
  const index = u32(decodeAttributes(message.subarray(ROUTE.sizeof)), C.RTA_OIF);
  return { kind: 'route', index, removed, isDefault: message.readUInt8(ROUTE.rtm_dst_len) === 0 };
}
