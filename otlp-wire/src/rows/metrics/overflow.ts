import { crc32 } from 'node:zlib';
import type { WireReader } from '../wire-reader.ts';
import type { PointTable, RowKey } from './columns.ts';
import { Fingerprint } from './hash.ts';
import type { KnownSeries } from './known-series.ts';
import type { AttributeRange, LabelReader } from './labels.ts';
import type { Metric } from './names.ts';
import type { SeriesTable } from './series-table.ts';
import { type DayOfSeries, type TenantSeries, takeLabel, takeOverflow } from './tenant-series.ts';

/** As OpenTelemetry's SDKs mark the series that takes what is beyond their own bound. */
const OVERFLOW_LABELS = { 'otel.metric.overflow': 'true' } as const;

/** Overflow series of one metric of deltas, which requests use in turns. */
const SHARDS = 16;
/** What goes into fingerprints of overflow series, so that nothing that is sent has one. */
const MARK = 0x6f766572;
const MAX_METRICS = 50;
const TOLD_METRICS = 5;
const MAX_NAME = 200;
/** One point in so many is looked at for the labels that differ, and so many in a day. */
const SAMPLED_ONE_IN = 16;
const MAX_SAMPLES = 1000;
const MAX_LABELS = 64;
/** Tenants of which it is noted what was beyond their bound. */
const MAX_WITNESSES = 1000;

/** What was beyond the bound of one tenant and day. */
export interface SeriesReport {
  tenant: string;
  /** Since 1970. */
  day: number;
  /** New series of the day so far; undefined while nobody knows which of them the store had. */
  admitted: number | undefined;
  /** Points of this batch that went into overflow series, and that could not. */
  folded: number;
  leftOut: number;
  /** Metrics with most such points, and the label with most values among them, as far as this process has seen them. */
  metrics: { name: string; points: number }[];
  label: { name: string; values: number } | undefined;
}

/** What exceeds a tenant's bound, from a sample. */
class Witness {
  readonly day: number;
  private readonly metrics = new Map<string, number>();
  /** Hashes of values, by label. */
  private readonly labels = new Map<string, Set<number>>();
  private points = 0;
  private samples = 0;

  /** `earlier` is what was noted before, and bounds what more is sampled of its day. */
  constructor(day: number, earlier?: Witness) {
    this.day = day;
    if (earlier?.day === day) this.samples = earlier.samples;
  }

  /** True when the labels of this point are to be noted. */
  note(metric: string): boolean {
    this.addPoints(metric.slice(0, MAX_NAME), 1);
    return this.points++ % SAMPLED_ONE_IN === 0 && this.samples < MAX_SAMPLES;
  }

  noteLabels(labels: Readonly<Record<string, string>>): void {
    this.samples++;
    for (const [label, value] of Object.entries(labels)) this.addValues(label.slice(0, MAX_NAME), [crc32(value)]);
  }

  /** Adds what was noted after this. */
  add({ metrics, labels, samples }: Witness): void {
    this.samples = samples;
    for (const [name, points] of metrics) this.addPoints(name, points);
    for (const [name, values] of labels) this.addValues(name, values);
  }

  private addPoints(name: string, points: number): void {
    const known = this.metrics.get(name);
    if (known !== undefined || this.metrics.size < MAX_METRICS) this.metrics.set(name, (known ?? 0) + points);
  }

  private addValues(name: string, more: Iterable<number>): void {
    const values = this.labels.get(name) ?? new Set();
    if (values.size === 0 && this.labels.size >= MAX_LABELS) return;
    for (const value of more) values.add(value);
    this.labels.set(name, values);
  }

  read(): Pick<SeriesReport, 'metrics' | 'label'> {
    const metrics = [...this.metrics].map(([name, points]) => ({ name, points }));
    const labels = [...this.labels].map(([name, { size }]) => ({ name, values: size }));
    return {
      metrics: metrics.sort((a, b) => b.points - a.points).slice(0, TOLD_METRICS),
      label: labels.sort((a, b) => b.values - a.values)[0],
    };
  }
}

interface Counted {
  series: TenantSeries;
  day: DayOfSeries;
  /** What the day had admitted when this batch began. */
  admitted: number;
  folded: number;
  leftOut: number;
}

/** A point beyond the bound; its attributes lie in the request that is read. */
export interface PointBeyond {
  metric: Metric;
  value: number;
  ranges: readonly AttributeRange[];
}

interface Folded {
  metric: Metric;
  ts: number;
  value: number;
}

export interface OverflowDeps {
  known: KnownSeries;
  labels: LabelReader;
  series: SeriesTable;
  points: PointTable;
}

/** What values of unrelated series can be put into one: no cumulative counters, which would fall with every other point. */
const FOLDED: ReadonlySet<string> = new Set(['gauge', 'updown', 'delta']);

/** Points whose series may not be written: they go into a series of their metric, where they can be put together (docs/telemetry/otlp.md). */
export class Overflow {
  private readonly deps: OverflowDeps;
  private readonly fingerprint = new Fingerprint();
  /** Of deltas of the request that is read: what of one metric has the same millisecond is added up. */
  private readonly sums = new Map<string, Folded>();
  private readonly witnesses = new Map<string, Witness>();
  /** Of the open batch, which may be built again. */
  private noted = new Map<string, Witness>();
  private counted = new Map<string, Counted>();
  private current: Counted | undefined;
  private turn = 0;

  constructor(deps: OverflowDeps) {
    this.deps = deps;
  }

  /** The request that comes is this tenant's, of whom `known` was told, and has this number on the bus. */
  begin(tenant: string, turn: number): void {
    const { day, ofTenant: series } = this.deps.known;
    this.turn = turn;
    const counted = this.counted.get(tenant);
    if (counted?.day === day) this.current = counted;
    else {
      this.current = { series, day, admitted: day.admitted, folded: counted?.folded ?? 0, leftOut: counted?.leftOut ?? 0 };
      this.counted.set(tenant, this.current);
    }
  }

  /** Writes the point, keeps it for `endRequest`, or leaves it out; gives how many rows were written. */
  add(reader: WireReader, { tenant, ts }: Pick<RowKey, 'tenant' | 'ts'>, point: PointBeyond): number {
    const { metric, value } = point;
    this.witness(reader, tenant, point);
    const isKept = FOLDED.has(metric.kind) && takeOverflow(this.deps.known.day, metric.begun);
    if (this.current) this.current[isKept ? 'folded' : 'leftOut']++;
    if (!isKept) return 0;
    if (metric.kind !== 'delta') return this.write(tenant, { metric, ts, value });
    const { low, high } = metric.begun;
    const sum = this.sums.get(`${low} ${high} ${ts}`);
    if (sum) sum.value += value;
    else this.sums.set(`${low} ${high} ${ts}`, { metric, ts, value });
    return 0;
  }

  /** The request is read: what was added up of it is written. */
  endRequest(tenant: string): number {
    if (this.sums.size === 0) return 0;
    let rows = 0;
    for (const sum of this.sums.values()) rows += this.write(tenant, sum);
    this.sums.clear();
    return rows;
  }

  private write(tenant: string, { metric: of, ts, value }: Folded): number {
    const { known, series, points } = this.deps;
    const { metric, otelName, unit, kind, keepDays } = of;
    const fingerprint = this.fingerprintOf(of);
    if (known.admitAlways(fingerprint, ts)) {
      const nothing = { description: '', service: '', scope: '', scopeVersion: '', origin: '' };
      series.add({ tenant, fingerprint, month: known.month, metric, otelName, unit, kind, labels: OVERFLOW_LABELS, ...nothing });
    }
    points.add({ tenant, metric, fingerprint, ts, keepDays }, value);
    return 1;
  }

  /** Requests take turns: a delta of one does not replace that of another with the same millisecond. */
  private fingerprintOf({ kind, begun }: Metric): Fingerprint {
    const { fingerprint } = this;
    fingerprint.continue(begun);
    fingerprint.word(MARK);
    fingerprint.word(kind === 'delta' ? this.turn % SHARDS : 0);
    fingerprint.end();
    return fingerprint;
  }

  /** Labels that a new series may have: names beyond the bound of a day are left off. */
  cutLabels(labels: Readonly<Record<string, string>>): Record<string, string> | undefined {
    const { day } = this.deps.known;
    const entries = Object.entries(labels);
    const kept = entries.filter(([name]) => takeLabel(day, name));
    return kept.length === entries.length ? undefined : { ...Object.fromEntries(kept), 'svc.truncated': 'true' };
  }

  private witness(reader: WireReader, tenant: string, { metric, ranges }: PointBeyond): void {
    const { day } = this.deps.known.day;
    let witness = this.noted.get(tenant);
    if (witness?.day !== day) {
      witness = new Witness(day, this.witnesses.get(tenant));
      this.noted.set(tenant, witness);
    }
    if (witness.note(metric.metric)) witness.noteLabels(this.deps.labels.read(reader, ranges).labels);
  }

  private keep(tenant: string, noted: Witness): void {
    const known = this.witnesses.get(tenant);
    if (known?.day === noted.day) {
      known.add(noted);
      return;
    }
    if (this.witnesses.size >= MAX_WITNESSES) this.witnesses.delete(this.witnesses.keys().next().value ?? '');
    this.witnesses.set(tenant, noted);
  }

  /** What became of the batch, by tenant, where there is something to say; nothing of a batch that is built again. */
  finish(): SeriesReport[] {
    if (this.deps.known.unread.size > 0) {
      this.reset();
      return [];
    }
    for (const [tenant, noted] of this.noted) this.keep(tenant, noted);
    const reports = [...this.counted].flatMap(([tenant, { series, day, admitted, folded, leftOut }]): SeriesReport[] => {
      const isCounted = series.isRead && day.admitted > 0;
      if (folded + leftOut === 0 && !(isCounted && day.admitted > admitted)) return [];
      const witness = folded + leftOut > 0 ? this.witnesses.get(tenant)?.read() : undefined;
      const told = witness ?? { metrics: [], label: undefined };
      return [{ tenant, day: day.day, admitted: isCounted ? day.admitted : undefined, folded, leftOut, ...told }];
    });
    this.reset();
    return reports;
  }

  /** Forgets the open batch. */
  reset(): void {
    this.noted = new Map();
    this.counted = new Map();
    this.current = undefined;
    this.sums.clear();
  }
}
