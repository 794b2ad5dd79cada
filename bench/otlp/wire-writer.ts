/** Just enough protobuf to make payloads: each function gives the bytes of one field, '' or 0 included. */
function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

const tag = (field: number, wireType: number) => varint(BigInt((field << 3) | wireType));

export function bytesField(field: number, value: Buffer | string): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([tag(field, 2), varint(BigInt(bytes.length)), bytes]);
}

export const messageField = (field: number, ...parts: Buffer[]) => bytesField(field, Buffer.concat(parts));

export const varintField = (field: number, value: number | bigint) => Buffer.concat([tag(field, 0), varint(BigInt(value))]);

export function fixed64Field(field: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
  return Buffer.concat([tag(field, 1), bytes]);
}

export function fixed32Field(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return Buffer.concat([tag(field, 5), bytes]);
}

function doubles(values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  for (const [i, value] of values.entries()) bytes.writeDoubleLE(value, i * 8);
  return bytes;
}

export const doubleField = (field: number, value: number) => Buffer.concat([tag(field, 1), doubles([value])]);

export const packedDoublesField = (field: number, values: number[]) => bytesField(field, doubles(values));

export function packedFixed64Field(field: number, values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8);
  for (const [i, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), i * 8);
  return bytesField(field, bytes);
}
