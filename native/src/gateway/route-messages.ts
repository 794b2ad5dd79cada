import { addressText } from '../ffi/address.ts';
import { DARWIN } from '../ffi/layout/darwin.ts';
import type { RouteRow } from './route-table.ts';

const { structs, constants } = DARWIN;
const HEADER = structs.rt_msghdr;
const DROPPED = constants.RTF_REJECT | constants.RTF_BLACKHOLE;

export interface DarwinRoute extends RouteRow {
  /** It holds only for sockets that are bound to its interface. */
  readonly scoped: boolean;
}

/** Reads what sysctl NET_RT_DUMP gives: rt_msghdr after rt_msghdr, each with its socket addresses. Neighbours' link addresses are passed over. */
export function parseRouteMessages(bytes: Buffer): DarwinRoute[] {
  const found: DarwinRoute[] = [];
  for (let at = 0; at + HEADER.sizeof <= bytes.length; ) {
    const length = bytes.readUInt16LE(at + HEADER.rtm_msglen);
    if (length < HEADER.sizeof || at + length > bytes.length) break;
    const route = parseMessage(bytes.subarray(at, at + length));
    if (route) found.push(route);
    at += length;
  }
  return found;
}

function parseMessage(message: Buffer): DarwinRoute | undefined {
  if (message.readUInt8(HEADER.rtm_version) !== constants.RTM_VERSION) return undefined;
  const flags = message.readUInt32LE(HEADER.rtm_flags);
  if (!(flags & constants.RTF_UP) || flags & DROPPED) return undefined;
  const addresses = splitAddresses(message.subarray(HEADER.sizeof), message.readUInt32LE(HEADER.rtm_addrs));
  const to = readAddress(addresses[constants.RTAX_DST]);
  if (!to) return undefined;
  const gateway = flags & constants.RTF_GATEWAY ? readAddress(addresses[constants.RTAX_GATEWAY]) : undefined;
  const isHost = (flags & constants.RTF_HOST) !== 0;
  return {
    interfaceIndex: message.readUInt16LE(HEADER.rtm_index),
    destination: to.text,
    prefixLength: isHost ? 8 * to.bytes.length : prefixLengthOf(addresses[constants.RTAX_NETMASK], to.bytes.length),
    nextHop: gateway?.text,
    metric: 0,
    scoped: (flags & constants.RTF_IFSCOPE) !== 0,
  };
}

/** The destination of one message, whatever its route became of: `0.0.0.0/0` for a default route. */
export function parseDestination(message: Buffer): { readonly prefixLength: number } | undefined {
  if (message.length < HEADER.sizeof) return undefined;
  const addresses = splitAddresses(message.subarray(HEADER.sizeof), message.readUInt32LE(HEADER.rtm_addrs));
  const to = readAddress(addresses[constants.RTAX_DST]);
  if (!to) return undefined;
  const isHost = (message.readUInt32LE(HEADER.rtm_flags) & constants.RTF_HOST) !== 0;
  const bits = 8 * to.bytes.length;
  return { prefixLength: isHost ? bits : prefixLengthOf(addresses[constants.RTAX_NETMASK], to.bytes.length) };
}

/** Socket addresses by their RTAX number; each takes a multiple of four bytes, an empty one four. */
function splitAddresses(bytes: Buffer, present: number): (Buffer | undefined)[] {
  const found: (Buffer | undefined)[] = [];
  let at = 0;
  for (let kind = 0; kind < constants.RTAX_MAX && at < bytes.length; kind += 1) {
    if (!(present & (1 << kind))) continue;
    const length = bytes.readUInt8(at);
    if (at + length > bytes.length) break;
    found[kind] = bytes.subarray(at, at + length);
    at += length === 0 ? 4 : (length + 3) & ~3;
  }
  return found;
}

/** Where the address stands in a sockaddr of this family. */
const startOf = (addressLength: number): number =>
  addressLength === 4 ? structs.sockaddr_in.sin_addr : structs.sockaddr_in6.sin6_addr;

function readAddress(sockaddr: Buffer | undefined): { text: string; bytes: Buffer } | undefined {
  const family = sockaddr && sockaddr.length >= 2 ? sockaddr.readUInt8(structs.sockaddr_in.sin_family) : 0;
  const length = family === constants.AF_INET ? 4 : family === constants.AF_INET6 ? 16 : 0;
  if (!sockaddr || length === 0) return undefined;
  // Trailing zeros may be cut off.
  const bytes = Buffer.alloc(length);
  sockaddr.subarray(startOf(length), startOf(length) + length).copy(bytes);
  // The kernel keeps the scope of link-local addresses in their second group.
  if (length === 16 && bytes.readUInt16BE(0) === 0xfe80) bytes.writeUInt16BE(0, 2);
  const text = addressText(bytes);
  return text === undefined ? undefined : { text, bytes };
}

/** Leading ones of a mask, of which trailing zeros are cut off and the family is not set. */
function prefixLengthOf(mask: Buffer | undefined, addressLength: number): number {
  const bytes = mask?.subarray(startOf(addressLength), startOf(addressLength) + addressLength) ?? Buffer.alloc(0);
  let ones = 0;
  for (const byte of bytes) {
    ones += Math.clz32(~(byte << 24));
    if (byte !== 0xff) break;
  }
  return Math.min(ones, 8 * addressLength);
}
