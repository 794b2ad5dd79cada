/** Bytes of a value as varint. */
export function sizeOfVarint(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
}

/** Gives the place after it. */
export function writeVarint(bytes: Uint8Array, value: number, p: number): number {
  for (; value > 127; value >>>= 7) bytes[p++] = (value & 127) | 128;
  bytes[p++] = value;
  return p;
}
