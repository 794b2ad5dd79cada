import { decodeSockaddr } from './sockaddr.ts';

const SOL_IP = 0;
const SOL_SOCKET = 1;
const SOL_IPV6 = 41;
const SO_TIMESTAMPNS = 35;
const IP_RECVERR = 11;
const IPV6_RECVERR = 25;
const HEADER = 16;

/** struct sock_extended_err: what a router or this host said of an earlier packet. */
export interface ExtendedError {
  readonly errno: number;
  /** 1 this host, 2 ICMP, 3 ICMPv6. */
  readonly origin: number;
  readonly type: number;
  readonly code: number;
  /** Who said it. */
  readonly offender: string | undefined;
}

export interface ControlMessages {
  /** Kernel receive time, Unix milliseconds; undefined where the kernel gave none. */
  readonly receivedAtMs: number | undefined;
  readonly error: ExtendedError | undefined;
}

/** Milliseconds of a struct timespec at `offset`. */
export const timespecMs = (bytes: Buffer, offset: number): number =>
  Number(bytes.readBigInt64LE(offset)) * 1e3 + Number(bytes.readBigInt64LE(offset + 8)) / 1e6;

/** Walks the control messages of one recvmsg; stops at the first that does not fit. */
export function parseControlMessages(bytes: Buffer): ControlMessages {
  let receivedAtMs: number | undefined;
  let error: ExtendedError | undefined;
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const length = Number(bytes.readBigUInt64LE(at));
    if (length < HEADER || at + length > bytes.length) break;
    const level = bytes.readInt32LE(at + 8);
    const type = bytes.readInt32LE(at + 12);
    const body = bytes.subarray(at + HEADER, at + length);
    if (level === SOL_SOCKET && type === SO_TIMESTAMPNS && body.length >= 16) receivedAtMs = timespecMs(body, 0);
    else if ((level === SOL_IP && type === IP_RECVERR) || (level === SOL_IPV6 && type === IPV6_RECVERR)) {
      error = parseExtendedError(body) ?? error;
    }
    at += (length + 7) & ~7;
  }
  return { receivedAtMs, error };
}

function parseExtendedError(body: Buffer): ExtendedError | undefined {
  if (body.length < 16) return undefined;
  return {
    errno: body.readUInt32LE(0),
    origin: body.readUInt8(4),
    type: body.readUInt8(5),
    code: body.readUInt8(6),
    offender: decodeSockaddr(body, 16)?.address,
  };
}
