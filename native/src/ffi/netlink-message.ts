/** The netlink wire format as pure functions over Buffers. Whatever is cut short or malformed is left out, never read past. */

export const HEADER = 16;
const NLM_F_REQUEST = 1;
const NLM_F_ACK = 4;
const NLM_F_DUMP = 0x300;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const TYPE_MASK = 0x3fff;

const aligned = (length: number): number => (length + 3) & ~3;

export type Attributes = ReadonlyMap<number, Buffer>;

/** One attribute: length, type, value, padding. */
export function encodeAttribute(type: number, value: Buffer): Buffer {
  const out = Buffer.alloc(aligned(4 + value.length));
  out.writeUInt16LE(4 + value.length, 0);
  out.writeUInt16LE(type, 2);
  value.copy(out, 4);
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
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = bytes.readUInt16LE(at);
    if (length < 4 || at + length > bytes.length) break;
    found.set(bytes.readUInt16LE(at + 2) & TYPE_MASK, bytes.subarray(at + 4, at + length));
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
  out.writeUInt32LE(out.length, 0);
  out.writeUInt16LE(header.type, 4);
  out.writeUInt16LE(NLM_F_REQUEST | (header.dump ? NLM_F_DUMP : NLM_F_ACK), 6);
  out.writeUInt32LE(header.sequence, 8);
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
    const length = datagram.readUInt32LE(at);
    if (length < HEADER || at + length > datagram.length) break;
    const type = datagram.readUInt16LE(at + 4);
    const payload = datagram.subarray(at + HEADER, at + length);
    if (datagram.readUInt32LE(at + 8) === sequence) {
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
