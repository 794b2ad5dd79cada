import {
  LOG_RECORD_ATTRIBUTES as ATTRIBUTE,
  LOG_RECORD_BODY as BODY,
  LOG_RECORD_DROPPED_ATTRIBUTES_COUNT as DROPPED,
  LOG_RECORD_EVENT_NAME as EVENT_NAME,
  LOG_RECORD_FLAGS as FLAGS,
  LOG_RECORD_OBSERVED_TIME_UNIX_NANO as OBSERVED,
  LOG_RECORD_SEVERITY_NUMBER as SEVERITY,
  LOG_RECORD_SEVERITY_TEXT as SEVERITY_TEXT,
  LOG_RECORD_SPAN_ID as SPAN_ID,
  LOG_RECORD_TIME_UNIX_NANO as TIME,
  LOG_RECORD_TRACE_ID as TRACE_ID,
} from '../generated/tags';
import { Attributes, hostText } from './attributes';
import { Bytes } from './bytes';
import { Dictionary } from './dictionary';
import { readBody } from './host';
import { writePlain } from './value';
import { behind, enter, msAt, pos, skip, tagAt, varint } from './wire';

const LAST_SEVERITY: u32 = 24;
/** Bound of docs/limits.md. */
const MOST_BODY_BYTES: u32 = 65_536;

/** The parts of one log record: where they begin, and their sizes; 0 for what it has not. */
@unmanaged
@final
class Facts {
  /** The host looks at the first one: Unix ms of the event, else of its observation, 0 where neither is known. */
  knownMs: f64 = 0;
  timeAt: usize = 0;
  observedAt: usize = 0;
  begin: usize = 0;
  end: usize = 0;
  /** Attributes lie between. */
  listsBegin: usize = 0;
  listsEnd: usize = 0;
  severityText: usize = 0;
  severityTextSize: u32 = 0;
  body: usize = 0;
  bodySize: u32 = 0;
  trace: usize = 0;
  traceSize: u32 = 0;
  span: usize = 0;
  spanSize: u32 = 0;
  event: usize = 0;
  eventSize: u32 = 0;
  severity: u32 = 0;
  flags: u32 = 0;
  dropped: u32 = 0;

  private readOther(tag: u32, from: usize, end: usize): usize {
    let at = from;
    switch (tag) {
      case SEVERITY_TEXT:
        at = enter(from, end);
        this.severityText = pos;
        this.severityTextSize = <u32>(at - pos);
        break;
      case TRACE_ID:
        at = enter(from, end);
        this.trace = pos;
        this.traceSize = <u32>(at - pos);
        break;
      case SPAN_ID:
        at = enter(from, end);
        this.span = pos;
        this.spanSize = <u32>(at - pos);
        break;
      case EVENT_NAME:
        at = enter(from, end);
        this.event = pos;
        this.eventSize = <u32>(at - pos);
        break;
      case FLAGS:
        this.flags = load<u32>(from);
        at = behind(from, 4, end);
        break;
      case DROPPED:
        this.dropped = varint(from);
        at = pos;
        break;
      default:
        at = skip(tag, from, end);
    }
    return at;
  }

  /** Reads the record but for what attributes have in them. */
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
          at = enter(pos, end);
          if (this.listsBegin === 0) this.listsBegin = field;
          this.listsEnd = at;
          break;
        case TIME:
          this.timeAt = pos;
          at = behind(pos, 8, end);
          break;
        case OBSERVED:
          this.observedAt = pos;
          at = behind(pos, 8, end);
          break;
        case SEVERITY:
          this.severity = varint(pos);
          at = pos;
          break;
        case BODY:
          at = enter(pos, end);
          this.body = pos;
          this.bodySize = <u32>(at - pos);
          break;
        default:
          at = this.readOther(tag, pos, end);
      }
    }
    behind(at, 0, end);
    if (this.timeAt !== 0 && load<u64>(this.timeAt) === 0) this.timeAt = 0;
    if (this.observedAt !== 0 && load<u64>(this.observedAt) === 0) this.observedAt = 0;
    const known = this.timeAt !== 0 ? this.timeAt : this.observedAt;
    if (known !== 0) this.knownMs = msAt(known);
  }
}

const facts = new Facts();
/** Where the host finds the first of the facts. */
export function logFacts(): usize {
  return changetype<usize>(facts);
}

export function readLog(begin: usize, end: usize): void {
  facts.read(begin, end);
}

/** Rows of `logs` but for their origin. */
@unmanaged
@final
export class LogBlock {
  /** The columns in the order of src/rows/log-block.ts. */
  ts: Bytes = new Bytes();
  observed: Bytes = new Bytes();
  traceId: Bytes = new Bytes();
  spanId: Bytes = new Bytes();
  flags: Bytes = new Bytes();
  severity: Bytes = new Bytes();
  severityText: Dictionary = new Dictionary();
  eventName: Dictionary = new Dictionary();
  body: Bytes = new Bytes();
  bodyType: Dictionary = new Dictionary();
  dropped: Bytes = new Bytes();
  row: Bytes = new Bytes();
  attributes: Attributes = new Attributes();
  private letter: usize = heap.alloc(16);

  reset(): void {
    this.ts.length = 0;
    this.observed.length = 0;
    this.traceId.length = 0;
    this.spanId.length = 0;
    this.flags.length = 0;
    this.severity.length = 0;
    this.severityText.reset();
    this.eventName.reset();
    this.body.length = 0;
    this.body.mostText = MOST_BODY_BYTES;
    this.bodyType.reset();
    this.dropped.length = 0;
    this.row.length = 0;
    this.attributes.reset();
  }

  /** One more row, of the record that was read last: its place in the message, and the receive time in nanoseconds. 1 when it was cut. */
  add(row: u32, received: u64): u32 {
    const observed: u64 = facts.observedAt === 0 ? received : load<u64>(facts.observedAt);
    this.ts.u64(facts.timeAt === 0 ? observed : load<u64>(facts.timeAt));
    // The column is signed: beyond the year 2262 is no time.
    this.observed.u64(<i64>observed < 0 ? received : observed);
    this.traceId.fixed(facts.trace, facts.traceSize, 16);
    this.spanId.fixed(facts.span, facts.spanSize, 8);
    this.flags.u32(facts.flags);
    this.severity.u8(facts.severity <= LAST_SEVERITY ? facts.severity : 0);
    this.severityText.add(facts.severityText, facts.severityTextSize);
    this.eventName.add(facts.event, facts.eventSize);
    this.pushBody();
    this.dropped.u32(facts.dropped);
    this.row.u32(row);
    this.addAttributes(facts.listsBegin, facts.listsEnd);
    return this.attributes.endRow();
  }

  private pushBody(): void {
    const body = facts.body;
    const bodySize = facts.bodySize;
    const letter = writePlain(body, body + bodySize, this.body);
    if (letter !== 0) this.pushLetter(letter);
    else {
      asking = this;
      readBody(body, body + bodySize);
    }
  }

  private pushLetter(letter: u32): void {
    store<u8>(this.letter, letter);
    this.bodyType.add(this.letter, 1);
  }

  /** A body whose text was made by the host. */
  addBody(letter: u32, isCut: bool): void {
    this.body.text(hostText.data, hostText.length);
    this.pushLetter(letter);
    if (isCut) this.attributes.markCut();
  }

  private addAttributes(begin: usize, end: usize): void {
    let at = begin;
    while (at < end) {
      const tag = tagAt(at);
      if (tag === ATTRIBUTE) {
        at = enter(pos, end);
        this.attributes.add(pos, at);
      } else at = skip(tag, pos, end);
    }
  }

  /** What it holds. */
  bytes(): u32 {
    const fixed = this.ts.length + this.observed.length + this.traceId.length + this.spanId.length + this.row.length;
    const texts = this.severityText.bytes() + this.eventName.bytes() + this.body.length + this.bodyType.bytes();
    return fixed + texts + this.flags.length + this.severity.length + this.dropped.length + this.attributes.bytes();
  }

  free(): void {
    this.ts.free();
    this.observed.free();
    this.traceId.free();
    this.spanId.free();
    this.flags.free();
    this.severity.free();
    this.severityText.free();
    this.eventName.free();
    this.body.free();
    this.bodyType.free();
    this.dropped.free();
    this.row.free();
    this.attributes.free();
    heap.free(this.letter);
    heap.free(changetype<usize>(this));
  }
}

/** The block that waits for the host's answer. */
let asking: LogBlock = changetype<LogBlock>(0);
export const askingBlock = (): LogBlock => asking;
