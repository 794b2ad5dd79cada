import { ByteSink } from '../byte-sink.ts';
import type { ColumnType, NativeColumn } from './block.ts';
import { LowCardinalityColumn } from './low-cardinality.ts';

const fault = (type: string, value: unknown): never => {
  throw new TypeError(`A column of ${type} cannot hold ${typeof value} ${String(value).slice(0, 40)}`);
};

/** Values of one width in a typed array that grows; kept over `reset`, so that the next block finds its memory. */
abstract class FixedColumn<
  A extends Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>,
> implements NativeColumn
{
  length = 0;
  protected array: A;
  private readonly perValue: number;
  private readonly make: (size: number) => A;

  constructor(make: (size: number) => A, perValue = 1) {
    this.make = make;
    this.perValue = perValue;
    this.array = make(256 * perValue);
  }

  /** Makes room for one more value and gives the index of its first element. */
  protected next(): number {
    const at = this.length * this.perValue;
    if (at === this.array.length) {
      const grown = this.make(at * 2);
      grown.set(this.array);
      this.array = grown;
    }
    this.length++;
    return at;
  }

  reset(): void {
    this.length = 0;
  }

  writePrefix(_sink: ByteSink): void {}

  writeBody(sink: ByteSink): void {
    sink.raw(this.array.subarray(0, this.length * this.perValue));
  }
}

/** Unsigned integers of 1, 2 or 4 bytes; out of range is an error, never a wrapped value. */
export class IntegerColumn extends FixedColumn<Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>> {
  private readonly bits: number;
  private readonly limit: number;

  constructor(View: Uint8ArrayConstructor | Uint16ArrayConstructor | Uint32ArrayConstructor) {
    super((size) => new View(size));
    this.bits = 8 * View.BYTES_PER_ELEMENT;
    this.limit = 2 ** this.bits;
  }

  push(value: number): void {
    if (!Number.isInteger(value) || value < 0 || value >= this.limit) fault(`UInt${this.bits}`, value);
    const at = this.next();
    this.array[at] = value;
  }
}

/** UInt64, as a bigint, a safe integer or two unsigned halves (the quick way). */
export class WideColumn extends FixedColumn<Uint32Array<ArrayBuffer>> {
  constructor() {
    super((size) => new Uint32Array(size), 2);
  }

  push(value: bigint | number): void {
    const wide = typeof value === 'bigint' ? value : BigInt(Number.isSafeInteger(value) ? value : fault('UInt64', value));
    if (wide < 0n || wide >= 1n << 64n) fault('UInt64', wide);
    this.pushHalves(Number(wide & 0xffffffffn), Number(wide >> 32n));
  }

  pushHalves(low: number, high: number): void {
    const at = this.next();
    this.array[at] = low;
    this.array[at + 1] = high;
  }
}

export class FloatColumn extends FixedColumn<Float64Array<ArrayBuffer>> {
  constructor() {
    super((size) => new Float64Array(size));
  }

  push(value: number): void {
    if (typeof value !== 'number') fault('Float64', value);
    const at = this.next();
    this.array[at] = value;
  }
}

/** DateTime64(3) out of Unix milliseconds: exact for every date a JavaScript clock can tell. */
export class MillisecondsColumn extends FixedColumn<Uint32Array<ArrayBuffer>> {
  constructor() {
    super((size) => new Uint32Array(size), 2);
  }

  push(value: number): void {
    if (!Number.isSafeInteger(value)) fault('DateTime64(3)', value);
    const high = Math.floor(value / 4_294_967_296);
    const at = this.next();
    this.array[at] = value - high * 4_294_967_296;
    // Two's complement of a negative half: typed arrays wrap.
    this.array[at + 1] = high;
  }
}

/** Bytes of values one after the other. */
abstract class BytesColumn implements NativeColumn {
  length = 0;
  protected readonly sink = new ByteSink(4096);

  reset(): void {
    this.length = 0;
    this.sink.reset();
  }

  writePrefix(_sink: ByteSink): void {}

  writeBody(sink: ByteSink): void {
    sink.append(this.sink);
  }
}

export class TextColumn extends BytesColumn {
  push(value: string): void {
    if (typeof value !== 'string') fault('String', value);
    this.sink.string(value);
    this.length++;
  }
}

const UUID_TEXT = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Where the pairs of hex digits of a text UUID lie, in ClickHouse's order: two little-endian halves. */
const UUID_PAIRS = [16, 14, 11, 9, 6, 4, 2, 0, 34, 32, 30, 28, 26, 24, 21, 19] as const;
const hexDigit = (code: number): number => (code <= 57 ? code - 48 : (code | 32) - 87);

export class UuidColumn extends BytesColumn {
  push(value: string): void {
    if (typeof value !== 'string' || !UUID_TEXT.test(value)) fault('UUID', value);
    let at = this.sink.reserve(16);
    for (const pair of UUID_PAIRS) {
      this.sink.bytes[at++] = (hexDigit(value.charCodeAt(pair)) << 4) | hexDigit(value.charCodeAt(pair + 1));
    }
    this.sink.length = at;
    this.length++;
  }
}

/** Maps with LowCardinality keys: cumulative ends of the rows, then all keys, then all values. */
export class MapColumn<V> implements NativeColumn {
  length = 0;
  private readonly ends = new WideColumn();
  private readonly keys = new LowCardinalityColumn();
  private readonly values: NativeColumn & { push(value: V): void };

  constructor(values: NativeColumn & { push(value: V): void }) {
    this.values = values;
  }

  push(map: Readonly<Record<string, V>>): void {
    if (typeof map !== 'object' || map === null) fault('Map', map);
    for (const key in map) {
      this.keys.push(key);
      this.values.push(map[key] as V);
    }
    this.ends.pushHalves(this.keys.length, 0);
    this.length++;
  }

  reset(): void {
    this.length = 0;
    for (const part of [this.ends, this.keys, this.values]) part.reset();
  }

  writePrefix(sink: ByteSink): void {
    this.keys.writePrefix(sink);
    this.values.writePrefix(sink);
  }

  writeBody(sink: ByteSink): void {
    this.ends.writeBody(sink);
    this.keys.writeBody(sink);
    this.values.writeBody(sink);
  }
}

const BUILDERS = {
  String: () => new TextColumn(),
  'LowCardinality(String)': () => new LowCardinalityColumn(),
  UInt8: () => new IntegerColumn(Uint8Array),
  UInt16: () => new IntegerColumn(Uint16Array),
  UInt32: () => new IntegerColumn(Uint32Array),
  UInt64: () => new WideColumn(),
  Float64: () => new FloatColumn(),
  UUID: () => new UuidColumn(),
  'DateTime64(3)': () => new MillisecondsColumn(),
  'Map(LowCardinality(String), String)': () => new MapColumn<string>(new TextColumn()),
  'Map(LowCardinality(String), Float64)': () => new MapColumn<number>(new FloatColumn()),
} satisfies Record<ColumnType, () => NativeColumn>;

export type ColumnBuilder<T extends ColumnType> = ReturnType<(typeof BUILDERS)[T]>;

/** An empty column to push values into, one a row; TypeError for a value that the type cannot hold. */
export const newColumn = <T extends ColumnType>(type: T): ColumnBuilder<T> => BUILDERS[type]() as ColumnBuilder<T>;
