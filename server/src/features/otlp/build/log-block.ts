import { type EncodedColumn, newColumn } from '#telemetry';
import { AnyValueWriter, MAX_BODY_BYTES, TYPE_LETTERS } from './any-value.ts';
import { AttributeMap } from './attribute-map.ts';
import type { BuildMessage } from './builder.ts';
import { column, Dictionary, FixedBytes, TextBytes } from './columns.ts';
import { Origin } from './origin.ts';
import type { RecordBlock } from './record-builder.ts';
import { fixed32At, msAt, type WireReader } from './wire-reader.ts';

/** Tags of LogRecord: number and wire type. */
const TIME = 9;
const SEVERITY = 16;
const SEVERITY_TEXT = 26;
const BODY = 42;
const ATTRIBUTE = 50;
const DROPPED = 56;
const FLAGS = 69;
const TRACE_ID = 74;
const SPAN_ID = 82;
const OBSERVED = 89;
const EVENT_NAME = 98;

const LAST_SEVERITY = 24;
const NS_PER_MS = 1_000_000n;
const LETTERS: ReadonlyMap<number, Buffer> = new Map(Object.values(TYPE_LETTERS).map((code) => [code, Buffer.from([code])]));

const isZero = (bytes: Buffer, at: number): boolean => fixed32At(bytes, at) === 0 && fixed32At(bytes, at + 4) === 0;

/** Where the parts of one log record lie in its message, -1 or empty where it has none. */
export class LogFacts {
  tsMs = 0;
  begin = 0;
  end = 0;
  textStart = 0;
  textEnd = 0;
  bodyStart = 0;
  bodyEnd = 0;
  traceStart = 0;
  traceEnd = 0;
  spanStart = 0;
  spanEnd = 0;
  eventStart = 0;
  eventEnd = 0;
  timeAt = -1;
  observedAt = -1;
  severity = 0;
  flags = 0;
  dropped = 0;
  /** Place within the message, out of time or not. */
  row = 0;
  /** Receive time as eight bytes of nanoseconds. */
  readonly received = Buffer.alloc(8);
  private message: BuildMessage | undefined;

  /** Reads the record up to `end`: all of it but its attributes. */
  read(reader: WireReader, end: number, message: BuildMessage): void {
    if (message !== this.message) this.beginMessage(message);
    else this.row++;
    this.begin = reader.at;
    this.end = end;
    this.textStart = this.textEnd = this.bodyStart = this.bodyEnd = this.traceStart = this.traceEnd = 0;
    this.spanStart = this.spanEnd = this.eventStart = this.eventEnd = 0;
    this.timeAt = this.observedAt = -1;
    this.severity = this.flags = this.dropped = 0;
    while (reader.at < end) this.readField(reader, end);
    const { bytes } = reader;
    // 0 is what OTLP calls unknown.
    if (this.timeAt >= 0 && isZero(bytes, this.timeAt)) this.timeAt = -1;
    if (this.observedAt >= 0 && isZero(bytes, this.observedAt)) this.observedAt = -1;
    const at = this.timeAt >= 0 ? this.timeAt : this.observedAt;
    this.tsMs = at >= 0 ? msAt(bytes, at) : message.at;
  }

  private beginMessage(message: BuildMessage): void {
    this.message = message;
    this.row = 0;
    this.received.writeBigUInt64LE(BigInt(message.at) * NS_PER_MS);
  }

  private readField(reader: WireReader, end: number): void {
    const tag = reader.varint();
    switch (tag) {
      case ATTRIBUTE:
        reader.at = reader.enter(end);
        break;
      case TIME:
        this.timeAt = reader.fixed(8, end);
        break;
      case OBSERVED:
        this.observedAt = reader.fixed(8, end);
        break;
      case SEVERITY:
        this.severity = reader.varint();
        break;
      case BODY:
        this.bodyEnd = reader.enter(end);
        this.bodyStart = reader.at;
        reader.at = this.bodyEnd;
        break;
      case SEVERITY_TEXT:
        this.textEnd = reader.enter(end);
        this.textStart = reader.at;
        reader.at = this.textEnd;
        break;
      case TRACE_ID:
        this.traceEnd = reader.enter(end);
        this.traceStart = reader.at;
        reader.at = this.traceEnd;
        break;
      case SPAN_ID:
        this.spanEnd = reader.enter(end);
        this.spanStart = reader.at;
        reader.at = this.spanEnd;
        break;
      case EVENT_NAME:
        this.eventEnd = reader.enter(end);
        this.eventStart = reader.at;
        reader.at = this.eventEnd;
        break;
      case FLAGS:
        this.flags = fixed32At(reader.bytes, reader.fixed(4, end));
        break;
      case DROPPED:
        this.dropped = reader.varint();
        break;
      default:
        reader.skip(tag, end);
    }
  }
}

/** Rows of `logs` (clickhouse/migrations/0007). */
export class LogBlock implements RecordBlock<LogFacts> {
  readonly table = 'logs';
  readonly origin = new Origin();
  private readonly ts = new FixedBytes(8);
  private readonly observed = new FixedBytes(8);
  private readonly traceId = new FixedBytes(16);
  private readonly spanId = new FixedBytes(8);
  private readonly flags = newColumn('UInt32');
  private readonly severity = newColumn('UInt8');
  private readonly severityText = new Dictionary();
  private readonly eventName = new Dictionary();
  private readonly body = new TextBytes();
  private readonly bodyType = new Dictionary();
  private readonly attributes = new AttributeMap();
  private readonly dropped = newColumn('UInt32');
  private readonly row = newColumn('UInt32');
  private readonly bodyWriter = new AnyValueWriter(MAX_BODY_BYTES);
  readonly columns = [
    ...this.origin.columns(),
    column('ts', 'DateTime64(9)', this.ts),
    column('observed_ts', 'DateTime64(9)', this.observed),
    column('trace_id', 'FixedString(16)', this.traceId),
    column('span_id', 'FixedString(8)', this.spanId),
    column('flags', 'UInt32', this.flags),
    column('severity', 'UInt8', this.severity),
    column('severity_text', 'LowCardinality(String)', this.severityText),
    column('event_name', 'LowCardinality(String)', this.eventName),
    column('body', 'String', this.body),
    column('body_type', 'LowCardinality(String)', this.bodyType),
    column('attributes', 'Map(LowCardinality(String), String)', this.attributes),
    column('attribute_types', 'LowCardinality(String)', this.attributes.types),
    column('dropped', 'UInt32', this.dropped),
    column('row', 'UInt32', this.row),
  ];

  add(reader: WireReader, facts: LogFacts): boolean {
    const { bytes, words } = reader;
    this.origin.addRow();
    this.pushTimes(reader, facts);
    this.traceId.addWords(words, facts.traceStart, facts.traceEnd);
    this.spanId.addWords(words, facts.spanStart, facts.spanEnd);
    this.flags.push(facts.flags);
    this.severity.push(facts.severity <= LAST_SEVERITY ? facts.severity : 0);
    this.severityText.add(bytes, facts.textStart, facts.textEnd);
    this.eventName.add(bytes, facts.eventStart, facts.eventEnd);
    this.pushBody(reader, facts);
    this.dropped.push(facts.dropped);
    this.row.push(facts.row);
    reader.at = facts.begin;
    while (reader.at < facts.end) {
      const tag = reader.varint();
      if (tag === ATTRIBUTE) this.attributes.add(reader, reader.enter(facts.end));
      else reader.skip(tag, facts.end);
    }
    return this.attributes.endRow();
  }

  filled(): readonly EncodedColumn[] {
    return this.origin.filled(this.columns);
  }

  private pushTimes({ bytes, words }: WireReader, { timeAt, observedAt, received }: LogFacts): void {
    if (timeAt >= 0) this.ts.addWords(words, timeAt, timeAt + 8);
    else if (observedAt >= 0) this.ts.add(bytes, observedAt, observedAt + 8);
    else this.ts.add(received, 0, 8);
    // The column is signed: beyond the year 2262 is no time.
    if (observedAt >= 0 && (bytes[observedAt + 7] as number) < 128) this.observed.addWords(words, observedAt, observedAt + 8);
    else this.observed.add(received, 0, 8);
  }

  private pushBody(reader: WireReader, { bodyStart, bodyEnd }: LogFacts): void {
    const { bodyWriter } = this;
    const cuts = bodyWriter.cuts;
    reader.at = bodyStart;
    const letter = bodyWriter.write(reader, bodyEnd, this.body.sink);
    this.body.added();
    this.bodyType.add(LETTERS.get(letter) as Buffer, 0, 1);
    if (bodyWriter.cuts > cuts) this.attributes.markCut();
  }

  reset(): void {
    this.origin.reset();
    for (const { values } of this.columns) values.reset();
  }
}
