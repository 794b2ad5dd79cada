import { LINUX } from './layout/linux.ts';
import { decodeSockaddr } from './sockaddr.ts';

const { SOL_IP, SOL_SOCKET, SOL_IPV6, SO_TIMESTAMPNS, IP_RECVERR, IPV6_RECVERR } = LINUX.constants;
const { cmsghdr: HEADER, sock_extended_err: ERROR, timespec: TIME } = LINUX.structs;

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
  Number(bytes.readBigInt64LE(offset + TIME.tv_sec)) * 1e3 + Number(bytes.readBigInt64LE(offset + TIME.tv_nsec)) / 1e6;

/** Walks the control messages of one recvmsg; stops at the first that does not fit. */
export function parseControlMessages(bytes: Buffer): ControlMessages {
  let receivedAtMs: number | undefined;
  let error: ExtendedError | undefined;
  for (let at = 0; at + HEADER.sizeof <= bytes.length; ) {
    const length = Number(bytes.readBigUInt64LE(at + HEADER.cmsg_len));
    if (length < HEADER.sizeof || at + length > bytes.length) break;
    const level = bytes.readInt32LE(at + HEADER.cmsg_level);
    const type = bytes.readInt32LE(at + HEADER.cmsg_type);
    const body = bytes.subarray(at + HEADER.sizeof, at + length);
    if (level === SOL_SOCKET && type === SO_TIMESTAMPNS && body.length >= TIME.sizeof) receivedAtMs = timespecMs(body, 0);
    else if ((level === SOL_IP && type === IP_RECVERR) || (level === SOL_IPV6 && type === IPV6_RECVERR)) {
      error = parseExtendedError(body) ?? error;
    }
    at += (length + 7) & ~7;
  }
  return { receivedAtMs, error };
}

function parseExtendedError(body: Buffer): ExtendedError | undefined {
  if (body.length < ERROR.sizeof) return undefined;
  return {
    errno: body.readUInt32LE(ERROR.ee_errno),
    origin: body.readUInt8(ERROR.ee_origin),
    type: body.readUInt8(ERROR.ee_type),
    code: body.readUInt8(ERROR.ee_code),
    offender: decodeSockaddr(body, ERROR.sizeof)?.address,
  };
}
