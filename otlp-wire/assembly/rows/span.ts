import {
  SPAN_ATTRIBUTES as ATTRIBUTE,
  SPAN_EVENTS as EVENT,
  SPAN_EVENT_ATTRIBUTES as EVENT_ATTRIBUTE,
  SPAN_EVENT_DROPPED_ATTRIBUTES_COUNT as EVENT_DROPPED,
  SPAN_EVENT_NAME as EVENT_NAME,
  SPAN_EVENT_TIME_UNIX_NANO as EVENT_TIME,
} from '../generated/tags';
import { Attributes } from './attributes';
import { Bytes } from './bytes';
import { Dictionary } from './dictionary';
import { Hot } from './hot';
import { facts } from './span-facts';
import { behind, enter, pos, skip, tagAt, varint } from './wire';

const LAST_KIND: u32 = 5;
const LAST_STATUS: u32 = 2;

/** Beside 1 for something that was cut: the span has links, or tells of entries that were dropped. */
const HAS_EXTRAS: u32 = 2;

/** Rows of `spans` but for their origin. */
@unmanaged
@final
export class SpanBlock {
  /** The columns in the order of src/rows/span-block.ts. */
  ts: Bytes = new Bytes();
  duration: Bytes = new Bytes();
  traceId: Bytes = new Bytes();
  spanId: Bytes = new Bytes();
  parentId: Bytes = new Bytes();
  traceState: Bytes = new Bytes();
  flags: Bytes = new Bytes();
  name: Dictionary = new Dictionary();
  kind: Bytes = new Bytes();
  status: Bytes = new Bytes();
  statusMessage: Bytes = new Bytes();
  attributes: Attributes = new Attributes();
  hot: Hot = new Hot(this.attributes.values);
  eventEnds: Bytes = new Bytes();
  eventTs: Bytes = new Bytes();
  eventNames: Dictionary = new Dictionary();
  eventAttributes: Attributes = new Attributes();

  reset(): void {
    this.ts.length = 0;
    this.duration.length = 0;
    this.traceId.length = 0;
    this.spanId.length = 0;
    this.parentId.length = 0;
    this.traceState.length = 0;
    this.flags.length = 0;
    this.name.reset();
    this.kind.length = 0;
    this.status.length = 0;
    this.statusMessage.length = 0;
    this.attributes.reset();
    this.attributes.hot = changetype<usize>(this.hot);
    this.hot.reset();
    this.eventEnds.length = 0;
    this.eventTs.length = 0;
    this.eventNames.reset();
    this.eventAttributes.reset();
  }

  /** One more row, of the span that was read last. */
  add(): u32 {
    this.ts.fixed(facts.startAt, facts.startAt === 0 ? 0 : 8, 8);
    this.pushDuration();
    this.traceId.fixed(facts.trace, facts.traceSize, 16);
    this.spanId.fixed(facts.span, facts.spanSize, 8);
    this.parentId.fixed(facts.parent, facts.parentSize, 8);
    this.traceState.text(facts.state, facts.stateSize);
    this.flags.u32(facts.flags);
    this.name.add(facts.name, facts.nameSize);
    const kind = facts.kind <= LAST_KIND ? facts.kind : 0;
    this.kind.u8(kind);
    this.status.u8(facts.status <= LAST_STATUS ? facts.status : 0);
    this.statusMessage.text(facts.message, facts.messageSize);
    const extras = this.addLists(facts.listsBegin, facts.listsEnd);
    this.hot.endRow(kind);
    const cut = this.attributes.endRow();
    this.eventEnds.u64(this.eventNames.ids.length >>> 2);
    return extras | cut;
  }

  /** A span that ends before it begins lasted 0. */
  private pushDuration(): void {
    const start: u64 = facts.startAt === 0 ? 0 : load<u64>(facts.startAt);
    const end: u64 = facts.endAt === 0 ? 0 : load<u64>(facts.endAt);
    this.duration.u64(end > start ? end - start : 0);
  }

  private addLists(begin: usize, end: usize): u32 {
    let told = facts.dropped !== 0 ? HAS_EXTRAS : 0;
    let at = begin;
    while (at < end) {
      const tag = tagAt(at);
      if (tag === ATTRIBUTE) {
        at = enter(pos, end);
        this.attributes.add(pos, at);
      } else if (tag === EVENT) {
        at = enter(pos, end);
        told |= this.addEvent(pos, at);
      } else at = skip(tag, pos, end);
    }
    return told;
  }

  private addEvent(begin: usize, end: usize): u32 {
    let time: usize = 0;
    let name: u32 = 0;
    let told: u32 = 0;
    let at = begin;
    while (at < end) {
      const tag = varint(at);
      if (tag === EVENT_TIME) {
        time = pos;
        at = behind(pos, 8, end);
      } else if (tag === EVENT_ATTRIBUTE) {
        at = enter(pos, end);
        this.eventAttributes.add(pos, at);
      } else if (tag === EVENT_NAME) {
        at = enter(pos, end);
        name = this.eventNames.intern(pos, <u32>(at - pos));
      } else if (tag === EVENT_DROPPED) {
        if (varint(pos) !== 0) told = HAS_EXTRAS;
        at = pos;
      } else at = skip(tag, pos, end);
    }
    behind(at, 0, end);
    // The column is signed: beyond the year 2262 is no time.
    const isTime = time !== 0 && load<u8>(time + 7) < 128;
    this.eventTs.fixed(time, isTime ? 8 : 0, 8);
    this.eventNames.push(name);
    return told | this.eventAttributes.endRow();
  }

  /** What it holds. */
  bytes(): u32 {
    const fixed = this.ts.length + this.duration.length + this.traceId.length + this.spanId.length + this.parentId.length;
    const texts = this.traceState.length + this.name.bytes() + this.statusMessage.length;
    const small = this.flags.length + this.kind.length + this.status.length;
    const events = this.eventEnds.length + this.eventTs.length + this.eventNames.bytes() + this.eventAttributes.bytes();
    return fixed + texts + small + events + this.attributes.bytes() + this.hot.bytes();
  }

  free(): void {
    this.ts.free();
    this.duration.free();
    this.traceId.free();
    this.spanId.free();
    this.parentId.free();
    this.traceState.free();
    this.flags.free();
    this.name.free();
    this.kind.free();
    this.status.free();
    this.statusMessage.free();
    this.hot.free();
    this.attributes.free();
    this.eventEnds.free();
    this.eventTs.free();
    this.eventNames.free();
    this.eventAttributes.free();
    heap.free(changetype<usize>(this));
  }
}
