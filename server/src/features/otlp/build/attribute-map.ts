import { ByteSink, type NativeColumn } from '#telemetry';
import { AnyValueWriter, TYPE_LETTERS } from './any-value.ts';
import { Dictionary, RowEnds, TextBytes } from './columns.ts';
import { WireReader } from './wire-reader.ts';

/** Bound of decisions.md: attributes a record. */
export const MAX_ATTRIBUTES = 128;

const KEY = 10;
const VALUE = 18;

const TRUNCATED_KEY = Buffer.from('svc.truncated');
const TRUE = Buffer.from('true');
/** Places of a record whose last key is remembered: instrumented services send the same keys in the same order. */
const GUESSES = 64;

/** Where the parts of the last KeyValue lie that `readKeyValue` read. */
export const entry = { keyStart: 0, keyEnd: 0, valueStart: 0, valueEnd: 0 };

/** The way nearly every KeyValue is written: a short key, then the value and nothing after it. */
function readPlain(reader: WireReader, end: number): boolean {
  const { bytes, at } = reader;
  const size = bytes[at + 1] as number;
  const keyEnd = at + 2 + size;
  if (bytes[at] !== KEY || size > 127 || keyEnd >= end || bytes[keyEnd] !== VALUE) return false;
  reader.at = keyEnd + 1;
  if (reader.enter(end) !== end) {
    reader.at = at;
    return false;
  }
  entry.keyStart = at + 2;
  entry.keyEnd = keyEnd;
  entry.valueStart = reader.at;
  entry.valueEnd = end;
  return true;
}

/** Reads a KeyValue up to `end` into `entry`; an absent part is empty. */
export function readKeyValue(reader: WireReader, end: number): void {
  if (readPlain(reader, end)) return;
  entry.keyStart = entry.keyEnd = entry.valueStart = entry.valueEnd = end;
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === KEY) {
      entry.keyEnd = reader.enter(end);
      entry.keyStart = reader.at;
      reader.at = entry.keyEnd;
    } else if (tag === VALUE) {
      entry.valueEnd = reader.enter(end);
      entry.valueStart = reader.at;
      reader.at = entry.valueEnd;
    } else reader.skip(tag, end);
  }
}

/**
 * Map(LowCardinality(String), String) of attributes beside the column of their types: one letter for each entry (docs/adr/0006).
 * Entries of the open row are added one by one, then `endRow` applies the mark of what was cut.
 */
export class AttributeMap implements NativeColumn {
  readonly types = new Dictionary();
  readonly keys = new Dictionary();
  readonly values = new TextBytes();
  /** Where the value that was added last begins in `values`, its length first. */
  valueAt = 0;
  private readonly ends = new RowEnds();
  private readonly writer: AnyValueWriter;
  private readonly guesses = new Int32Array(GUESSES);
  private readonly letters = Buffer.alloc(MAX_ATTRIBUTES + 1);
  private count = 0;
  private cut = false;

  constructor(writer = new AnyValueWriter()) {
    this.writer = writer;
  }

  get length(): number {
    return this.ends.length;
  }

  /** The KeyValue up to `end`; gives the id of its key, or -1 where it is beyond the bound: left out and the row marked. */
  add(reader: WireReader, end: number): number {
    readKeyValue(reader, end);
    const at = this.count;
    if (at >= MAX_ATTRIBUTES) {
      this.cut = true;
      return -1;
    }
    const key = this.internKey(reader, at);
    this.keys.push(key);
    const { writer } = this;
    const cuts = writer.cuts;
    this.valueAt = this.values.sink.length;
    reader.at = entry.valueStart;
    this.letters[at] = writer.write(reader, entry.valueEnd, this.values.sink);
    reader.at = end;
    if (writer.cuts > cuts) this.cut = true;
    this.values.added();
    this.count = at + 1;
    return key;
  }

  private internKey({ bytes, words }: WireReader, at: number): number {
    const { keys } = this;
    if (at >= GUESSES) return keys.intern(bytes, entry.keyStart, entry.keyEnd);
    keys.hint = this.guesses[at] as number;
    if (keys.isHint(words, entry.keyStart, entry.keyEnd)) return keys.hint;
    const key = keys.intern(bytes, entry.keyStart, entry.keyEnd);
    this.guesses[at] = key;
    return key;
  }

  /** Marks the open row as cut, for what was cut elsewhere in its record. */
  markCut(): void {
    this.cut = true;
  }

  /** Ends the row; true when something of it was cut. */
  endRow(): boolean {
    const { cut } = this;
    if (cut) {
      this.keys.add(TRUNCATED_KEY, 0, TRUNCATED_KEY.length);
      this.values.add(TRUE, 0, TRUE.length);
      this.letters[this.count++] = TYPE_LETTERS.bool;
      this.cut = false;
    }
    this.ends.end(this.keys.length);
    this.types.add(this.letters, 0, this.count);
    this.count = 0;
    return cut;
  }

  reset(): void {
    for (const part of [this.types, this.keys, this.values, this.ends]) part.reset();
    this.guesses.fill(0);
    this.count = 0;
    this.cut = false;
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

/** Map(LowCardinality(String), LowCardinality(String)) of resources: interned once, then repeated for each record of the resource. */
export class ResourceMap implements NativeColumn {
  readonly types = new Dictionary();
  private readonly keys = new Dictionary();
  private readonly values = new Dictionary();
  private readonly ends = new RowEnds();
  private readonly writer = new AnyValueWriter();
  private readonly scratch = new ByteSink(1024);
  private readonly written = new WireReader();
  private readonly letters = Buffer.alloc(MAX_ATTRIBUTES + 1);
  private readonly keyIds = new Int32Array(MAX_ATTRIBUTES + 1);
  private readonly valueIds = new Int32Array(MAX_ATTRIBUTES + 1);
  private count = 0;
  private typesId = 0;
  private cut = false;

  get length(): number {
    return this.ends.length;
  }

  /** The resource of the rows to come is empty. */
  begin(): void {
    this.count = 0;
    this.cut = false;
  }

  /** The KeyValue of the resource up to `end`; `entry` then tells where its parts lie. False when it is beyond the bound. */
  add(reader: WireReader, end: number): boolean {
    readKeyValue(reader, end);
    const at = this.count;
    if (at >= MAX_ATTRIBUTES) {
      this.cut = true;
      return false;
    }
    this.keyIds[at] = this.keys.intern(reader.bytes, entry.keyStart, entry.keyEnd);
    const { writer, scratch } = this;
    const cuts = writer.cuts;
    scratch.reset();
    reader.at = entry.valueStart;
    this.letters[at] = writer.write(reader, entry.valueEnd, scratch);
    reader.at = end;
    if (writer.cuts > cuts) this.cut = true;
    // Behind its length.
    this.written.open(scratch.bytes);
    this.written.varint();
    this.valueIds[at] = this.values.intern(scratch.bytes, this.written.at, scratch.length);
    this.count = at + 1;
    return true;
  }

  /** Where the text of the value lies that was added last. */
  lastValue(): { bytes: Buffer; start: number; end: number } {
    return { bytes: this.scratch.bytes, start: this.written.at, end: this.scratch.length };
  }

  /** The resource is complete; true when something of it was cut. */
  complete(): boolean {
    const { cut } = this;
    if (cut) {
      const at = this.count++;
      this.keyIds[at] = this.keys.intern(TRUNCATED_KEY, 0, TRUNCATED_KEY.length);
      this.valueIds[at] = this.values.intern(TRUE, 0, TRUE.length);
      this.letters[at] = TYPE_LETTERS.bool;
    }
    this.typesId = this.types.intern(this.letters, 0, this.count);
    return cut;
  }

  /** So many more rows of this resource. */
  addRows(rows: number): void {
    const { keys, values, keyIds, valueIds, count, ends } = this;
    let end = keys.length;
    keys.pushRuns(keyIds.subarray(0, count), rows);
    values.pushRuns(valueIds.subarray(0, count), rows);
    for (let row = 0; row < rows; row++) {
      end += count;
      ends.end(end);
    }
    this.types.pushRun(this.typesId, rows);
  }

  reset(): void {
    for (const part of [this.types, this.keys, this.values, this.ends]) part.reset();
    this.begin();
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
