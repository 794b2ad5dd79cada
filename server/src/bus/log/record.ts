import { crc32 } from 'node:zlib';
import { copyBytes, type TenantId } from '#kernel';
import type { CheckedMessage } from '../message-bounds.ts';
import { hashTenant } from '../partition.ts';
import { type BusMessage, type Checksum, MAX_HEADER_BYTES, MAX_MESSAGE_BYTES } from '../port.ts';
import { joinCrc32 } from './crc.ts';

/**
 * One record: crc u32 | length u32 | position u48 | mark u8 | tenant length u8 | headers length u32 | tenant hash u32 | tenant |
 * headers as JSON | value; little endian. The crc covers all after itself. The record's own position in the topic stands in it,
 * so bytes left over from something else never pass for a record here.
 */
export const HEADER_BYTES = 24;
const MARK = 0xb1;
const MAX_RECORD = HEADER_BYTES + 255 + MAX_HEADER_BYTES + MAX_MESSAGE_BYTES;

/** Bytes of the topic's log as read or written: `buffer[0]` is the byte at position `base`. */
export interface Chunk {
  buffer: Buffer;
  base: number;
  /** Written by this process and still in memory: no need to check. */
  trusted: boolean;
}

/** Bytes that the message takes in the log. */
export const recordBytes = (message: CheckedMessage): number =>
  HEADER_BYTES + message.tenant.length + message.headersBytes + message.value.length;

/** All of a record but its crc, and its value, which follows; where that begins. */
function writeHead(buffer: Buffer, at: number, record: { message: CheckedMessage; position: number }): number {
  const { tenant, value, headersJson, headersBytes } = record.message;
  let end = at + HEADER_BYTES;
  end += buffer.write(tenant, end, 'latin1');
  if (headersBytes > 0) end += buffer.write(headersJson, end, 'utf8');
  buffer.writeUInt32LE(end - at + value.length, at + 4);
  buffer.writeUIntLE(record.position, at + 8, 6);
  buffer[at + 14] = MARK;
  buffer[at + 15] = tenant.length;
  buffer.writeUInt32LE(headersBytes, at + 16);
  buffer.writeUInt32LE(hashTenant(tenant), at + 20);
  return end;
}

/** That of the record with this head. */
function writeCrc(head: Buffer, { crc, value }: Pick<CheckedMessage, 'crc' | 'value'>): void {
  const seed = crc32(head.subarray(4));
  head.writeUInt32LE(crc === undefined ? crc32(value, seed) : joinCrc32(seed, { crc, bytes: value.length }));
}

function ensurePlanned(encoded: number, planned: number): void {
  if (encoded !== planned) throw new Error(`the log encoded ${encoded} bytes where ${planned} were planned`);
}

/** The messages one after another, the first at `base`, into memory of their sum by `recordBytes`. */
export function encodeRecords(messages: Iterable<CheckedMessage>, base: number, into: Buffer): void {
  let at = 0;
  for (const message of messages) {
    const value = writeHead(into, at, { message, position: base + at });
    const end = copyBytes(message.value, into, value);
    writeCrc(into.subarray(at, value), { crc: message.crc, value: into.subarray(value, end) });
    at = end;
  }
  ensurePlanned(at, into.length);
}

/** The same bytes in pieces: the messages' own values between the heads, so that nothing large is copied. */
export function encodePieces(messages: readonly CheckedMessage[], base: number, bytes: number): Buffer[] {
  const heads = Buffer.allocUnsafe(messages.reduce((sum, message) => sum + recordBytes(message) - message.value.length, 0));
  const pieces: Buffer[] = [];
  let [at, head] = [0, 0];
  for (const message of messages) {
    const end = writeHead(heads, head, { message, position: base + at });
    writeCrc(heads.subarray(head, end), message);
    pieces.push(heads.subarray(head, end), message.value);
    at += end - head + message.value.length;
    head = end;
  }
  ensurePlanned(at, bytes);
  return pieces;
}

/** The record's length when a header for exactly this place stands at `at` (the record may reach beyond the chunk), else 0. */
export function recordLengthAt(chunk: Chunk, at: number): number {
  const { buffer, base } = chunk;
  if (at + HEADER_BYTES > buffer.length || buffer[at + 14] !== MARK || buffer.readUIntLE(at + 8, 6) !== base + at) return 0;
  const length = buffer.readUInt32LE(at + 4);
  return length >= HEADER_BYTES && length <= MAX_RECORD ? length : 0;
}

export const hashAt = (chunk: Chunk, at: number): number => chunk.buffer.readUInt32LE(at + 20);

export const tenantAt = ({ buffer }: Chunk, at: number): TenantId =>
  buffer.toString('latin1', at + HEADER_BYTES, at + HEADER_BYTES + (buffer[at + 15] as number)) as TenantId;

export const isIntact = (chunk: Chunk, at: number, length: number): boolean =>
  chunk.trusted || crc32(chunk.buffer.subarray(at + 4, at + length)) === chunk.buffer.readUInt32LE(at);

/** Where a walk over a chunk ended: index, why, and for `more` how many bytes from there the next record takes (at least). */
export interface WalkEnd {
  at: number;
  why: 'more' | 'stop' | 'damaged';
  need: number;
}

/** Calls `visit` with every record that lies wholly in the chunk, from index `from` on. */
export function walkRecords(
  chunk: Chunk,
  from: number,
  visit: (at: number, length: number) => 'next' | 'stop' | 'damaged',
): WalkEnd {
  let at = from;
  while (at + HEADER_BYTES <= chunk.buffer.length) {
    const length = recordLengthAt(chunk, at);
    if (length === 0) return { at, why: 'damaged', need: 0 };
    if (at + length > chunk.buffer.length) return { at, why: 'more', need: length };
    const answer = visit(at, length);
    if (answer !== 'next') return { at, why: answer, need: 0 };
    at += length;
  }
  return { at, why: 'more', need: HEADER_BYTES };
}

/** Nothing where they are no JSON, which only a checksum that somebody else looks at can be the reason of. */
function parseHeaders(text: string): BusMessage['headers'] {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const checksumAt = (buffer: Buffer, at: number, valueAt: number): Checksum => ({
  seed: crc32(buffer.subarray(at + 4, valueAt)),
  crc: buffer.readUInt32LE(at),
});

/** The message of a record, intact unless `checks`; its value lies in the chunk. */
export function decodeRecord(chunk: Chunk, at: number, checks: boolean): BusMessage {
  const { buffer } = chunk;
  const tenantEnd = at + HEADER_BYTES + (buffer[at + 15] as number);
  const headersEnd = tenantEnd + buffer.readUInt32LE(at + 16);
  const end = at + buffer.readUInt32LE(at + 4);
  return {
    tenant: tenantAt(chunk, at),
    value: buffer.subarray(headersEnd, end),
    headers: headersEnd === tenantEnd ? {} : parseHeaders(buffer.toString('utf8', tenantEnd, headersEnd)),
    offset: BigInt(chunk.base + at),
    ...(checks && !chunk.trusted && { checksum: checksumAt(buffer, at, headersEnd) }),
  };
}
