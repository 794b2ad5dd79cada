import {
  NUMBER_DATA_POINT_AS_DOUBLE as AS_DOUBLE,
  NUMBER_DATA_POINT_AS_INT as AS_INT,
  HISTOGRAM_DATA_POINT_EXPLICIT_BOUNDS as BOUND,
  HISTOGRAM_DATA_POINT_EXPLICIT_BOUNDS_PACKED as BOUNDS_PACKED,
  HISTOGRAM_DATA_POINT_BUCKET_COUNTS as BUCKETS,
  HISTOGRAM_DATA_POINT_BUCKET_COUNTS_PACKED as BUCKETS_PACKED,
  HISTOGRAM_DATA_POINT_COUNT as COUNT,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_ATTRIBUTES,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_EXEMPLARS,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_FLAGS,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_MAX as EXPONENTIAL_MAX,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_MIN as EXPONENTIAL_MIN,
  HISTOGRAM_DATA_POINT_ATTRIBUTES,
  HISTOGRAM_DATA_POINT_EXEMPLARS,
  HISTOGRAM_DATA_POINT_FLAGS,
  HISTOGRAM_DATA_POINT_MAX as MAX,
  HISTOGRAM_DATA_POINT_MIN as MIN,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_NEGATIVE as NEGATIVE,
  NUMBER_DATA_POINT_ATTRIBUTES,
  NUMBER_DATA_POINT_EXEMPLARS,
  NUMBER_DATA_POINT_FLAGS,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_BUCKETS_OFFSET as OFFSET,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_POSITIVE as POSITIVE,
  SUMMARY_DATA_POINT_QUANTILE_VALUES as QUANTILE,
  SUMMARY_DATA_POINT_VALUE_AT_QUANTILE_QUANTILE as QUANTILE_AT,
  SUMMARY_DATA_POINT_VALUE_AT_QUANTILE_VALUE as QUANTILE_VALUE,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_SCALE as SCALE,
  HISTOGRAM_DATA_POINT_SUM as SUM,
  SUMMARY_DATA_POINT_ATTRIBUTES,
  SUMMARY_DATA_POINT_FLAGS,
  NUMBER_DATA_POINT_TIME_UNIX_NANO as TIME,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_BUCKETS_BUCKET_COUNTS as VARINT_COUNT,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_BUCKETS_BUCKET_COUNTS_PACKED as VARINT_COUNTS,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_ZERO_COUNT as ZERO_COUNT,
  EXPONENTIAL_HISTOGRAM_DATA_POINT_ZERO_THRESHOLD as ZERO_THRESHOLD,
} from '../../generated/tags.ts';
import { msAt, type WireReader } from '../wire-reader.ts';
import type { HistogramTable } from './columns.ts';
import { sfixed64At } from './exemplar.ts';
import { Fingerprint, SetHash } from './hash.ts';

/** The kinds of data points on the wire, and the tags that mean the same in all of them. */
export const LAYOUTS = {
  number: {
    shape: 'number',
    attributes: NUMBER_DATA_POINT_ATTRIBUTES,
    exemplars: NUMBER_DATA_POINT_EXEMPLARS,
    flags: NUMBER_DATA_POINT_FLAGS,
  },
  histogram: {
    shape: 'histogram',
    attributes: HISTOGRAM_DATA_POINT_ATTRIBUTES,
    exemplars: HISTOGRAM_DATA_POINT_EXEMPLARS,
    flags: HISTOGRAM_DATA_POINT_FLAGS,
  },
  exponential: {
    shape: 'exponential',
    attributes: EXPONENTIAL_HISTOGRAM_DATA_POINT_ATTRIBUTES,
    exemplars: EXPONENTIAL_HISTOGRAM_DATA_POINT_EXEMPLARS,
    flags: EXPONENTIAL_HISTOGRAM_DATA_POINT_FLAGS,
  },
  summary: { shape: 'summary', attributes: SUMMARY_DATA_POINT_ATTRIBUTES, exemplars: -1, flags: SUMMARY_DATA_POINT_FLAGS },
} as const;
export type Layout = (typeof LAYOUTS)[keyof typeof LAYOUTS];

const NO_RECORDED_VALUE = 1;

const zigzag = (value: number): number => (value >>> 1) ^ -(value & 1);

/** What one data point says, read before it is known whether it is kept. Positions are -1 where nothing stands. */
export class PointFacts {
  /** Unix ms with fractions; 0 without a time. */
  tsMs = 0;
  begin = 0;
  end = 0;
  exemplars = 0;
  value = Number.NaN;
  countAt = -1;
  sum = Number.NaN;
  min = Number.NaN;
  max = Number.NaN;
  scale = 0;
  zeroCountAt = -1;
  zeroThreshold = 0;
  positiveOffset = 0;
  negativeOffset = 0;
  readonly attributes = new SetHash();
  private readonly entry = new Fingerprint();
  private flags = 0;
  private bounds = 0;
  private buckets = 0;
  private lastBound = Number.NEGATIVE_INFINITY;
  private sound = true;

  /** Reads the point up to `end`. */
  read(reader: WireReader, end: number, layout: Layout): void {
    this.begin = reader.at;
    this.end = end;
    if (layout.shape === 'number') {
      this.readNumber(reader, end);
      return;
    }
    this.clear();
    const { words } = reader;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === layout.attributes) {
        const stop = reader.enter(end);
        this.entry.begin();
        this.entry.bytes(words, reader.at, stop);
        this.entry.end();
        this.attributes.add(this.entry);
        reader.at = stop;
      } else if (tag === TIME) this.tsMs = msAt(words, reader.fixed(8, end));
      else if (tag === layout.flags) this.flags = reader.varint();
      else if (tag === layout.exemplars) {
        this.exemplars++;
        reader.skip(tag, end);
      } else if (layout.shape === 'histogram') this.readHistogram(reader, tag, end);
      else if (layout.shape === 'exponential') this.readExponential(reader, tag, end);
      else this.readSummary(reader, tag, end);
    }
  }

  /** Whether the point tells something that a store and JSON can carry: a recorded, finite value; bounds in order, as many counts. */
  tells(layout: Layout): boolean {
    if ((this.flags & NO_RECORDED_VALUE) !== 0) return false;
    if (layout.shape === 'number') return Number.isFinite(this.value);
    return this.sound && (this.buckets === 0 ? this.bounds === 0 : this.buckets === this.bounds + 1);
  }

  private clear(): void {
    this.tsMs = this.exemplars = this.scale = this.zeroThreshold = this.positiveOffset = this.negativeOffset = 0;
    this.flags = this.bounds = this.buckets = 0;
    this.countAt = this.zeroCountAt = -1;
    this.value = this.sum = this.min = this.max = Number.NaN;
    this.lastBound = Number.NEGATIVE_INFINITY;
    this.sound = true;
    this.attributes.clear();
  }

  /** Of the kind that most are of, with what it finds in locals. */
  private readNumber(reader: WireReader, end: number): void {
    const { attributes: attribute, exemplars: exemplar, flags: flag } = LAYOUTS.number;
    const { words } = reader;
    const { entry, attributes } = this;
    let [tsMs, value] = [0, Number.NaN];
    let [flags, exemplars] = [0, 0];
    attributes.clear();
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === attribute) {
        const stop = reader.enter(end);
        entry.begin();
        entry.bytes(words, reader.at, stop);
        entry.end();
        attributes.add(entry);
        reader.at = stop;
      } else if (tag === TIME) tsMs = msAt(words, reader.fixed(8, end));
      else if (tag === AS_DOUBLE) value = words.getFloat64(reader.fixed(8, end), true);
      else if (tag === AS_INT) value = sfixed64At(words, reader.fixed(8, end));
      else if (tag === flag) flags = reader.varint();
      else {
        if (tag === exemplar) exemplars++;
        reader.skip(tag, end);
      }
    }
    this.tsMs = tsMs;
    this.value = value;
    this.flags = flags;
    this.exemplars = exemplars;
  }

  private double(reader: WireReader, end: number): number {
    const value = reader.words.getFloat64(reader.fixed(8, end), true);
    return Number.isFinite(value) ? value : Number.NaN;
  }

  private readHistogram(reader: WireReader, tag: number, end: number): void {
    const { words } = reader;
    if (tag === COUNT) this.countAt = reader.fixed(8, end);
    else if (tag === SUM) this.sum = this.double(reader, end);
    else if (tag === MIN) this.min = this.double(reader, end);
    else if (tag === MAX) this.max = this.double(reader, end);
    else if (tag === BUCKETS || tag === BUCKETS_PACKED) {
      const stop = tag === BUCKETS ? reader.at + 8 : reader.enter(end);
      this.buckets += (stop - reader.at) >>> 3;
      reader.at = stop;
    } else if (tag === BOUND || tag === BOUNDS_PACKED) {
      const stop = tag === BOUND ? reader.at + 8 : reader.enter(end);
      for (; reader.at + 8 <= stop; reader.at += 8) {
        const bound = words.getFloat64(reader.at, true);
        if (!(bound > this.lastBound && Number.isFinite(bound))) this.sound = false;
        this.lastBound = bound;
        this.bounds++;
      }
      reader.at = stop;
    } else reader.skip(tag, end);
  }

  private readExponential(reader: WireReader, tag: number, end: number): void {
    if (tag === COUNT) this.countAt = reader.fixed(8, end);
    else if (tag === SUM) this.sum = this.double(reader, end);
    else if (tag === EXPONENTIAL_MIN) this.min = this.double(reader, end);
    else if (tag === EXPONENTIAL_MAX) this.max = this.double(reader, end);
    else if (tag === SCALE) this.scale = zigzag(reader.varint());
    else if (tag === ZERO_COUNT) this.zeroCountAt = reader.fixed(8, end);
    else if (tag === ZERO_THRESHOLD) this.zeroThreshold = this.double(reader, end) || 0;
    else if (tag === POSITIVE) this.positiveOffset = this.readOffset(reader, reader.enter(end));
    else if (tag === NEGATIVE) this.negativeOffset = this.readOffset(reader, reader.enter(end));
    else reader.skip(tag, end);
  }

  private readOffset(reader: WireReader, end: number): number {
    let offset = 0;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === OFFSET) offset = zigzag(reader.varint());
      else reader.skip(tag, end);
    }
    return offset;
  }

  private readSummary(reader: WireReader, tag: number, end: number): void {
    if (tag === COUNT) this.countAt = reader.fixed(8, end);
    else if (tag === SUM) this.sum = this.double(reader, end);
    else reader.skip(tag, end);
  }
}

/** The low 53 bits of a varint; what is larger no counter ever reaches. */
function count(reader: WireReader): number {
  const { bytes } = reader;
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = bytes[reader.at++] as number;
    if (scale < 2 ** 49) value += (byte & 127) * scale;
    if (!(byte > 127)) return value;
  }
}

function fillBuckets(reader: WireReader, end: number, into: HistogramTable['positive']): void {
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === VARINT_COUNT) into.push(count(reader));
    else if (tag === VARINT_COUNTS) for (const stop = reader.enter(end); reader.at < stop; ) into.push(count(reader));
    else reader.skip(tag, end);
  }
}

function fillQuantile(reader: WireReader, end: number, table: HistogramTable): void {
  let [quantileAt, valueAt] = [-1, -1];
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag === QUANTILE_AT) quantileAt = reader.fixed(8, end);
    else if (tag === QUANTILE_VALUE) valueAt = reader.fixed(8, end);
    else reader.skip(tag, end);
  }
  // Proto3 leaves out what is 0.
  const { bytes } = reader;
  if (quantileAt < 0) table.bounds.push(0);
  else table.bounds.copy(bytes, quantileAt, quantileAt + 8);
  if (valueAt < 0) table.quantileValues.push(0);
  else table.quantileValues.copy(bytes, valueAt, valueAt + 8);
}

/** Copies the lists of the point that `facts` has read into the open row of the table. */
export function fillLists(
  reader: WireReader,
  { begin, end }: PointFacts,
  { layout, table }: { layout: Layout; table: HistogramTable },
): void {
  const { bytes } = reader;
  reader.at = begin;
  while (reader.at < end) {
    const tag = reader.varint();
    const histogram = layout.shape === 'histogram';
    if (histogram && (tag === BUCKETS_PACKED || tag === BOUNDS_PACKED || tag === BUCKETS || tag === BOUND)) {
      const stop = (tag & 7) === 1 ? reader.at + 8 : reader.enter(end);
      (tag === BUCKETS || tag === BUCKETS_PACKED ? table.bucketCounts : table.bounds).copy(bytes, reader.at, stop);
      reader.at = stop;
    } else if (layout.shape === 'exponential' && (tag === POSITIVE || tag === NEGATIVE))
      fillBuckets(reader, reader.enter(end), tag === POSITIVE ? table.positive : table.negative);
    else if (layout.shape === 'summary' && tag === QUANTILE) fillQuantile(reader, reader.enter(end), table);
    else reader.skip(tag, end);
  }
}
