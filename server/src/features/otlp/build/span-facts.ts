import { fixed32At, msAt, type WireReader } from './wire-reader.ts';

/** Tags of Span: number and wire type. */
const TRACE_ID = 10;
const SPAN_ID = 18;
const TRACE_STATE = 26;
const PARENT_ID = 34;
const NAME = 42;
const KIND = 48;
const START = 57;
const END = 65;
export const ATTRIBUTE = 74;
const DROPPED_ATTRIBUTES = 80;
export const EVENT = 90;
const DROPPED_EVENTS = 96;
export const LINK = 106;
const DROPPED_LINKS = 112;
const STATUS = 122;
const FLAGS = 133;
/** Of its Status. */
const STATUS_MESSAGE = 18;
const STATUS_CODE = 24;

/** Where the parts of one span lie in its message, -1 or empty where it has none. */
export class SpanFacts {
  tsMs = 0;
  begin = 0;
  end = 0;
  traceStart = 0;
  traceEnd = 0;
  spanStart = 0;
  spanEnd = 0;
  parentStart = 0;
  parentEnd = 0;
  stateStart = 0;
  stateEnd = 0;
  nameStart = 0;
  nameEnd = 0;
  messageStart = 0;
  messageEnd = 0;
  startAt = -1;
  endAt = -1;
  kind = 0;
  status = 0;
  flags = 0;
  droppedAttributes = 0;
  droppedEvents = 0;
  droppedLinks = 0;

  /** Reads the span up to `end`: all of it but attributes, events and links. */
  read(reader: WireReader, end: number): void {
    this.begin = reader.at;
    this.end = end;
    this.traceStart = this.traceEnd = this.spanStart = this.spanEnd = this.parentStart = this.parentEnd = 0;
    this.stateStart = this.stateEnd = this.nameStart = this.nameEnd = this.messageStart = this.messageEnd = 0;
    this.startAt = this.endAt = -1;
    this.kind = this.status = this.flags = this.droppedAttributes = this.droppedEvents = this.droppedLinks = 0;
    while (reader.at < end) {
      const tag = reader.varint();
      switch (tag) {
        case ATTRIBUTE:
        case EVENT:
        case LINK:
          reader.at = reader.enter(end);
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
        case PARENT_ID:
          this.parentEnd = reader.enter(end);
          this.parentStart = reader.at;
          reader.at = this.parentEnd;
          break;
        case NAME:
          this.nameEnd = reader.enter(end);
          this.nameStart = reader.at;
          reader.at = this.nameEnd;
          break;
        case START:
          this.startAt = reader.fixed(8, end);
          break;
        case END:
          this.endAt = reader.fixed(8, end);
          break;
        default:
          this.readRare(tag, reader, end);
      }
    }
    this.tsMs = this.startAt < 0 ? 0 : msAt(reader.bytes, this.startAt);
  }

  private readRare(tag: number, reader: WireReader, end: number): void {
    switch (tag) {
      case KIND:
        this.kind = reader.varint();
        break;
      case STATUS:
        this.readStatus(reader, reader.enter(end));
        break;
      case FLAGS:
        this.flags = fixed32At(reader.bytes, reader.fixed(4, end));
        break;
      case TRACE_STATE:
        this.stateEnd = reader.enter(end);
        this.stateStart = reader.at;
        reader.at = this.stateEnd;
        break;
      case DROPPED_ATTRIBUTES:
        this.droppedAttributes = reader.varint();
        break;
      case DROPPED_EVENTS:
        this.droppedEvents = reader.varint();
        break;
      case DROPPED_LINKS:
        this.droppedLinks = reader.varint();
        break;
      default:
        reader.skip(tag, end);
    }
  }

  private readStatus(reader: WireReader, end: number): void {
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === STATUS_CODE) this.status = reader.varint();
      else if (tag === STATUS_MESSAGE) {
        this.messageEnd = reader.enter(end);
        this.messageStart = reader.at;
        reader.at = this.messageEnd;
      } else reader.skip(tag, end);
    }
  }
}
