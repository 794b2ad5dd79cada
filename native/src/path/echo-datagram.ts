import { addressBytes, addressText } from '../ffi/address.ts';
import type { AnswerContext, ProbeAnswer } from './answer.ts';

const ICMP = { echo: 8, reply: 0, unreachable: 3, exceeded: 11, protocol: 1 } as const;
const ICMPV6 = { echo: 128, reply: 129, unreachable: 1, exceeded: 3, protocol: 58 } as const;
const HEADER_BYTES = 8;
const IPV6_HEADER = 40;

/** What tells one socket's probes from those of others: every ICMP socket of a machine hears every answer. */
export interface EchoContext extends Omit<AnswerContext, 'method'> {
  /** 16 bits. */
  readonly identifier: number;
}

/** Writes an echo request with its number; over IPv4 with the checksum, which over IPv6 is the kernel's. */
export function writeEcho(packet: Buffer, index: number, { family, identifier }: EchoContext): void {
  packet.fill(0);
  packet.writeUInt8(family === 4 ? ICMP.echo : ICMPV6.echo, 0);
  packet.writeUInt16BE(identifier, 4);
  packet.writeUInt16BE(index, 6);
  // Number and complement keep the checksum constant, so that balanced paths are not mixed.
  packet.writeUInt16BE(0xffff - index, 8);
  if (family === 4) packet.writeUInt16BE(internetChecksum(packet), 2);
}

/** RFC 1071. */
export function internetChecksum(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at + 2 <= bytes.length; at += 2) sum += bytes.readUInt16BE(at);
  if (bytes.length % 2 === 1) sum += bytes.readUInt8(bytes.length - 1) << 8;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/** What a received datagram says of a probe; undefined for what belongs to another socket or is cut short. */
export function parseEchoDatagram(
  bytes: Buffer,
  from: string | undefined,
  context: EchoContext,
): Omit<ProbeAnswer, 'receivedAtMs'> | undefined {
  const types = context.family === 4 ? ICMP : ICMPV6;
  // BSD hands an IPv4 header up with the message; over IPv6 it does not.
  const message = context.family === 4 ? withoutHeader(bytes) : bytes;
  if (!message || message.length < HEADER_BYTES) return undefined;
  const type = message.readUInt8(0);
  if (type === types.reply) {
    const index = indexOf(message, context);
    return index === undefined ? undefined : { index, address: from, kind: 'destination' };
  }
  if (type !== types.exceeded && type !== types.unreachable) return undefined;
  const index = quotedIndex(message.subarray(HEADER_BYTES), context);
  if (index === undefined) return undefined;
  if (type === types.exceeded) return { index, address: from, kind: 'exceeded' };
  // This host says "unreachable" to itself where it finds no neighbour: that is no answer of the path.
  const isOwn = from !== undefined && context.source !== undefined && addressBytes(from).equals(addressBytes(context.source));
  return isOwn ? { index, address: undefined, kind: 'refused' } : { index, address: from, kind: 'unreachable' };
}

/** What follows an IPv4 header; the bytes themselves where there is none. */
function withoutHeader(bytes: Buffer): Buffer | undefined {
  if (bytes.length === 0) return undefined;
  const first = bytes.readUInt8(0);
  return first >> 4 === 4 ? bytes.subarray(4 * (first & 15)) : bytes;
}

const indexOf = (message: Buffer, { identifier }: EchoContext): number | undefined =>
  message.length >= HEADER_BYTES && message.readUInt16BE(4) === identifier ? message.readUInt16BE(6) : undefined;

/** The number of the request that an error quotes, where it is one of ours to this destination. */
function quotedIndex(quoted: Buffer, context: EchoContext): number | undefined {
  const v4 = context.family === 4;
  const types = v4 ? ICMP : ICMPV6;
  const [protocolAt, toAt, toEnd] = v4 ? [9, 16, 20] : [6, 24, IPV6_HEADER];
  if (quoted.length < toEnd) return undefined;
  if (quoted.readUInt8(protocolAt) !== types.protocol) return undefined;
  if (addressText(quoted.subarray(toAt, toEnd)) !== addressText(addressBytes(context.destination))) return undefined;
  const request = quoted.subarray(v4 ? 4 * (quoted.readUInt8(0) & 15) : IPV6_HEADER);
  return request.length >= HEADER_BYTES && request.readUInt8(0) === types.echo ? indexOf(request, context) : undefined;
}
