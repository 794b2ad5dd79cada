import type { JsonField } from './fields.ts';
import type { JsonScalar } from './reader.ts';
import type { WireWriter } from './wire-writer.ts';

type Scalar = Buffer | boolean | number | bigint;

/** The value of a JSON scalar; undefined when it is none of the field's kind. */
export function readScalar(field: JsonField, value: JsonScalar): Scalar | undefined {
  switch (field.kind) {
    case 'string':
      return typeof value === 'string' && value.isWellFormed() ? Buffer.from(value) : undefined;
    case 'bytes':
      return readBase64(value);
    case 'id':
      return readId(value, field.idBytes);
    case 'bool':
      return typeof value === 'boolean' ? value : undefined;
    case 'double':
      return readDouble(value);
    case 'message':
      return undefined;
    case 'enum':
      return typeof value === 'string' && field.values && Object.hasOwn(field.values, value)
        ? field.values[value]
        : readInteger(typeof value === 'string' ? null : value, 'int32');
    default:
      return readInteger(value, field.kind);
  }
}

export function writeScalar(writer: WireWriter, { kind, isFixed, isZigZag }: JsonField, value: Scalar): void {
  if (Buffer.isBuffer(value)) writer.delimited(value);
  else if (typeof value === 'boolean') writer.varint(value ? 1 : 0);
  else if (typeof value === 'bigint') {
    if (isFixed) writer.fixed64(value);
    else writer.varint64(value);
  } else if (kind === 'double') writer.double(value);
  else if (isFixed) writer.fixed32(value);
  else if (isZigZag) writer.varint((value << 1) ^ (value >> 31));
  else if (value < 0) writer.varint64(BigInt(value));
  else writer.varint(value);
}

function readBase64(value: JsonScalar): Buffer | undefined {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) return undefined;
  const digits = value.replace(/=+$/, '').length;
  if (digits % 4 === 1 || (value.length > digits && value.length % 4 !== 0)) return undefined;
  return Buffer.from(value, 'base64');
}

function readId(value: JsonScalar, bytes: number): Buffer | undefined {
  if (value === '') return Buffer.alloc(0);
  return typeof value === 'string' && value.length === bytes * 2 && /^[0-9a-fA-F]+$/.test(value)
    ? Buffer.from(value, 'hex')
    : undefined;
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function readDouble(value: JsonScalar): number | undefined {
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
  const isNumber =
    typeof value === 'number' || typeof value === 'bigint' || (typeof value === 'string' && jsonNumber.test(value));
  const number = isNumber ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

const ranges = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
} as const;

/** bigint for 64 bits, number for 32. */
function readInteger(value: JsonScalar, kind: keyof typeof ranges): number | bigint | undefined {
  let whole: bigint;
  if (typeof value === 'bigint') whole = value;
  else if (typeof value === 'number' && Number.isInteger(value)) whole = BigInt(value);
  else if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) whole = BigInt(value);
  else return undefined;
  const [low, high] = ranges[kind];
  if (whole < low || whole > high) return undefined;
  return kind === 'int32' || kind === 'uint32' ? Number(whole) : whole;
}
