import { OTLP_MESSAGES } from '@svc/contracts/otlp/descriptor';
import type { FieldRow } from '@svc/contracts/otlp/table-types';

/** A decoded message by JSON names: bytes as hexadecimal, 64-bit numbers as bigint, repeated fields as lists. */
export interface Decoded {
  [name: string]: unknown;
}

const PACKED_BYTES: Readonly<Record<string, number>> = { fixed64: 8, sfixed64: 8, double: 8, fixed32: 4 };

function readVarint(bytes: Buffer, from: number): { value: bigint; next: number } {
  let value = 0n;
  for (let at = from, shift = 0n; ; at += 1, shift += 7n) {
    const byte = bytes[at];
    if (byte === undefined) throw new Error('truncated');
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return { value, next: at + 1 };
  }
}

function readNumber(type: string, bytes: Buffer): unknown {
  if (type === 'double') return bytes.readDoubleLE(0);
  if (type === 'fixed32') return bytes.readUInt32LE(0);
  if (type === 'fixed64' || type === 'sfixed64') return bytes.readBigUInt64LE(0);
  const { value } = readVarint(bytes, 0);
  if (type === 'bool') return value === 1n;
  if (type === 'sint32') return Number((value >> 1n) ^ -(value & 1n));
  return type === 'int64' ? BigInt.asIntN(64, value) : Number(value);
}

function readList(type: string, bytes: Buffer): unknown[] {
  const values: unknown[] = [];
  const size = PACKED_BYTES[type];
  for (let at = 0; at < bytes.length; ) {
    const next = size === undefined ? readVarint(bytes, at).next : at + size;
    values.push(readNumber(type, bytes.subarray(at, next)));
    at = next;
  }
  return values;
}

function readLengthDelimited([, , , type, occurrence]: FieldRow, bytes: Buffer): unknown {
  if (type in OTLP_MESSAGES) return decode(type, bytes);
  if (type === 'string') return bytes.toString('utf8');
  if (type === 'bytes') return bytes.toString('hex');
  if (occurrence !== 'repeated') throw new Error(`${type} is no list`);
  return readList(type, bytes);
}

/** Reads what the tables of the contract know; throws at anything else, which an encoder of ours should not have written. */
export function decode(message: string, bytes: Buffer): Decoded {
  const rows = OTLP_MESSAGES[message];
  if (!rows) throw new Error(`no message ${message}`);
  const out: Decoded = {};
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at);
    const row = rows.find(([number]) => number === Number(tag.value >> 3n));
    if (!row) throw new Error(`${message} has no field ${tag.value >> 3n}`);
    const wireType = Number(tag.value & 7n);
    const length = wireType === 2 ? readVarint(bytes, tag.next) : { value: 0n, next: tag.next };
    const sizes: Readonly<Record<number, number>> = { 1: 8, 2: Number(length.value), 5: 4 };
    const next = wireType === 0 ? readVarint(bytes, tag.next).next : length.next + (sizes[wireType] as number);
    if (next > bytes.length) throw new Error('truncated');
    const part = bytes.subarray(length.next, next);
    const value = wireType === 2 ? readLengthDelimited(row, part) : readNumber(row[3], part);
    const isMany = row[4] === 'repeated';
    out[row[2]] = isMany ? [...((out[row[2]] as unknown[]) ?? []), ...(Array.isArray(value) ? value : [value])] : value;
    at = next;
  }
  return out;
}
