import { DARWIN } from '../ffi/layout/darwin.ts';
import { parseDestination } from '../gateway/route-messages.ts';
import type { RouteEvent } from './route-event.ts';

const { structs, constants: C } = DARWIN;
const { rt_msghdr: ROUTE, if_msghdr: LINK, ifa_msghdr: ADDRESS } = structs;

/** The announcements that one read of macOS' routing socket gave. Neighbours, which come and go all the time, are passed over. */
export function parseRouteAnnouncements(bytes: Buffer): RouteEvent[] {
  const events: RouteEvent[] = [];
  for (let at = 0; at + 16 <= bytes.length; ) {
    const length = bytes.readUInt16LE(at + ROUTE.rtm_msglen);
    if (length < 16 || at + length > bytes.length) break;
    const event = parseAnnouncement(bytes.subarray(at, at + length));
    if (event) events.push(event);
    at += length;
  }
  return events;
}

function parseAnnouncement(message: Buffer): RouteEvent | undefined {
  if (message.readUInt8(ROUTE.rtm_version) !== C.RTM_VERSION) return undefined;
  const type = message.readUInt8(ROUTE.rtm_type);
  if (type === C.RTM_IFINFO) {
    const up = (message.readUInt32LE(LINK.ifm_flags) & C.IFF_UP) !== 0;
    // Whether there is a carrier shows in what configd does about it: it takes the routes away.
    return { kind: 'link', index: message.readUInt16LE(LINK.ifm_index), up, carrier: up };
  }
  if (type === C.RTM_NEWADDR || type === C.RTM_DELADDR) {
    const index = message.readUInt16LE(ADDRESS.ifam_index);
    return { kind: 'address', index, removed: type === C.RTM_DELADDR, address: undefined };
  }
  if (type === C.RTM_ADD || type === C.RTM_DELETE || type === C.RTM_CHANGE) return parseRouteChange(message, type);
  return undefined;
}

function parseRouteChange(message: Buffer, type: number): RouteEvent | undefined {
  const to = parseDestination(message);
  const flags = message.length < ROUTE.sizeof ? 0 : message.readUInt32LE(ROUTE.rtm_flags);
  if (!to || flags & C.RTF_HOST) return undefined;
  const isDefault = to.prefixLength === 0 && (flags & C.RTF_IFSCOPE) === 0;
  return { kind: 'route', index: message.readUInt16LE(ROUTE.rtm_index), removed: type === C.RTM_DELETE, isDefault };
}
