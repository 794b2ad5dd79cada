import { LINUX } from '../layout/linux.ts';

/** The netlink wire format as pure functions over Buffers. Whatever is cut short or malformed is left out, never read past. */

const { NLM_F_REQUEST, NLM_F_ACK, NLM_F_DUMP, NLMSG_ERROR, NLMSG_DONE, NLA_TYPE_MASK } = LINUX.constants;
const { nlmsghdr, nlattr } = LINUX.structs;
export const HEADER = nlmsghdr.sizeof;

const aligned = (length: number): number => (length + 3) & ~3;

export type Attributes = ReadonlyMap<number, Buffer>;

/** One attribute: length, type, value, padding. */
export function encodeAttribute(type: number, value: Buffer): Buffer {
  const out = Buffer.alloc(aligned(nlattr.sizeof + value.length));
  out.writeUInt16LE(nlattr.sizeof + value.length, nlattr.nla_len);
  out.writeUInt16LE(type, nlattr.nla_type);
  value.copy(out, nlattr.sizeof);
  return out;
}

export function encodeU32(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt32LE(value >>> 0, 0);
  return out;
}

/** Attributes by type; of a repeated one the last. Stops at the first that does not fit. */
export function decodeAttributes(bytes: Buffer): Attributes {
  const found = new Map<number, Buffer>();
  for (let at = 0; at + nlattr.sizeof <= bytes.length; ) {
    const length = bytes.readUInt16LE(at + nlattr.nla_len);
    if (length < nlattr.sizeof || at + length > bytes.length) break;
    found.set(bytes.readUInt16LE(at + nlattr.nla_type) & NLA_TYPE_MASK, bytes.subarray(at + nlattr.sizeof, at + length));
    at += aligned(length);
  }
  return found;
}

const fits = (bytes: Buffer | undefined, length: number): bytes is Buffer => bytes !== undefined && bytes.length >= length;

export const u8 = (a: Attributes, type: number): number | undefined => {
  const value = a.get(type);
  return fits(value, 1) ? value.readUInt8(0) : undefined;
};
export const i8 = (a: Attributes, type: number): number | undefined => {
  const value = a.get(type);
  return fits(value, 1) ? value.readInt8(0) : undefined;
};
export const u16 = (a: Attributes, type: number): number | undefined => {
  const value = a.get(type);
  return fits(value, 2) ? value.readUInt16LE(0) : undefined;
};
export const u32 = (a: Attributes, type: number): number | undefined => {
  const value = a.get(type);
  return fits(value, 4) ? value.readUInt32LE(0) : undefined;
};
/** Counters of 64 bits; beyond 2^53 they lose their last digits, which no difference of ours notices. */
export const u64 = (a: Attributes, type: number): number | undefined => {
  const value = a.get(type);
  return fits(value, 8) ? Number(value.readBigUInt64LE(0)) : undefined;
};
export const i32 = (a: Attributes, type: number): number | undefined => {
  const value = a.get(type);
  return fits(value, 4) ? value.readInt32LE(0) : undefined;
};
/** A NUL-terminated name. */
export const text = (a: Attributes, type: number): string | undefined => a.get(type)?.toString('latin1').replace(/\0.*$/s, '');
export const nested = (a: Attributes, type: number): Attributes | undefined => {
  const value = a.get(type);
  return value && decodeAttributes(value);
};

export interface RequestHeader {
  readonly type: number;
  readonly sequence: number;
  readonly dump: boolean;
}

export function encodeRequest(header: RequestHeader, payload: Buffer): Buffer {
  const out = Buffer.alloc(HEADER + payload.length);
  out.writeUInt32LE(out.length, nlmsghdr.nlmsg_len);
  out.writeUInt16LE(header.type, nlmsghdr.nlmsg_type);
  out.writeUInt16LE(NLM_F_REQUEST | (header.dump ? NLM_F_DUMP : NLM_F_ACK), nlmsghdr.nlmsg_flags);
  out.writeUInt32LE(header.sequence, nlmsghdr.nlmsg_seq);
  payload.copy(out, HEADER);
  return out;
}

export interface Replies {
  /** What follows each message's header. */
  readonly payloads: readonly Buffer[];
  /** The answer is complete. */
  readonly done: boolean;
  /** Number of the error that the kernel answered with, 0 for none. */
  readonly errno: number;
}

/** Splits one datagram into the messages that answer request `sequence`. */
export function decodeReplies(datagram: Buffer, sequence: number): Replies {
  const payloads: Buffer[] = [];
  for (let at = 0; at + HEADER <= datagram.length; ) {
    const length = datagram.readUInt32LE(at + nlmsghdr.nlmsg_len);
    if (length < HEADER || at + length > datagram.length) break;
    const type = datagram.readUInt16LE(at + nlmsghdr.nlmsg_type);
    const payload = datagram.subarray(at + HEADER, at + length);
    if (datagram.readUInt32LE(at + nlmsghdr.nlmsg_seq) === sequence) {
      if (type === NLMSG_DONE || type === NLMSG_ERROR) {
        const errno = payload.length >= 4 ? -payload.readInt32LE(0) : 0;
        return { payloads, done: true, errno: Math.max(0, errno) };
      }
      payloads.push(payload);
    }
    at += aligned(length);
  }
  return { payloads, done: false, errno: 0 };
}
