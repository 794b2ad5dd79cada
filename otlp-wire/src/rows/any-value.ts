import type { ByteSink } from '@svc/bytes';
import {
  ANY_VALUE_ARRAY_VALUE as ARRAY,
  ANY_VALUE_BOOL_VALUE as BOOL,
  ANY_VALUE_BYTES_VALUE as BYTES,
  ANY_VALUE_DOUBLE_VALUE as DOUBLE,
  ANY_VALUE_INT_VALUE as INT,
  ARRAY_VALUE_VALUES as ITEM,
  KEY_VALUE_KEY as KEY,
  ANY_VALUE_KVLIST_VALUE as MAP,
  ANY_VALUE_STRING_VALUE as STRING,
  KEY_VALUE_VALUE as VALUE,
} from '../generated/tags.ts';
import { BuildFault, WireReader } from './wire-reader.ts';

/** Letters of `*_types` (docs/adr/otlp/0010), as character codes. */
export const TYPE_LETTERS = { text: 115, bool: 98, int: 105, double: 100, bytes: 121, array: 97, map: 109, empty: 110 } as const;

/** Bounds in bytes (docs/limits.md). */
export const MAX_VALUE_BYTES = 4096;
export const MAX_BODY_BYTES = 65_536;

const MAX_DEPTH = 70;

const MAX_CHARACTER_BYTES = 4;
const MAX_INT = 2_147_483_648;
const ZERO = 48;
const POINT = 46;

const doubleText = (value: number): string => (value === 0 && 1 / value < 0 ? '-0' : String(value));

/** An entry of a String column: `value`, whole and below 2^31, with its last `decimals` digits behind a point. */
function writeDigits(value: number, decimals: number, sink: ByteSink): void {
  let digits = decimals + 1;
  for (let limit = 10 ** digits; limit <= value; limit *= 10) digits++;
  const size = decimals > 0 ? digits + 1 : digits;
  const at = sink.reserve(size + 1);
  const { bytes } = sink;
  bytes[at] = size;
  let rest = value;
  for (let i = at + size; i > at; i--) {
    if (decimals > 0 && i === at + size - decimals) {
      bytes[i] = POINT;
      continue;
    }
    const tenth = Math.trunc(rest / 10);
    bytes[i] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  sink.length = at + size + 1;
}

/**
 * An entry of a String column: the shortest text of a double. With at most two decimals, as most are, it is written without one: so few
 * digits have no shorter text that means the same double.
 */
function writeDouble(value: number, sink: ByteSink): void {
  const hundredths = Math.round(value * 100);
  if (!(value > 0) || hundredths >= MAX_INT || hundredths / 100 !== value) sink.string(doubleText(value));
  else if (hundredths % 100 === 0) writeDigits(hundredths / 100, 0, sink);
  else if (hundredths % 10 === 0) writeDigits(hundredths / 10, 1, sink);
  else writeDigits(hundredths, 2, sink);
}

/** The end of at most `max` bytes from `start`, not within a character. */
export function cutText(bytes: Buffer, start: number, max: number): number {
  let end = start + max;
  while (end > start && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return end;
}

/** Steps over an AnyValue; gives where the field that counts begins with its tag (the last one wins), -1 when there is none. */
function lastField(reader: WireReader, end: number): number {
  let found = -1;
  while (reader.at < end) {
    const begin = reader.at;
    const tag = reader.varint();
    reader.skip(tag, end);
    if (tag === STRING || tag === BOOL || tag === INT || tag === DOUBLE || tag === ARRAY || tag === MAP || tag === BYTES)
      found = begin;
  }
  return found;
}

/** Keys that a reader of JSON gives back in another order than they stood in. */
const MOVED_KEY = /^(0|[1-9]\d{0,9})$/;
const MARKERS: ReadonlySet<string> = new Set(['bytesValue', 'doubleValue', 'kvlistValue']);

interface Entry {
  key: string;
  json: string;
}

/** How deep a value is nested, and after how many bytes its text is cut: what follows then is not read. */
interface Nesting {
  depth: number;
  most: number;
}

const OUTERMOST: Nesting = { depth: 0, most: Number.POSITIVE_INFINITY };

function readEntry(reader: WireReader, end: number, nesting: Nesting): Entry {
  let key = '';
  let json = 'null';
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === KEY) {
      const stop = reader.enter(end);
      key = reader.bytes.toString('utf8', reader.at, stop);
      reader.at = stop;
    } else if (tag === VALUE) json = jsonOf(reader, reader.enter(end), nesting);
    else reader.skip(tag, end);
  }
  return { key, json };
}

function readItems<T>(reader: WireReader, end: number, { most, read, sizeOf }: ItemsOf<T>): T[] {
  const items: T[] = [];
  let size = 0;
  while (reader.at < end && size <= most) {
    const tag = reader.varint();
    if (tag !== ITEM) {
      reader.skip(tag, end);
      continue;
    }
    const item = read(reader.enter(end));
    size += sizeOf(item);
    items.push(item);
  }
  return items;
}

interface ItemsOf<T> {
  most: number;
  read: (end: number) => T;
  sizeOf: (item: T) => number;
}

/** An object; a list that one would not give back, or that looks like a marker, is written out. */
function jsonOfList(entries: readonly Entry[]): string {
  const pairs = entries.map(({ key, json }) => `${JSON.stringify(key)}:${json}`);
  const keys = new Set(entries.map(({ key }) => key));
  const isObject = keys.size === entries.length && !entries.some(({ key }) => MOVED_KEY.test(key));
  const isMarker = entries.length === 1 && MARKERS.has(entries[0]?.key ?? '');
  if (isObject && !isMarker) return `{${pairs.join(',')}}`;
  return `{"kvlistValue":[${entries.map(({ key, json }) => `{"key":${JSON.stringify(key)},"value":${json}}`).join(',')}]}`;
}

function jsonOfDouble(value: number): string {
  if (!Number.isFinite(value)) return `{"doubleValue":"${value}"}`;
  const text = doubleText(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/**
 * JSON of the AnyValue up to `end`, which is then read, and of which traces/domain/otlp-values.ts makes the same AnyValue again. Integers
 * keep all their digits, doubles have a point or an exponent. What JSON has nothing for is an object of one key, named as in OTLP JSON:
 * `bytesValue` (base64), `doubleValue` (NaN, Infinity), `kvlistValue` (a list whose keys come twice, or are numbers).
 */
export function jsonOf(reader: WireReader, end: number, nesting = OUTERMOST): string {
  if (nesting.depth > MAX_DEPTH) throw new BuildFault('A value is nested too deeply.');
  const field = lastField(reader, end);
  if (field < 0) return 'null';
  reader.at = field;
  const json = jsonOfField(reader, end, nesting);
  reader.at = end;
  return json;
}

function jsonOfField(reader: WireReader, end: number, { depth, most }: Nesting): string {
  const tag = reader.varint();
  if (tag === BOOL) return reader.varint() === 0 ? 'false' : 'true';
  if (tag === INT) return reader.decimal();
  if (tag === DOUBLE) return jsonOfDouble(reader.bytes.readDoubleLE(reader.fixed(8, end)));
  const stop = reader.enter(end);
  // A character that is cut here lies behind the text's own cut.
  const until = Math.min(stop, reader.at + most + MAX_CHARACTER_BYTES);
  if (tag === STRING) return JSON.stringify(reader.bytes.toString('utf8', reader.at, until));
  if (tag === BYTES) return `{"bytesValue":"${reader.bytes.toString('base64', reader.at, until)}"}`;
  const inner = { depth: depth + 1, most };
  if (tag === ARRAY) {
    const read = (itemEnd: number): string => jsonOf(reader, itemEnd, inner);
    return `[${readItems(reader, stop, { most, read, sizeOf: ({ length }) => length }).join(',')}]`;
  }
  const read = (itemEnd: number): Entry => readEntry(reader, itemEnd, inner);
  return jsonOfList(readItems(reader, stop, { most, read, sizeOf: ({ key, json }) => key.length + json.length }));
}

/** Writes AnyValues as entries of a String column (length, then UTF-8), cut at `maxBytes`; counts the cuts. */
export class AnyValueWriter {
  cuts = 0;
  private readonly maxBytes: number;
  private readonly json = new WireReader();

  constructor(maxBytes = MAX_VALUE_BYTES) {
    this.maxBytes = maxBytes;
  }

  /** The AnyValue up to `end`, which is then read; gives its letter. */
  write(reader: WireReader, end: number, sink: ByteSink): number {
    const { bytes, at } = reader;
    // One text and nothing after it is what nearly every value is; a short one lies there as the column wants it.
    if (at < end && bytes[at] === STRING) {
      const length = bytes[at + 1] as number;
      if (length < 128 && length <= this.maxBytes && at + 2 + length === end) {
        sink.copyWords(reader.words, at + 1, end);
        reader.at = end;
        return TYPE_LETTERS.text;
      }
      reader.at = at + 1;
      if (reader.enter(end) === end) {
        this.writeText(reader, end, sink);
        reader.at = end;
        return TYPE_LETTERS.text;
      }
      reader.at = at;
    }
    if (end - at <= 5 && end - at >= 2 && this.writeSmallInteger(reader, end, sink)) return TYPE_LETTERS.int;
    const field = lastField(reader, end);
    if (field < 0) {
      sink.uint8(0);
      return TYPE_LETTERS.empty;
    }
    reader.at = field;
    const letter = this.writeField(reader, end, sink);
    reader.at = end;
    return letter;
  }

  /** An integer of up to four bytes and nothing after it, written without a text; false, and nothing done, for anything else. */
  private writeSmallInteger(reader: WireReader, end: number, sink: ByteSink): boolean {
    const { bytes, at } = reader;
    if (bytes[at] !== INT) return false;
    let value = 0;
    for (let i = at + 1; i < end; i++) value |= ((bytes[i] as number) & 127) << (7 * (i - at - 1));
    // The last byte, and no other, ends the varint.
    for (let i = at + 1; i < end; i++) if ((bytes[i] as number) > 127 !== i < end - 1) return false;
    writeDigits(value, 0, sink);
    reader.at = end;
    return true;
  }

  private writeField(reader: WireReader, end: number, sink: ByteSink): number {
    const begin = reader.at;
    const tag = reader.varint();
    switch (tag) {
      case INT:
        sink.string(reader.decimal());
        return TYPE_LETTERS.int;
      case BOOL:
        sink.string(reader.varint() === 0 ? 'false' : 'true');
        return TYPE_LETTERS.bool;
      case DOUBLE:
        writeDouble(reader.bytes.readDoubleLE(reader.fixed(8, end)), sink);
        return TYPE_LETTERS.double;
      case STRING: {
        const stop = reader.enter(end);
        this.writeText(reader, stop, sink);
        return TYPE_LETTERS.text;
      }
      case BYTES:
        this.writeBase64(reader, end, sink);
        return TYPE_LETTERS.bytes;
    }
    reader.at = begin;
    const json = Buffer.from(jsonOf(reader, end, { depth: 0, most: this.maxBytes }));
    const cuts = this.cuts;
    this.json.open(json);
    this.writeText(this.json, json.length, sink);
    // What is left of JSON that was cut is text.
    if (this.cuts > cuts) return TYPE_LETTERS.text;
    return tag === ARRAY ? TYPE_LETTERS.array : TYPE_LETTERS.map;
  }

  private writeBase64(reader: WireReader, end: number, sink: ByteSink): void {
    const stop = reader.enter(end);
    // Three bytes make four characters: a cut here is still base64.
    const cutAt = reader.at + Math.floor(this.maxBytes / 4) * 3;
    if (stop > cutAt) this.cuts++;
    sink.string(reader.bytes.toString('base64', reader.at, Math.min(stop, cutAt)));
  }

  private writeText({ bytes, at: start }: WireReader, stop: number, sink: ByteSink): void {
    let end = stop;
    if (stop - start > this.maxBytes) {
      end = cutText(bytes, start, this.maxBytes);
      this.cuts++;
    }
    sink.varint(end - start);
    sink.copy(bytes, start, end);
  }
}
