import { wordsOf } from '@svc/bytes';
import { type MetricSource, sourceOfMetric } from '@svc/contracts/metric-source';
import {
  METRIC_EXPONENTIAL_HISTOGRAM,
  METRIC_GAUGE,
  METRIC_HISTOGRAM,
  METRIC_SUM,
  METRIC_SUMMARY,
} from '../../generated/tags.ts';
import type { WireReader } from '../wire-reader.ts';
import { Fingerprint } from './hash.ts';
import type { AttributeRange } from './labels.ts';
import { tsdbName } from './name.ts';
import { LAYOUTS, type Layout } from './point.ts';

/** Days that points are kept, by source. */
export type MetricClocks = Readonly<Record<MetricSource, number>>;

/** Characters of a name, version, unit or description that are kept. */
const MAX_TEXT = 1024;
/** Bytes that so many characters have at most. */
const MAX_TEXT_BYTES = 3 * MAX_TEXT;
/** UCUM asks for no more; what is longer is no unit, and looking for it in a name would take its time. */
const MAX_UNIT = 63;
const KNOWN_NAMES = 20_000;
/** A name and unit that are longer together are worked out each time. */
const KNOWN_BYTES = 256;
const DELTA = 1;

/** Fields of Metric that hold data points. */
const KINDS: Readonly<Record<number, { kind: string; layout: Layout }>> = {
  [METRIC_GAUGE]: { kind: 'gauge', layout: LAYOUTS.number },
  [METRIC_SUM]: { kind: 'sum', layout: LAYOUTS.number },
  [METRIC_HISTOGRAM]: { kind: 'histogram', layout: LAYOUTS.histogram },
  [METRIC_EXPONENTIAL_HISTOGRAM]: { kind: 'exp_histogram', layout: LAYOUTS.exponential },
  [METRIC_SUMMARY]: { kind: 'summary', layout: LAYOUTS.summary },
};
export const holdsPoints = (tag: number): boolean => KINDS[tag] !== undefined;

/** The kept characters of a text on the wire, without reading what follows them: a description may be as long as a request. */
export const textOf = (bytes: Buffer, { begin, end }: AttributeRange): string =>
  bytes.toString('utf8', begin, Math.min(end, begin + MAX_TEXT_BYTES)).slice(0, MAX_TEXT);

/** How a metric is called on the wire, and what it is. */
export interface MetricOnWire {
  readonly name: AttributeRange;
  readonly unit: AttributeRange;
  /** Field of Metric. */
  tag: number;
  temporality: number;
  monotonic: boolean;
}

/** What the points of one metric have in common, whoever sends them. */
export interface Metric {
  /** As in a TSDB. */
  metric: string;
  keepDays: number;
  otelName: string;
  unit: string;
  /** As column `kind` has it (clickhouse/migrations/0008). */
  kind: string;
  layout: Layout;
  /** What fingerprints of its series begin with, and as it stands a hash of name, unit and kind. */
  begun: Fingerprint;
}

interface Known extends Metric {
  hash: number;
  shape: number;
  bytes: Buffer;
  nameBytes: number;
}

function kindOf(kind: string, { temporality, monotonic }: MetricOnWire): string {
  const delta = temporality === DELTA;
  if (kind === 'sum') return delta ? 'delta' : monotonic ? 'sum' : 'updown';
  return delta && kind.endsWith('histogram') ? `delta_${kind}` : kind;
}

/**
 * How metrics are called, remembered by the bytes that they were sent as: with each request come the same again, and to make texts of them
 * costs as much as some of their points.
 */
export class MetricNames {
  private readonly clocks: MetricClocks;
  private readonly known = new Map<number, Known>();
  private readonly hash = new Fingerprint();

  constructor(clocks: MetricClocks) {
    this.clocks = clocks;
  }

  of(reader: WireReader, on: MetricOnWire): Metric {
    const { name, unit } = on;
    const shape = on.tag * 4 + (on.temporality === DELTA ? 2 : 0) + (on.monotonic ? 1 : 0);
    const { hash } = this;
    hash.begin();
    hash.bytes(reader.words, name.begin, name.end);
    hash.bytes(reader.words, unit.begin, unit.end);
    hash.word(shape);
    hash.end();
    // A small integer, which is found without an object of its own.
    const key = hash.low >> 1;
    const known = this.known.get(key);
    if (known && known.hash === hash.high && known.shape === shape && isNamed(known, reader.bytes, on)) return known;
    const metric = this.make(reader, on);
    const length = name.end - name.begin + unit.end - unit.begin;
    if (length > KNOWN_BYTES) return metric;
    if (this.known.size >= KNOWN_NAMES) this.known.clear();
    const bytes = Buffer.concat([reader.bytes.subarray(name.begin, name.end), reader.bytes.subarray(unit.begin, unit.end)]);
    this.known.set(key, { ...metric, hash: hash.high, shape, bytes, nameBytes: name.end - name.begin });
    return metric;
  }

  private make({ bytes }: WireReader, on: MetricOnWire): Metric {
    const { kind: sent, layout } = KINDS[on.tag] as (typeof KINDS)[number];
    const otelName = textOf(bytes, on.name);
    const unit = textOf(bytes, on.unit);
    const kind = kindOf(sent, on);
    const metric = tsdbName({
      name: otelName,
      unit: unit.length > MAX_UNIT ? '' : unit,
      monotonic: on.monotonic,
      gauge: kind === 'gauge',
    });
    const text = Buffer.from(`${otelName}\0${unit}\0${kind}`);
    const begun = new Fingerprint();
    begun.begin();
    begun.bytes(wordsOf(text), 0, text.length);
    begun.end();
    return { metric, keepDays: this.clocks[sourceOfMetric(metric)], otelName, unit, kind, layout, begun };
  }
}

/** Two metrics may have the same hash, and somebody may choose theirs so that they have. */
function isNamed({ bytes, nameBytes }: Known, sent: Buffer, { name, unit }: MetricOnWire): boolean {
  if (name.end - name.begin !== nameBytes || unit.end - unit.begin !== bytes.length - nameBytes) return false;
  let i = 0;
  for (let at = name.begin; at < name.end; at++) if (sent[at] !== bytes[i++]) return false;
  for (let at = unit.begin; at < unit.end; at++) if (sent[at] !== bytes[i++]) return false;
  return true;
}
