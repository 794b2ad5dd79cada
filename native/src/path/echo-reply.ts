import { addressBytes, addressText } from '../ffi/address.ts';
import { WIN32 } from '../ffi/layout/win32.ts';
import type { AnswerContext, ProbeAnswer } from './answer.ts';

const { ICMP_ECHO_REPLY: V4, ICMPV6_ECHO_REPLY: V6 } = WIN32.structs;
const STATUS = WIN32.constants;
const UNREACHABLE = new Set<number>([
  STATUS.IP_DEST_NET_UNREACHABLE,
  STATUS.IP_DEST_HOST_UNREACHABLE,
  STATUS.IP_DEST_PROT_UNREACHABLE,
  STATUS.IP_DEST_PORT_UNREACHABLE,
]);

export interface EchoReply {
  readonly address: string | undefined;
  readonly kind: ProbeAnswer['kind'];
  /** Whole milliseconds, as Windows counts them. */
  readonly rttMs: number;
}

/** Reads an ICMP_ECHO_REPLY or ICMPV6_ECHO_REPLY; undefined for what is no answer of the network, such as a timeout. */
export function parseEchoReply(bytes: Buffer, context: Omit<AnswerContext, 'method'>): EchoReply | undefined {
  const at = context.family === 4 ? V4 : V6;
  if (bytes.length < at.sizeof) return undefined;
  const status = bytes.readUInt32LE(at.Status);
  const where = context.family === 4 ? bytes.subarray(V4.Address, V4.Address + 4) : addressOf6(bytes);
  const address = where && addressText(where);
  const kind = kindOf(status, address, context);
  return kind && { address: kind === 'refused' ? undefined : address, kind, rttMs: bytes.readUInt32LE(at.RoundTripTime) };
}

const addressOf6 = (bytes: Buffer): Buffer => bytes.subarray(V6.sin6_addr, V6.sin6_addr + 16);

function kindOf(
  status: number,
  address: string | undefined,
  context: Omit<AnswerContext, 'method'>,
): ProbeAnswer['kind'] | undefined {
  // This host says "unreachable" to itself where it finds no neighbour: that is no answer of the path.
  const isOwn = (other: string | undefined): boolean =>
    address !== undefined && other !== undefined && addressBytes(address).equals(addressBytes(other));
  if (status === STATUS.IP_SUCCESS) return 'destination';
  if (status === STATUS.IP_TTL_EXPIRED_TRANSIT) return 'exceeded';
  if (!UNREACHABLE.has(status)) return undefined;
  if (isOwn(context.source)) return 'refused';
  return status === STATUS.IP_DEST_PORT_UNREACHABLE && isOwn(context.destination) ? 'destination' : 'unreachable';
}
