import { ByteSink, type NativeColumn } from '@svc/bytes';
import { KEY_VALUE_KEY as KEY, KEY_VALUE_VALUE as VALUE } from '../generated/tags.ts';
import { AnyValueWriter, TYPE_LETTERS } from './any-value.ts';
import { RowEnds, TextBytes } from './columns.ts';
import { Dictionary } from './dictionary.ts';
import { WireReader } from './wire-reader.ts';

/** Attributes of a record (docs/limits.md). */
export const MAX_ATTRIBUTES = 128;

const TENANT_KEY = Buffer.from('svc.tenant.id');
const TRUNCATED_KEY = Buffer.from('svc.truncated');
const TRUE = Buffer.from('true');

/** Of an entry of a row, which is an id of a key and one of a value, and of the end of a row. */
const ENTRY_BYTES = 8;
const END_BYTES = 8;

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
 * Map(LowCardinality(String), String) of attributes beside the column of their types: one letter for each entry (docs/adr/otlp/0010).
 * Entries of the open row are added one by one, then `endRow` applies the mark of what was cut. For exemplars, which are few; those of spans
 * and log records are in otlp-wire/assembly/rows/attributes.ts.
 */
export class AttributeMap implements NativeColumn {
  readonly types = new Dictionary();
  readonly keys = new Dictionary();
  private readonly values = new TextBytes();
  private readonly ends = new RowEnds();
  private readonly writer: AnyValueWriter;
  private readonly letters = Buffer.alloc(MAX_ATTRIBUTES + 1);
  private count = 0;
  private cut = false;

  constructor(writer = new AnyValueWriter()) {
    this.writer = writer;
  }

  get length(): number {
    return this.ends.length;
  }

  /** What the rows hold. */
  get bytes(): number {
    return this.keys.bytes + this.values.sink.length + this.types.bytes + this.ends.length * END_BYTES;
  }

  /** The KeyValue up to `end`; beyond the bound it is left out and the row marked. */
  add(reader: WireReader, end: number): void {
    readKeyValue(reader, end);
    const at = this.count;
    if (at >= MAX_ATTRIBUTES) {
      this.cut = true;
      reader.at = end;
      return;
    }
    this.keys.add(reader.bytes, entry.keyStart, entry.keyEnd);
    const { writer } = this;
    const cuts = writer.cuts;
    reader.at = entry.valueStart;
    this.letters[at] = writer.write(reader, entry.valueEnd, this.values.sink);
    reader.at = end;
    if (writer.cuts > cuts) this.cut = true;
    this.values.added();
    this.count = at + 1;
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

const isTenantKey = ({ bytes }: WireReader): boolean =>
  entry.keyEnd - entry.keyStart === TENANT_KEY.length &&
  bytes.compare(TENANT_KEY, 0, TENANT_KEY.length, entry.keyStart, entry.keyEnd) === 0;

/** Attributes of a resource, the receiver's own stamp of the tenant, and the mark of what was cut. */
const MAX_RESOURCE_ENTRIES = MAX_ATTRIBUTES + 2;

/** Map(LowCardinality(String), LowCardinality(String)) of resources: interned once, then repeated for each record of the resource. */
export class ResourceMap implements NativeColumn {
  readonly types = new Dictionary();
  private readonly keys = new Dictionary();
  private readonly values = new Dictionary();
  private readonly ends = new RowEnds();
  private readonly writer = new AnyValueWriter();
  private readonly scratch = new ByteSink(1024);
  private readonly written = new WireReader();
  private readonly letters = Buffer.alloc(MAX_RESOURCE_ENTRIES);
  private readonly keyIds = new Int32Array(MAX_RESOURCE_ENTRIES);
  private readonly valueIds = new Int32Array(MAX_RESOURCE_ENTRIES);
  private count = 0;
  /** Of `count`: 1 once the tenant is there, which takes no sender's place. */
  private tenants = 0;
  private typesId = 0;
  private cut = false;

  get length(): number {
    return this.ends.length;
  }

  /** What the rows hold. */
  get bytes(): number {
    return this.keys.bytes + this.values.bytes + this.types.bytes + this.ends.length * END_BYTES;
  }

  /** What one more row of this resource takes. */
  get rowBytes(): number {
    return this.count * ENTRY_BYTES + END_BYTES;
  }

  /** The resource of the rows to come is empty. */
  begin(): void {
    this.count = this.tenants = 0;
    this.cut = false;
  }

  /**
   * The KeyValue of the resource up to `end`, which is then read; `entry` says where its parts lie. False when it is beyond the bound.
   */
  add(reader: WireReader, end: number): boolean {
    readKeyValue(reader, end);
    const at = this.count;
    const isTenant = this.tenants === 0 && isTenantKey(reader);
    if (!isTenant && at - this.tenants >= MAX_ATTRIBUTES) {
      this.cut = true;
      reader.at = end;
      return false;
    }
    if (isTenant) this.tenants = 1;
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
