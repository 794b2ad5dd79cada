import { ByteCursor, type NativeType } from './native-types.ts';

export type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;
/** 64-bit numbers and times, in the column's own unit. */
export type Wides = BigInt64Array | BigUint64Array;

type ArrayOf<A> = { BYTES_PER_ELEMENT: number; new (buffer: ArrayBufferLike, offset: number, length: number): A };

const ARRAYS: Readonly<Record<string, ArrayOf<Numbers | Wides>>> = {
  UInt8: Uint8Array,
  UInt16: Uint16Array,
  UInt32: Uint32Array,
  Int32: Int32Array,
  UInt64: BigUint64Array,
  Float64: Float64Array,
  'DateTime64(3)': BigInt64Array,
  'DateTime64(9)': BigInt64Array,
};

/** The values where they lie; a copy where they do not lie on a boundary of their width. */
function arrayAt<A>(View: ArrayOf<A>, { bytes, at }: { bytes: Buffer; at: number }, length: number): A {
  const offset = bytes.byteOffset + at;
  if (offset % View.BYTES_PER_ELEMENT === 0) return new View(bytes.buffer, offset, length);
  return new View(bytes.buffer.slice(offset, offset + length * View.BYTES_PER_ELEMENT), 0, length);
}

/** FixedString: ids of traces and spans. */
export class Ids {
  readonly width: number;
  private readonly bytes: Buffer;
  private readonly start: number;

  constructor(cursor: ByteCursor, width: number, count: number) {
    this.width = width;
    this.bytes = cursor.bytes;
    this.start = cursor.skip(width * count);
  }

  hex(row: number): string {
    const at = this.start + row * this.width;
    return this.bytes.toString('hex', at, at + this.width);
  }
}

/** String. */
export class Texts {
  private readonly bytes: Buffer;
  private readonly starts: Uint32Array;
  private readonly ends: Uint32Array;

  constructor(cursor: ByteCursor, count: number) {
    this.bytes = cursor.bytes;
    this.starts = new Uint32Array(count);
    this.ends = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const size = cursor.varint();
      this.starts[i] = cursor.skip(size);
      this.ends[i] = cursor.at;
    }
  }

  at(row: number): string {
    return this.bytes.toString('utf8', this.starts[row], this.ends[row]);
  }
}

const INDEX = [Uint8Array, Uint16Array, Uint32Array] as const;
const NO_KEYS = new Texts(new ByteCursor(Buffer.alloc(0)), 0);

/** LowCardinality(String): a text is made once for each entry of the dictionary that is asked for. */
export class Lows {
  /** Places in the dictionary, one a row. */
  private readonly ids: Numbers = new Uint8Array(0);
  private readonly keys: Texts = NO_KEYS;
  private readonly texts: (string | undefined)[] = [];

  constructor(cursor: ByteCursor, count: number) {
    if (count === 0) return;
    const View = INDEX[cursor.uint64() & 255];
    if (View === undefined) throw new RangeError('A dictionary has more entries than a block has rows.');
    this.keys = new Texts(cursor, cursor.uint64());
    const length = cursor.uint64();
    this.ids = arrayAt<Numbers>(View, { bytes: cursor.bytes, at: cursor.skip(length * View.BYTES_PER_ELEMENT) }, length);
  }

  at(row: number): string {
    const id = this.ids[row] as number;
    const known = this.texts[id];
    if (known !== undefined) return known;
    const text = this.keys.at(id);
    this.texts[id] = text;
    return text;
  }
}

/** Where the entries of rows lie among all entries of a column. */
export class Ranges {
  readonly total: number;
  private readonly ends: Wides;

  constructor(cursor: ByteCursor, count: number) {
    this.ends = arrayAt(BigUint64Array, { bytes: cursor.bytes, at: cursor.skip(count * 8) }, count);
    this.total = count === 0 ? 0 : Number(this.ends[count - 1]);
  }

  from(row: number): number {
    return row === 0 ? 0 : Number(this.ends[row - 1]);
  }

  to(row: number): number {
    return Number(this.ends[row]);
  }
}

/** Map: entries in the order in which they were sent. */
export class Maps {
  readonly ranges: Ranges;
  readonly keys: Lows;
  readonly values: Texts | Lows;

  constructor(cursor: ByteCursor, type: { key: NativeType; value: NativeType }, count: number) {
    this.ranges = new Ranges(cursor, count);
    this.keys = decodeColumn(cursor, type.key, this.ranges.total) as Lows;
    this.values = decodeColumn(cursor, type.value, this.ranges.total) as Texts | Lows;
  }

  entries(row: number): { keys: string[]; values: string[] } {
    const keys: string[] = [];
    const values: string[] = [];
    for (let i = this.ranges.from(row); i < this.ranges.to(row); i++) {
      keys.push(this.keys.at(i));
      values.push(this.values.at(i));
    }
    return { keys, values };
  }
}

/** Array(T): `items` holds the entries of all rows. */
export interface Lists<T extends Decoded = Decoded> {
  ranges: Ranges;
  items: T;
}

export type Decoded = Numbers | Wides | Ids | Texts | Lows | Maps | Lists;

/** The values of `count` rows, which begin at the cursor, and steps over them. */
export function decodeColumn(cursor: ByteCursor, type: NativeType, count: number): Decoded {
  switch (type.kind) {
    case 'fixed': {
      const View = ARRAYS[type.name];
      if (View === undefined) return new Ids(cursor, type.width, count);
      return arrayAt(View, { bytes: cursor.bytes, at: cursor.skip(count * type.width) }, count);
    }
    case 'text':
      return new Texts(cursor, count);
    case 'low':
      return new Lows(cursor, count);
    case 'map':
      return new Maps(cursor, type, count);
    default: {
      const ranges = new Ranges(cursor, count);
      return { ranges, items: decodeColumn(cursor, type.item, ranges.total) };
    }
  }
}
