import { type EncodedColumn, newColumn } from '#telemetry';
import { AttributeMap } from './attribute-map.ts';
import { ArrayColumn, column, Dictionary, FixedBytes, RowEnds, TextBytes } from './columns.ts';
import { HotAttributes } from './hot-attributes.ts';
import { Origin } from './origin.ts';
import type { RecordBlock } from './record-builder.ts';
import { EVENT_DROPPED, SpanExtras } from './span-extras.ts';
import { ATTRIBUTE, EVENT, LINK, type SpanFacts } from './span-facts.ts';
import { fixed32At, type WireReader } from './wire-reader.ts';

/** Tags of Event. */
const EVENT_TIME = 9;
const EVENT_NAME = 18;
const EVENT_ATTRIBUTE = 26;

const LAST_KIND = 5;
const LAST_STATUS = 2;
const HALF = 4_294_967_296;

/** Rows of `spans` (clickhouse/migrations/0006, 0011 and 0015). */
export class SpanBlock implements RecordBlock<SpanFacts> {
  readonly table = 'spans';
  readonly origin = new Origin();
  private readonly ts = new FixedBytes(8);
  private readonly duration = newColumn('UInt64');
  private readonly traceId = new FixedBytes(16);
  private readonly spanId = new FixedBytes(8);
  private readonly parentId = new FixedBytes(8);
  private readonly traceState = new TextBytes();
  private readonly flags = newColumn('UInt32');
  private readonly name = new Dictionary();
  private readonly kind = newColumn('UInt8');
  private readonly attributes = new AttributeMap();
  private readonly hot = new HotAttributes(this.attributes);
  private readonly status = newColumn('UInt8');
  private readonly statusMessage = new TextBytes();
  private readonly eventEnds = new RowEnds();
  private readonly eventTs = new FixedBytes(8);
  private readonly eventNames = new Dictionary();
  private readonly eventAttributes = new AttributeMap();
  private readonly extras = new SpanExtras();
  /** The open row has a link, or one of its events lacks attributes. */
  private hasMore = false;
  readonly columns = [
    ...this.origin.columns(),
    ...this.hot.columns(),
    column('ts', 'DateTime64(9)', this.ts),
    column('duration_ns', 'UInt64', this.duration),
    column('trace_id', 'FixedString(16)', this.traceId),
    column('span_id', 'FixedString(8)', this.spanId),
    column('parent_id', 'FixedString(8)', this.parentId),
    column('trace_state', 'String', this.traceState),
    column('flags', 'UInt32', this.flags),
    column('name', 'LowCardinality(String)', this.name),
    column('kind', 'UInt8', this.kind),
    column('attributes', 'Map(LowCardinality(String), String)', this.attributes),
    column('attribute_types', 'LowCardinality(String)', this.attributes.types),
    column('status', 'UInt8', this.status),
    column('status_message', 'String', this.statusMessage),
    column('event_ts', 'Array(DateTime64(9))', new ArrayColumn(this.eventTs, this.eventEnds)),
    column('event_names', 'Array(LowCardinality(String))', new ArrayColumn(this.eventNames, this.eventEnds)),
    column(
      'event_attributes',
      'Array(Map(LowCardinality(String), String))',
      new ArrayColumn(this.eventAttributes, this.eventEnds),
    ),
    column('event_attribute_types', 'Array(LowCardinality(String))', new ArrayColumn(this.eventAttributes.types, this.eventEnds)),
    column('extras', 'String', this.extras),
  ];

  add(reader: WireReader, facts: SpanFacts): boolean {
    const { bytes, words } = reader;
    this.origin.addRow();
    this.ts.addWords(words, facts.startAt, facts.startAt + 8);
    this.pushDuration(bytes, facts);
    this.traceId.addWords(words, facts.traceStart, facts.traceEnd);
    this.spanId.addWords(words, facts.spanStart, facts.spanEnd);
    this.parentId.addWords(words, facts.parentStart, facts.parentEnd);
    this.traceState.add(bytes, facts.stateStart, facts.stateEnd);
    this.flags.push(facts.flags);
    this.name.add(bytes, facts.nameStart, facts.nameEnd);
    const kind = facts.kind <= LAST_KIND ? facts.kind : 0;
    this.kind.push(kind);
    this.status.push(facts.status <= LAST_STATUS ? facts.status : 0);
    this.statusMessage.add(bytes, facts.messageStart, facts.messageEnd);
    const cut = this.addLists(reader, facts);
    this.hot.endRow(kind);
    const cutAttributes = this.attributes.endRow();
    this.eventEnds.end(this.eventNames.length);
    const cutLinks = this.addExtras(reader, facts);
    return cut || cutAttributes || cutLinks;
  }

  private pushDuration(bytes: Buffer, { startAt, endAt }: SpanFacts): void {
    if (endAt < 0) {
      this.duration.pushHalves(0, 0);
      return;
    }
    let low = fixed32At(bytes, endAt) - fixed32At(bytes, startAt);
    let high = fixed32At(bytes, endAt + 4) - fixed32At(bytes, startAt + 4);
    if (low < 0) {
      low += HALF;
      high--;
    }
    // A span that ends before it begins lasted 0.
    if (high < 0) this.duration.pushHalves(0, 0);
    else this.duration.pushHalves(low, high);
  }

  private addExtras(reader: WireReader, facts: SpanFacts): boolean {
    const { hasMore } = this;
    this.hasMore = false;
    if (hasMore || facts.droppedAttributes + facts.droppedEvents + facts.droppedLinks > 0)
      return this.extras.addOf(reader, facts);
    this.extras.addNothing();
    return false;
  }

  filled(): readonly EncodedColumn[] {
    const columns = this.origin.filled(this.columns);
    return this.extras.hasAny ? columns : columns.filter(({ values }) => values !== this.extras);
  }

  /** Attributes and events; true when something of an event was cut. */
  private addLists(reader: WireReader, { begin, end }: SpanFacts): boolean {
    let cut = false;
    reader.at = begin;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === ATTRIBUTE) this.hot.note(this.attributes.add(reader, reader.enter(end)));
      else if (tag === EVENT) cut = this.addEvent(reader, reader.enter(end)) || cut;
      else {
        if (tag === LINK) this.hasMore = true;
        reader.skip(tag, end);
      }
    }
    return cut;
  }

  private addEvent(reader: WireReader, end: number): boolean {
    const { bytes } = reader;
    let timeAt = -1;
    let name = 0;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === EVENT_TIME) timeAt = reader.fixed(8, end);
      else if (tag === EVENT_ATTRIBUTE) this.eventAttributes.add(reader, reader.enter(end));
      else if (tag === EVENT_NAME) {
        const stop = reader.enter(end);
        name = this.eventNames.intern(bytes, reader.at, stop);
        reader.at = stop;
      } else if (tag === EVENT_DROPPED) this.hasMore = reader.varint() > 0 || this.hasMore;
      else reader.skip(tag, end);
    }
    // The column is signed: beyond the year 2262 is no time.
    if (timeAt < 0 || (bytes[timeAt + 7] as number) > 127) this.eventTs.addZeros();
    else this.eventTs.add(bytes, timeAt, timeAt + 8);
    this.eventNames.push(name);
    return this.eventAttributes.endRow();
  }

  reset(): void {
    this.origin.reset();
    this.hot.reset();
    this.hasMore = false;
    for (const { values } of this.columns) values.reset();
  }
}
