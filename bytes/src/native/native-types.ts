/** How the values of a column lie in a Native block: the types of our own tables, no others. */
export type NativeType =
  | { kind: 'fixed'; name: string; width: number }
  | { kind: 'text' }
  | { kind: 'low' }
  | { kind: 'map'; key: NativeType; value: NativeType }
  | { kind: 'array'; item: NativeType };

const WIDTHS: Readonly<Record<string, number>> = {
  UInt8: 1,
  UInt16: 2,
  UInt32: 4,
  Int32: 4,
  UInt64: 8,
  Float64: 8,
  'DateTime64(3)': 8,
  'DateTime64(9)': 8,
};

/** TypeError for a type that no table of ours has. */
export function parseType(name: string): NativeType {
  const width = WIDTHS[name] ?? /^FixedString\((\d+)\)$/.exec(name)?.[1];
  if (width !== undefined) return { kind: 'fixed', name, width: Number(width) };
  if (name === 'String') return { kind: 'text' };
  if (name === 'LowCardinality(String)') return { kind: 'low' };
  const item = /^Array\((.+)\)$/.exec(name)?.[1];
  if (item !== undefined) return { kind: 'array', item: parseType(item) };
  const [, key, value] = /^Map\(([^,]+), (.+)\)$/.exec(name) ?? [];
  if (key !== undefined && value !== undefined) return { kind: 'map', key: parseType(key), value: parseType(value) };
  throw new TypeError(`Blocks are not read of type ${name}.`);
}

/** Bytes before the values, of which each dictionary has a version. */
export function prefixOf(type: NativeType): number {
  if (type.kind === 'low') return 8;
  if (type.kind === 'array') return prefixOf(type.item);
  return type.kind === 'map' ? prefixOf(type.key) + prefixOf(type.value) : 0;
}

/** Reads forward through bytes; RangeError at their end. */
export class ByteCursor {
  readonly bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) break;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw new RangeError('A number of a block has no end.');
  }

  /** A count: never beyond 2^53. */
  uint64(): number {
    const at = this.skip(8);
    return this.bytes.readUInt32LE(at) + this.bytes.readUInt32LE(at + 4) * 4_294_967_296;
  }

  /** Steps over `count` bytes and gives where they begin. */
  skip(count: number): number {
    const { at } = this;
    if (at + count > this.bytes.length) throw new RangeError('A block ends within a value.');
    this.at = at + count;
    return at;
  }

  text(): string {
    const size = this.varint();
    const at = this.skip(size);
    return this.bytes.toString('utf8', at, at + size);
  }
}
