import {
  SPAN_ATTRIBUTES as ATTRIBUTE,
  SPAN_DROPPED_ATTRIBUTES_COUNT as DROPPED_ATTRIBUTES,
  SPAN_DROPPED_EVENTS_COUNT as DROPPED_EVENTS,
  SPAN_DROPPED_LINKS_COUNT as DROPPED_LINKS,
  SPAN_END_TIME_UNIX_NANO as END,
  SPAN_EVENTS as EVENT,
  SPAN_FLAGS as FLAGS,
  SPAN_KIND as KIND,
  SPAN_LINKS as LINK,
  SPAN_NAME as NAME,
  SPAN_PARENT_SPAN_ID as PARENT_ID,
  SPAN_SPAN_ID as SPAN_ID,
  SPAN_START_TIME_UNIX_NANO as START,
  SPAN_STATUS as STATUS,
  STATUS_CODE,
  STATUS_MESSAGE,
  SPAN_TRACE_ID as TRACE_ID,
  SPAN_TRACE_STATE as TRACE_STATE,
} from '../generated/tags';
import { behind, enter, msAt, pos, skip, tagAt, varint } from './wire';

/** The parts of one span: where they begin, and their sizes; 0 for what it has not. */
@unmanaged
@final
class Facts {
  /** The host looks at the first three. Unix ms; 0 for a span without a start or an end. */
  startMs: f64 = 0;
  endMs: f64 = 0;
  kind: u32 = 0;
  startAt: usize = 0;
  endAt: usize = 0;
  begin: usize = 0;
  end: usize = 0;
  /** Attributes, events and links lie between. */
  listsBegin: usize = 0;
  listsEnd: usize = 0;
  trace: usize = 0;
  traceSize: u32 = 0;
  span: usize = 0;
  spanSize: u32 = 0;
  parent: usize = 0;
  parentSize: u32 = 0;
  state: usize = 0;
  stateSize: u32 = 0;
  name: usize = 0;
  nameSize: u32 = 0;
  message: usize = 0;
  messageSize: u32 = 0;
  status: u32 = 0;
  flags: u32 = 0;
  /** More than 0 where the span tells of any. */
  dropped: u32 = 0;

  private readStatus(at: usize, end: usize): void {
    while (at < end) {
      const tag = varint(at);
      if (tag === STATUS_CODE) {
        this.status = varint(pos);
        at = pos;
      } else if (tag === STATUS_MESSAGE) {
        at = enter(pos, end);
        this.message = pos;
        this.messageSize = <u32>(at - pos);
      } else at = skip(tag, pos, end);
    }
    behind(at, 0, end);
  }

  private readOther(tag: u32, from: usize, end: usize): usize {
    let at = from;
    switch (tag) {
      case SPAN_ID:
        at = enter(from, end);
        this.span = pos;
        this.spanSize = <u32>(at - pos);
        break;
      case PARENT_ID:
        at = enter(from, end);
        this.parent = pos;
        this.parentSize = <u32>(at - pos);
        break;
      case TRACE_STATE:
        at = enter(from, end);
        this.state = pos;
        this.stateSize = <u32>(at - pos);
        break;
      case NAME:
        at = enter(from, end);
        this.name = pos;
        this.nameSize = <u32>(at - pos);
        break;
      case KIND:
        this.kind = varint(from);
        at = pos;
        break;
      case STATUS:
        at = enter(from, end);
        this.readStatus(pos, at);
        break;
      case FLAGS:
        this.flags = load<u32>(from);
        at = behind(from, 4, end);
        break;
      case DROPPED_ATTRIBUTES:
      case DROPPED_EVENTS:
      case DROPPED_LINKS:
        this.dropped |= varint(from);
        at = pos;
        break;
      default:
        at = skip(tag, from, end);
    }
    return at;
  }

  /** Reads the span but for what attributes, events and links have in them. */
  read(begin: usize, end: usize): void {
    memory.fill(changetype<usize>(this), 0, offsetof<Facts>());
    this.begin = begin;
    this.end = end;
    let at = begin;
    while (at < end) {
      const field = at;
      const tag = tagAt(at);
      switch (tag) {
        case ATTRIBUTE:
        case EVENT:
        case LINK:
          at = enter(pos, end);
          if (this.listsBegin === 0) this.listsBegin = field;
          this.listsEnd = at;
          if (tag === LINK) this.dropped = 1;
          break;
        case TRACE_ID:
          at = enter(pos, end);
          this.trace = pos;
          this.traceSize = <u32>(at - pos);
          break;
        case START:
          this.startAt = pos;
          this.startMs = msAt(pos);
          at = behind(pos, 8, end);
          break;
        case END:
          this.endAt = pos;
          this.endMs = msAt(pos);
          at = behind(pos, 8, end);
          break;
        default:
          at = this.readOther(tag, pos, end);
      }
    }
    behind(at, 0, end);
  }
}

export const facts = new Facts();
/** Where the host finds the first three of the facts. */
export function spanFacts(): usize {
  return changetype<usize>(facts);
}

export function readSpan(begin: usize, end: usize): void {
  facts.read(begin, end);
}
