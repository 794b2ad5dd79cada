import {
  RESOURCE_ATTRIBUTES as ATTRIBUTES,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_BUCKETS_BUCKET_COUNTS_PACKED as BUCKET_COUNTS,
  METRIC_EXPONENTIAL_HISTOGRAM as EXPONENTIAL,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_NEGATIVE,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_POSITIVE,
  EXPORT_TRACE_SERVICE_REQUEST_RESOURCE_SPANS,
  METRIC_GAUGE,
  METRIC_HISTOGRAM,
  METRIC_SUM,
  GAUGE_DATA_POINTS as POINT,
  SUMMARY_DATA_POINT_QUANTILE_VALUES as QUANTILE,
  RESOURCE_SPANS_RESOURCE as RESOURCE,
  RESOURCE_SPANS_SCOPE_SPANS,
  SCOPE_SPANS_SPANS,
  SPAN_EVENTS,
  SPAN_LINKS,
  METRIC_SUMMARY as SUMMARY,
} from '../generated/tags.ts';
import type { Signal } from './signal.ts';
import { sizeOfVarint, writeVarint } from './varint.ts';

/*
 * What a request weighs is about what the store makes of it: its own bytes, and what these few bytes are multiplied to there.
 * A record has a row (ROW) and the ids of its resource's attributes (ATTRIBUTE each); an event or link of a span and a quantile have PART, a count of a bucket
 * BUCKET a byte. Blocks are of one day, and each has the texts of a resource once and notes of a scope once: MOST_DAYS times at most. Points of
 * metrics may each be a series, which has all of its resource and scope as labels.
 * otlp-wire/assembly/walk/weight.ts has the same numbers.
 */
const ROW = 192;
const ATTRIBUTE = 8;
const PART = 64;
const BUCKET = 8;
const MOST_ATTRIBUTES = 130;
const MOST_DAYS = 17;
const NOTES = 2;

const MIB = 1024 * 1024;
/** However small a request is: a batch of points under an honest resource is not much below. */
export const FREE_WEIGHT = 32 * MIB;
/** Times its bytes, for a larger one. */
export const MAX_FACTOR = 10;
/** However large it is, as far as that is not its own bytes. */
const MAX_WEIGHT = 80 * MIB;
const OWN_FACTOR = 3;

/** What a request of so many bytes may weigh. */
export const weightLimit = (bytes: number): number =>
  Math.min(Math.max(FREE_WEIGHT, MAX_FACTOR * bytes), Math.max(MAX_WEIGHT, OWN_FACTOR * bytes));

/** What honest requests weigh is below this many times their bytes: 1.5 to 3.7 in those of bench/otlp. */
const HONEST_FACTOR = 4;

/** Bytes that a tenant is charged for a request: its own, or more where the store makes far more of them. */
export const chargeOf = (bytes: number, weight: number): number => Math.max(bytes, Math.ceil(weight / HONEST_FACTOR));

/** Fields of the request, ResourceX and ScopeX; of Resource. */
const CHILD = {
  resource: EXPORT_TRACE_SERVICE_REQUEST_RESOURCE_SPANS,
  scope: RESOURCE_SPANS_SCOPE_SPANS,
  record: SCOPE_SPANS_SPANS,
} as const;
/** Of Metric, what holds points; of that, a point; of Span, events and links; of an exponential point, its buckets, and of these the counts. */
const DATA: ReadonlySet<number> = new Set([METRIC_GAUGE, METRIC_SUM, METRIC_HISTOGRAM, EXPONENTIAL, SUMMARY]);
const PARTS: ReadonlySet<number> = new Set([SPAN_EVENTS, SPAN_LINKS]);
const BUCKETS: ReadonlySet<number> = new Set([
  EXPONENTIAL_HISTOGRAM_DATA_POINT_POSITIVE,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_NEGATIVE,
]);

/** What is left of a message: all of it, these bytes, or nothing. */
type Kept = 'all' | 'none' | Buffer;
/** `from` to `to` is what the field holds. */
type Visit = (tag: number, from: number, to: number) => void;

/** Bytes of what has no length, by its wire type; a varint has none either. */
const WIDTHS: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

/** Steps through the fields of a walked message; for those without a length the range is their value. */
function eachField(bytes: Buffer, { begin, end }: { begin: number; end: number }, visit: Visit): void {
  let at = begin;
  const readVarint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] as number;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < end) {
    const tag = readVarint();
    const wireType = tag & 7;
    const length = wireType === 2 ? readVarint() : WIDTHS[wireType];
    const from = at;
    if (length === undefined) readVarint();
    else at += length;
    visit(tag, from, at);
  }
}

/** Keeps the records at the beginning of a walked request that weigh no more than allowed, with all that stands around them. */
class Cutter {
  private readonly bytes: Buffer;
  private readonly signal: Signal;
  private room: number;
  private isFull = false;
  private attributes = 0;
  private resourceHeader = 0;
  /** Of it, what is written down once a scope. */
  private noted = 0;
  private resourceRows = 0;
  private scopeHeader = 0;
  private scopeRows = 0;

  constructor(signal: Signal, bytes: Buffer, most: number) {
    this.signal = signal;
    this.bytes = bytes;
    this.room = most - bytes.length;
  }

  cut(): Buffer {
    const kept = this.keep(0, this.bytes.length, (tag, from, to) =>
      tag === CHILD.resource ? this.cutResource(from, to) : undefined,
    );
    return kept === 'all' ? this.bytes : kept === 'none' ? Buffer.alloc(0) : kept;
  }

  /** A message of which `cutChild` cuts some fields, undefined for the others. */
  private keep(begin: number, end: number, cutChild: (tag: number, from: number, to: number) => Kept | undefined): Kept {
    const { bytes } = this;
    const parts: Buffer[] = [];
    let [kept, behind, isWhole, hasChild] = [begin, begin, true, false];
    eachField(bytes, { begin, end }, (tag, from, to) => {
      const child = cutChild(tag, from, to);
      const fieldBegin = behind;
      behind = to;
      if (child === undefined) return;
      if (child !== 'none') hasChild = true;
      if (child === 'all') return;
      isWhole = false;
      if (kept < fieldBegin) parts.push(bytes.subarray(kept, fieldBegin));
      if (child !== 'none') parts.push(encodeHead(tag, child.length), child);
      kept = to;
    });
    if (isWhole) return 'all';
    if (!hasChild) return 'none';
    parts.push(bytes.subarray(kept, end));
    return Buffer.concat(parts);
  }

  private cutResource(begin: number, end: number): Kept {
    if (this.isFull) return 'none';
    this.resourceHeader = end - begin;
    this.resourceRows = this.attributes = 0;
    let attributeBytes = 0;
    let before = begin;
    eachField(this.bytes, { begin, end }, (tag, from, to) => {
      if (tag === CHILD.scope) this.resourceHeader -= to - before;
      else if (tag === RESOURCE) attributeBytes += this.countAttributes(from, to);
      before = to;
    });
    this.noted = this.resourceHeader - attributeBytes;
    return this.keep(begin, end, (tag, from, to) => (tag === CHILD.scope ? this.cutScope(from, to) : undefined));
  }

  private countAttributes(begin: number, end: number): number {
    let [bytes, before] = [0, begin];
    eachField(this.bytes, { begin, end }, (tag, _from, to) => {
      if (tag === ATTRIBUTES) {
        this.attributes++;
        bytes += to - before;
      }
      before = to;
    });
    return bytes;
  }

  private cutScope(begin: number, end: number): Kept {
    if (this.isFull) return 'none';
    this.scopeHeader = end - begin;
    this.scopeRows = 0;
    let before = begin;
    eachField(this.bytes, { begin, end }, (tag, _from, to) => {
      if (tag === CHILD.record) this.scopeHeader -= to - before;
      before = to;
    });
    const cutRecord = this.signal === 'metrics' ? this.cutMetric : this.cutRecord;
    return this.keep(begin, end, (tag, from, to) => (tag === CHILD.record ? cutRecord.call(this, from, to) : undefined));
  }

  private cutRecord(begin: number, end: number): Kept {
    let weight = ROW + ATTRIBUTE * Math.min(this.attributes, MOST_ATTRIBUTES);
    if (this.resourceRows < MOST_DAYS) weight += this.resourceHeader;
    if (this.scopeRows < MOST_DAYS) weight += NOTES * (this.scopeHeader + this.noted);
    if (this.signal === 'traces')
      eachField(this.bytes, { begin, end }, (tag) => {
        if (PARTS.has(tag)) weight += PART;
      });
    if (!this.takes(weight)) return 'none';
    this.resourceRows++;
    this.scopeRows++;
    return 'all';
  }

  private cutMetric(begin: number, end: number): Kept {
    if (this.isFull) return 'none';
    return this.keep(begin, end, (tag, from, to) => {
      if (!DATA.has(tag)) return undefined;
      return this.keep(from, to, (inner, ...range) => (inner === POINT ? this.cutPoint(range, tag) : undefined));
    });
  }

  private cutPoint([begin, end]: [number, number], kind: number): Kept {
    let weight = ROW + this.resourceHeader + this.scopeHeader;
    if (kind === EXPONENTIAL || kind === SUMMARY)
      eachField(this.bytes, { begin, end }, (tag, from, to) => {
        if (kind === EXPONENTIAL && BUCKETS.has(tag)) weight += BUCKET * this.countBuckets(from, to);
        else if (kind === SUMMARY && tag === QUANTILE) weight += PART;
      });
    return this.takes(weight) ? 'all' : 'none';
  }

  private countBuckets(begin: number, end: number): number {
    let counts = 0;
    eachField(this.bytes, { begin, end }, (tag, from, to) => {
      if (tag === BUCKET_COUNTS) counts += to - from;
    });
    return counts;
  }

  private takes(weight: number): boolean {
    if (weight > this.room) this.isFull = true;
    if (this.isFull) return false;
    this.room -= weight;
    return true;
  }
}

function encodeHead(tag: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(sizeOfVarint(tag) + sizeOfVarint(length));
  writeVarint(head, length, writeVarint(head, tag, 0));
  return head;
}

/** The request that was walked, without the records at its end that are beyond the weight; as it is when there are none. */
export const cutToWeight = (signal: Signal, bytes: Buffer, most: number): Buffer => new Cutter(signal, bytes, most).cut();

const NOUNS: Record<Signal, [one: string, many: string]> = {
  traces: ['span', 'spans'],
  logs: ['log record', 'log records'],
  metrics: ['data point', 'data points'],
};

/** A sentence for the sender's partial success; '' when nothing was left out. */
export function explainWeight(signal: Signal, count: number): string {
  if (count === 0) return '';
  const what = count === 1 ? `The last ${NOUNS[signal][0]} was` : `The last ${count} ${NOUNS[signal][1]} were`;
  return `${what} refused. This request would take too much room once stored; resource attributes are repeated for each record. Send smaller requests or fewer attributes.`;
}
