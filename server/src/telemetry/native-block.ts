import type { ByteSink } from './byte-sink.ts';
import { LowCardinalityColumn } from './low-cardinality.ts';
import type { Block, Column, ColumnType } from './ports.ts';

type Encode = (sink: ByteSink, values: ArrayLike<unknown>) => void;
interface Encoder {
  /** Written before the rows; LowCardinality puts its version there, also when it is nested. */
  prefix?: (sink: ByteSink) => void;
  body: Encode;
}

const fault = (type: string, value: unknown): never => {
  throw new TypeError(`A column of ${type} cannot hold ${value === null ? 'null' : typeof value} ${String(value).slice(0, 40)}`);
};
const text = (value: unknown): string => (typeof value === 'string' ? value : fault('String', value));
const number = (value: unknown): number => (typeof value === 'number' ? value : fault('a number', value));

/** Unsigned integers below 2^32; out of range is an error, never a wrapped value. */
const integers =
  (View: Uint8ArrayConstructor | Uint16ArrayConstructor | Uint32ArrayConstructor): Encode =>
  (sink, values) => {
    if (values instanceof View) return sink.raw(values);
    const max = 2 ** (8 * View.BYTES_PER_ELEMENT) - 1;
    const array = new View(values.length);
    for (let i = 0; i < values.length; i++) {
      const value = number(values[i]);
      if (!Number.isInteger(value) || value < 0 || value > max) fault(`UInt${8 * View.BYTES_PER_ELEMENT}`, value);
      array[i] = value;
    }
    sink.raw(array);
  };

const uint64: Encode = (sink, values) => {
  if (values instanceof BigUint64Array) return sink.raw(values);
  const array = new BigUint64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    array[i] = typeof value === 'bigint' ? value : BigInt(number(value));
  }
  sink.raw(array);
};

const float64: Encode = (sink, values) => {
  sink.raw(values instanceof Float64Array ? values : Float64Array.from({ length: values.length }, (_, i) => number(values[i])));
};

/** Signed 64-bit milliseconds out of doubles: exact for every date a JavaScript clock can tell. */
const milliseconds: Encode = (sink, values) => {
  const halves = new Int32Array(values.length * 2);
  for (let i = 0; i < values.length; i++) {
    const value = number(values[i]);
    if (!Number.isSafeInteger(value)) fault('DateTime64(3)', value);
    const high = Math.floor(value / 4_294_967_296);
    halves[2 * i] = value - high * 4_294_967_296;
    halves[2 * i + 1] = high;
  }
  sink.raw(halves);
};

const strings: Encode = (sink, values) => {
  for (let i = 0; i < values.length; i++) sink.string(text(values[i]));
};

const UUID_TEXT = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
/** Where the pairs of hex digits of a text UUID lie, in ClickHouse's order: two little-endian halves. */
const UUID_PAIRS = [16, 14, 11, 9, 6, 4, 2, 0, 34, 32, 30, 28, 26, 24, 21, 19] as const;
const hexDigit = (code: number): number => (code <= 57 ? code - 48 : (code | 32) - 87);

const uuids: Encode = (sink, values) => {
  for (let i = 0; i < values.length; i++) {
    const value = text(values[i]);
    if (!UUID_TEXT.test(value)) fault('UUID', value);
    let at = sink.reserve(16);
    for (const pair of UUID_PAIRS) {
      sink.bytes[at++] = (hexDigit(value.charCodeAt(pair)) << 4) | hexDigit(value.charCodeAt(pair + 1));
    }
    sink.length = at;
  }
};

const lowCardinality: Encoder = {
  prefix: (sink) => sink.uint64(1),
  body: (sink, values) => {
    const column = new LowCardinalityColumn();
    for (let i = 0; i < values.length; i++) column.push(text(values[i]));
    column.writeBody(sink);
  },
};

/** Cumulative offsets, then all keys, then all values in the order of `Object.keys`. */
const mapOf = (encodeValues: Encode): Encoder => ({
  prefix: (sink) => sink.uint64(1),
  body: (sink, rows) => {
    const offsets = new BigUint64Array(rows.length);
    const low = new Uint32Array(offsets.buffer);
    const keys = new LowCardinalityColumn();
    const values: unknown[] = [];
    for (let i = 0; i < rows.length; i++) {
      const map = rows[i] as Record<string, unknown>;
      if (typeof map !== 'object' || map === null) fault('Map', map);
      for (const key in map) {
        keys.push(key);
        values.push(map[key]);
      }
      low[2 * i] = values.length;
    }
    sink.raw(offsets);
    keys.writeBody(sink);
    encodeValues(sink, values);
  },
});

const ENCODERS: Readonly<Record<ColumnType, Encoder>> = {
  String: { body: strings },
  'LowCardinality(String)': lowCardinality,
  UInt8: { body: integers(Uint8Array) },
  UInt16: { body: integers(Uint16Array) },
  UInt32: { body: integers(Uint32Array) },
  UInt64: { body: uint64 },
  Float64: { body: float64 },
  UUID: { body: uuids },
  'DateTime64(3)': { body: milliseconds },
  'Map(LowCardinality(String), String)': mapOf(strings),
  'Map(LowCardinality(String), Float64)': mapOf(float64),
};

function writeColumn(sink: ByteSink, column: Column): void {
  const encoder = ENCODERS[column.type];
  sink.string(column.name);
  sink.string(column.type);
  encoder.prefix?.(sink);
  encoder.body(sink, column.values);
}

/** Appends one block in ClickHouse's Native format. TypeError for a value that its column cannot hold. */
export function encodeBlock(sink: ByteSink, block: Block): void {
  sink.varint(block.columns.length);
  sink.varint(block.rows);
  for (const column of block.columns) {
    if (column.values.length !== block.rows)
      throw new TypeError(`Column ${column.name} has ${column.values.length} values for ${block.rows} rows`);
    writeColumn(sink, column);
  }
}
