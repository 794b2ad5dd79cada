import { ByteSink } from '@svc/bytes';
import type { WrittenExtras, WrittenLink } from '@svc/contracts/otlp/span-extras';
import {
  SPAN_LINK_ATTRIBUTES as ATTRIBUTE,
  SPAN_LINK_DROPPED_ATTRIBUTES_COUNT as DROPPED,
  SPAN_DROPPED_ATTRIBUTES_COUNT as DROPPED_ATTRIBUTES,
  SPAN_DROPPED_EVENTS_COUNT as DROPPED_EVENTS,
  SPAN_DROPPED_LINKS_COUNT as DROPPED_LINKS,
  SPAN_EVENTS as EVENT,
  SPAN_EVENT_DROPPED_ATTRIBUTES_COUNT as EVENT_DROPPED,
  SPAN_LINK_FLAGS as FLAGS,
  SPAN_LINKS as LINK,
  SPAN_LINK_SPAN_ID as SPAN_ID,
  SPAN_LINK_TRACE_ID as TRACE_ID,
  SPAN_LINK_TRACE_STATE as TRACE_STATE,
} from '../generated/tags.ts';
import { AttributeList, given } from './attribute-list.ts';
import { TextBytes } from './columns.ts';
import type { SpanFacts } from './span-facts.ts';
import type { WireReader } from './wire-reader.ts';

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;
const EMPTY = Buffer.alloc(0);

/** Column `extras`: JSON as in contracts/src/otlp/span-extras.ts, '' for most spans. */
export class SpanExtras extends TextBytes {
  private readonly json = new ByteSink(256);
  private readonly attributes = new AttributeList();

  /** A text that is not '' was added. */
  get hasAny(): boolean {
    return this.sink.length > this.length;
  }

  addNothing(): void {
    this.add(EMPTY, 0, 0);
  }

  /** For a span that has a link or dropped something; true when something of a link was cut. */
  addOf(reader: WireReader, span: Pick<SpanFacts, 'begin' | 'end'>): boolean {
    const { json } = this;
    json.reset();
    const { counts, droppedOfEvents, cut } = this.writeLinks(reader, span);
    const rest = JSON.stringify({ ...given(counts), ...(droppedOfEvents.length > 0 && { droppedOfEvents }) });
    if (json.length > 0) this.write(rest === '{}' ? ']}' : `],${rest.slice(1)}`);
    else if (rest !== '{}') this.write(rest);
    this.add(json.bytes, 0, json.length);
    return cut;
  }

  /** One link at a time is an object: a span has as many as a message holds. Counts of events up to the last that is not 0. */
  private writeLinks(reader: WireReader, { begin, end }: Pick<SpanFacts, 'begin' | 'end'>) {
    const counts: WrittenExtras = {};
    const droppedOfEvents: number[] = [];
    let [events, cut] = [0, false];
    reader.at = begin;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === EVENT) {
        const dropped = readDropped(reader, reader.enter(end));
        if (dropped > 0) {
          while (droppedOfEvents.length < events) droppedOfEvents.push(0);
          droppedOfEvents.push(dropped);
        }
        events++;
      } else if (tag === LINK) {
        this.write(this.json.length === 0 ? '{"links":[' : ',');
        const link = this.readLink(reader, reader.enter(end));
        cut = this.attributes.cut || cut;
        this.attributes.cut = false;
        this.write(JSON.stringify(link));
      } else if (tag === DROPPED_ATTRIBUTES) counts.droppedAttributesCount = reader.varint();
      else if (tag === DROPPED_EVENTS) counts.droppedEventsCount = reader.varint();
      else if (tag === DROPPED_LINKS) counts.droppedLinksCount = reader.varint();
      else reader.skip(tag, end);
    }
    return { counts, droppedOfEvents, cut };
  }

  private readLink(reader: WireReader, end: number): WrittenLink {
    const { attributes } = this;
    const link: WrittenLink = {};
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === TRACE_ID) link.traceId = readId(reader, { end, width: TRACE_BYTES });
      else if (tag === SPAN_ID) link.spanId = readId(reader, { end, width: SPAN_BYTES });
      else if (tag === ATTRIBUTE) attributes.add(reader, reader.enter(end));
      else if (tag === TRACE_STATE) {
        const stop = reader.enter(end);
        link.traceState = reader.bytes.toString('utf8', reader.at, stop);
        reader.at = stop;
      } else if (tag === FLAGS) link.flags = reader.words.getUint32(reader.fixed(4, end), true);
      else if (tag === DROPPED) link.droppedAttributesCount = reader.varint();
      else reader.skip(tag, end);
    }
    if (attributes.cut) attributes.mark();
    const list = attributes.take();
    return given(list ? { ...link, attributes: list } : link) ?? {};
  }

  private write(text: string): void {
    const bytes = Buffer.from(text);
    this.json.copy(bytes, 0, bytes.length);
  }
}

/** '' for what has not the width of an id. */
function readId(reader: WireReader, { end, width }: { end: number; width: number }): string {
  const stop = reader.enter(end);
  const id = stop - reader.at === width ? reader.bytes.toString('hex', reader.at, stop) : '';
  reader.at = stop;
  return id;
}

function readDropped(reader: WireReader, end: number): number {
  let dropped = 0;
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === EVENT_DROPPED) dropped = reader.varint();
    else reader.skip(tag, end);
  }
  return dropped;
}
