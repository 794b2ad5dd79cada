import { ByteSink } from './byte-sink.ts';
import { LowCardinalityColumn } from './low-cardinality.ts';
import type { ColumnType, NativeColumn } from './ports.ts';

const fault = (type: string, value: unknown): never => {
  throw new TypeError(`A column of ${type} cannot hold ${typeof value} ${String(value).slice(0, 40)}`);
};

/** Bytes of fixed-width or length-prefixed values, one after the other. */
abstract class BytesColumn implements NativeColumn {
  length = 0;
  protected readonly sink = new ByteSink(4096);

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

/** Unsigned integers of 1, 2 or 4 bytes; out of range is an error, never a wrapped value. */
export class IntegerColumn extends BytesColumn {
  private readonly bytes: 1 | 2 | 4;

  constructor(bytes: 1 | 2 | 4) {
    super();
    this.bytes = bytes;
  }

  push(value: number): void {
    if (!Number.isInteger(value) || value < 0 || value >= 2 ** (8 * this.bytes)) fault(`UInt${8 * this.bytes}`, value);
    const at = this.sink.reserve(this.bytes);
    for (let i = 0; i < this.bytes; i++) this.sink.bytes[at + i] = value >>> (8 * i);
    this.sink.length = at + this.bytes;
    this.length++;
  }
}

/** UInt64, as a bigint, a safe integer or two unsigned halves (the quick way). */
export class WideColumn extends BytesColumn {
  push(value: bigint | number): void {
    const wide = typeof value === 'bigint' ? value : BigInt(Number.isSafeInteger(value) ? value : fault('UInt64', value));
    if (wide < 0n || wide >= 1n << 64n) fault('UInt64', wide);
    this.pushHalves(Number(wide & 0xffffffffn), Number(wide >> 32n));
  }

  pushHalves(low: number, high: number): void {
    const at = this.sink.reserve(8);
    this.sink.bytes.writeUInt32LE(low, at);
    this.sink.bytes.writeUInt32LE(high, at + 4);
    this.sink.length = at + 8;
    this.length++;
  }
}

export class FloatColumn extends BytesColumn {
  push(value: number): void {
    if (typeof value !== 'number') fault('Float64', value);
    const at = this.sink.reserve(8);
    this.sink.bytes.writeDoubleLE(value, at);
    this.sink.length = at + 8;
    this.length++;
  }
}

/** DateTime64(3) out of Unix milliseconds: exact for every date a JavaScript clock can tell. */
export class MillisecondsColumn extends BytesColumn {
  push(value: number): void {
    if (!Number.isSafeInteger(value)) fault('DateTime64(3)', value);
    const high = Math.floor(value / 4_294_967_296);
    const at = this.sink.reserve(8);
    this.sink.bytes.writeUInt32LE(value - high * 4_294_967_296, at);
    this.sink.bytes.writeInt32LE(high, at + 4);
    this.sink.length = at + 8;
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
    for (const key of Object.keys(map)) {
      this.keys.push(key);
      this.values.push(map[key] as V);
    }
    this.ends.pushHalves(this.keys.length, 0);
    this.length++;
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
  UInt8: () => new IntegerColumn(1),
  UInt16: () => new IntegerColumn(2),
  UInt32: () => new IntegerColumn(4),
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
