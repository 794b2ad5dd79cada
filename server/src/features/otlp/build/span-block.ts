import { type EncodedColumn, newColumn } from '#telemetry';
import { AttributeMap } from './attribute-map.ts';
import { ArrayColumn, column, Dictionary, FixedBytes, RowEnds, TextBytes } from './columns.ts';
import { HotAttributes } from './hot-attributes.ts';
import { Origin } from './origin.ts';
import type { RecordBlock } from './record-builder.ts';
import { ATTRIBUTE, EVENT, LINK, type SpanFacts } from './span-facts.ts';
import { fixed32At, type WireReader } from './wire-reader.ts';

/** Tags of Event and Link. */
const EVENT_TIME = 9;
const EVENT_NAME = 18;
const EVENT_ATTRIBUTE = 26;
const EVENT_DROPPED = 32;
const LINK_TRACE_ID = 10;
const LINK_SPAN_ID = 18;
const LINK_TRACE_STATE = 26;
const LINK_ATTRIBUTE = 34;
const LINK_DROPPED = 40;
const LINK_FLAGS = 53;

const LAST_KIND = 5;
const LAST_STATUS = 2;
const HALF = 4_294_967_296;

/** Rows of `spans` (clickhouse/migrations/0006 and 0011). */
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
  private readonly linkEnds = new RowEnds();
  private readonly linkTraces = new FixedBytes(16);
  private readonly linkSpans = new FixedBytes(8);
  private readonly linkAttributes = new AttributeMap();
  private readonly linkStates = new Dictionary();
  private readonly linkFlags = newColumn('UInt32');
  /** What was dropped of the events and links of the open row, together. */
  private droppedWithin = 0;
  private readonly droppedEnds = new RowEnds();
  private readonly dropped = newColumn('UInt32');
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
    column('link_trace_ids', 'Array(FixedString(16))', new ArrayColumn(this.linkTraces, this.linkEnds)),
    column('link_span_ids', 'Array(FixedString(8))', new ArrayColumn(this.linkSpans, this.linkEnds)),
    column('link_attributes', 'Array(Map(LowCardinality(String), String))', new ArrayColumn(this.linkAttributes, this.linkEnds)),
    column('link_attribute_types', 'Array(LowCardinality(String))', new ArrayColumn(this.linkAttributes.types, this.linkEnds)),
    column('link_trace_states', 'Array(LowCardinality(String))', new ArrayColumn(this.linkStates, this.linkEnds)),
    column('link_flags', 'Array(UInt32)', new ArrayColumn(this.linkFlags, this.linkEnds)),
    column('dropped', 'Array(UInt32)', new ArrayColumn(this.dropped, this.droppedEnds)),
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
    this.linkEnds.end(this.linkTraces.length);
    this.pushDropped(reader, facts);
    return cut || cutAttributes;
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

  /** Three counts of the span, then one of each event and of each link where one of them is not 0. */
  private pushDropped(reader: WireReader, facts: SpanFacts): void {
    const { droppedAttributes, droppedEvents, droppedLinks } = facts;
    if (droppedAttributes + droppedEvents + droppedLinks + this.droppedWithin > 0) {
      this.dropped.push(droppedAttributes);
      this.dropped.push(droppedEvents);
      this.dropped.push(droppedLinks);
    }
    if (this.droppedWithin > 0) {
      this.pushDroppedOf(reader, facts, { list: EVENT, count: EVENT_DROPPED });
      this.pushDroppedOf(reader, facts, { list: LINK, count: LINK_DROPPED });
      this.droppedWithin = 0;
    }
    this.droppedEnds.end(this.dropped.length);
  }

  private pushDroppedOf(reader: WireReader, { begin, end }: SpanFacts, { list, count }: { list: number; count: number }): void {
    reader.at = begin;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag !== list) {
        reader.skip(tag, end);
        continue;
      }
      const stop = reader.enter(end);
      let dropped = 0;
      while (reader.at < stop) {
        const inner = reader.varint();
        if (inner === count) dropped = reader.varint();
        else reader.skip(inner, stop);
      }
      this.dropped.push(dropped);
    }
  }

  filled(): readonly EncodedColumn[] {
    const columns = this.origin.filled(this.columns);
    return this.linkTraces.length > 0
      ? columns
      : columns.filter(({ name }) => name !== 'link_trace_states' && name !== 'link_flags');
  }

  /** Attributes, events and links; true when something of an event or link was cut. */
  private addLists(reader: WireReader, { begin, end }: SpanFacts): boolean {
    let cut = false;
    reader.at = begin;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === ATTRIBUTE) this.hot.note(this.attributes.add(reader, reader.enter(end)));
      else if (tag === EVENT) cut = this.addEvent(reader, reader.enter(end)) || cut;
      else if (tag === LINK) cut = this.addLink(reader, reader.enter(end)) || cut;
      else reader.skip(tag, end);
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
      } else if (tag === EVENT_DROPPED) this.droppedWithin += reader.varint();
      else reader.skip(tag, end);
    }
    // The column is signed: beyond the year 2262 is no time.
    if (timeAt < 0 || (bytes[timeAt + 7] as number) > 127) this.eventTs.addZeros();
    else this.eventTs.add(bytes, timeAt, timeAt + 8);
    this.eventNames.push(name);
    return this.eventAttributes.endRow();
  }

  private addLink(reader: WireReader, end: number): boolean {
    const { bytes } = reader;
    let [traceStart, traceEnd, spanStart, spanEnd] = [0, 0, 0, 0];
    let [state, flags] = [0, 0];
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === LINK_ATTRIBUTE) this.linkAttributes.add(reader, reader.enter(end));
      else if (tag === LINK_TRACE_ID) {
        traceEnd = reader.enter(end);
        traceStart = reader.at;
        reader.at = traceEnd;
      } else if (tag === LINK_SPAN_ID) {
        spanEnd = reader.enter(end);
        spanStart = reader.at;
        reader.at = spanEnd;
      } else if (tag === LINK_TRACE_STATE) {
        const stop = reader.enter(end);
        state = this.linkStates.intern(bytes, reader.at, stop);
        reader.at = stop;
      } else if (tag === LINK_FLAGS) flags = fixed32At(bytes, reader.fixed(4, end));
      else if (tag === LINK_DROPPED) this.droppedWithin += reader.varint();
      else reader.skip(tag, end);
    }
    this.linkStates.push(state);
    this.linkFlags.push(flags);
    this.linkTraces.add(bytes, traceStart, traceEnd);
    this.linkSpans.add(bytes, spanStart, spanEnd);
    return this.linkAttributes.endRow();
  }

  reset(): void {
    this.origin.reset();
    this.hot.reset();
    this.droppedWithin = 0;
    for (const { values } of this.columns) values.reset();
  }
}
