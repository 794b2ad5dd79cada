import {
  SUM_DATA_POINTS as DATA_POINTS,
  METRIC_DESCRIPTION as DESCRIPTION,
  SCOPE_METRICS_METRICS as METRICS,
  SUM_IS_MONOTONIC as MONOTONIC,
  METRIC_NAME as NAME,
  EXPORT_METRICS_SERVICE_REQUEST_RESOURCE_METRICS as RESOURCES,
  RESOURCE_METRICS_SCOPE_METRICS as SCOPES,
  METRIC_SUM as SUM,
  SUM_AGGREGATION_TEMPORALITY as TEMPORALITY,
  METRIC_UNIT as UNIT,
} from '../../generated/tags.ts';
import { isOutOfTime } from '../../walk/index.ts';
import { type BuildCounts, type BuildMessage, type Built, countsOf, type SignalBuilder } from '../builder.ts';
import { WireReader } from '../wire-reader.ts';
import { ExemplarTable, HistogramTable, PointTable, type RowKey } from './columns.ts';
import { ExemplarFacts } from './exemplar.ts';
import { Fingerprint } from './hash.ts';
import { BEYOND, KNOWN, KnownSeries, type SeriesBounds, type SeriesInStore } from './known-series.ts';
import { type AttributeRange, LabelReader } from './labels.ts';
import { holdsPoints, type Metric, type MetricClocks, MetricNames, type MetricOnWire, textOf } from './names.ts';
import { Overflow } from './overflow.ts';
import { fillLists, type Layout, PointFacts } from './point.ts';
import { PointSource } from './point-source.ts';
import { SeriesTable } from './series-table.ts';

/** Held at a time before the next message. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** A double tells nanoseconds of today to a quarter of a microsecond: without room for that a whole millisecond may end as the one before. */
const wholeMs = (ms: number): number => Math.floor(ms + 0.0005);

/**
 * Points of metrics -> metric_series (only series that are new in their month), metric_points, metric_histograms and metric_exemplars
 * (clickhouse/migrations/0008). A point again is the same row again, which the tables collapse: positions on the bus are not needed.
 */
export class MetricBuilder implements SignalBuilder {
  private readonly reader = new WireReader();
  private readonly series = new SeriesTable();
  private readonly points = new PointTable();
  private readonly histograms = new HistogramTable();
  private readonly exemplars = new ExemplarTable();
  /** Series first: a point that is there can always be named. */
  private readonly tables = [this.series, this.points, this.histograms, this.exemplars];
  private readonly known: KnownSeries;
  private readonly overflow: Overflow;
  private readonly names: MetricNames;
  private readonly labels = new LabelReader();
  private readonly facts = new PointFacts();
  private readonly exemplar = new ExemplarFacts();
  private readonly source = new PointSource();
  private readonly metricHash = new Fingerprint();
  private readonly fingerprint = new Fingerprint();
  private readonly metric: AttributeRange = { begin: 0, end: 0, tag: METRICS };
  private readonly sent: MetricOnWire = {
    name: { begin: 0, end: 0, tag: NAME },
    unit: { begin: 0, end: 0, tag: UNIT },
    tag: 0,
    temporality: 0,
    monotonic: false,
  };
  private readonly description: AttributeRange = { begin: 0, end: 0, tag: DESCRIPTION };
  /** Column `origin` of the metric's series; undefined until one of them is written. */
  private notes: string | undefined;
  private readonly key: RowKey = { tenant: '', metric: '', fingerprint: this.fingerprint, ts: 0, keepDays: 0 };
  private counts = new Map<string, BuildCounts>();
  private current: BuildCounts = countsOf(new Map(), '');
  private at = 0;

  constructor(clocks: MetricClocks, bounds: SeriesBounds) {
    this.names = new MetricNames(clocks);
    this.known = new KnownSeries(bounds);
    this.overflow = new Overflow({ known: this.known, labels: this.labels, series: this.series, points: this.points });
  }

  add({ tenant, bytes, at, offsetLow }: BuildMessage): void {
    this.at = at;
    this.key.tenant = tenant;
    this.current = countsOf(this.counts, tenant);
    this.known.begin(tenant, at);
    this.overflow.begin(tenant, offsetLow);
    const { reader } = this;
    reader.open(bytes);
    const end = bytes.length;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === RESOURCES) this.addResource(reader, reader.enter(end));
      else reader.skip(tag, end);
    }
    this.current.rows += this.overflow.endRequest(tenant);
  }

  /** What the store has of tenants that `finish` said are unread. */
  learn(series: SeriesInStore): void {
    this.known.learn(series);
  }

  private addResource(reader: WireReader, end: number): void {
    this.source.readResource(reader, end);
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === SCOPES) this.addScope(reader, reader.enter(end));
      else reader.skip(tag, end);
    }
  }

  private addScope(reader: WireReader, end: number): void {
    this.source.readScope(reader, end);
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === METRICS) this.addMetric(reader, reader.enter(end));
      else reader.skip(tag, end);
    }
  }

  private addMetric(reader: WireReader, end: number): void {
    const begin = reader.at;
    this.metric.begin = begin;
    this.metric.end = end;
    this.notes = undefined;
    this.findTexts(reader, end);
    reader.at = begin;
    while (reader.at < end) {
      const tag = reader.varint();
      if (!holdsPoints(tag)) {
        reader.skip(tag, end);
        continue;
      }
      const stop = reader.enter(end);
      this.addData(reader, stop, tag);
      reader.at = stop;
    }
  }

  /** Where texts lie that may stand behind the points; nowhere without one. */
  private findTexts(reader: WireReader, end: number): void {
    const { name, unit } = this.sent;
    const { description } = this;
    name.begin = name.end = unit.begin = unit.end = description.begin = description.end = reader.at;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag !== NAME && tag !== DESCRIPTION && tag !== UNIT) {
        reader.skip(tag, end);
        continue;
      }
      const range = tag === NAME ? name : tag === UNIT ? unit : description;
      range.end = reader.enter(end);
      range.begin = reader.at;
      reader.at = range.end;
    }
  }

  private addData(reader: WireReader, end: number, kind: number): void {
    const begin = reader.at;
    const { sent } = this;
    sent.tag = kind;
    sent.temporality = 0;
    sent.monotonic = false;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === TEMPORALITY) sent.temporality = reader.varint();
      else if (tag === MONOTONIC && kind === SUM) sent.monotonic = reader.varint() !== 0;
      else reader.skip(tag, end);
    }
    const metric = this.names.of(reader, sent);
    this.key.metric = metric.metric;
    this.key.keepDays = metric.keepDays;
    this.metricHash.continue(metric.begun);
    this.metricHash.halves(this.source.hash);
    this.metricHash.end();
    reader.at = begin;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === DATA_POINTS) this.addPoint(reader, reader.enter(end), metric);
      else reader.skip(tag, end);
    }
  }

  private addPoint(reader: WireReader, end: number, metric: Metric): void {
    const { facts, key, fingerprint } = this;
    facts.read(reader, end, metric.layout);
    if (isOutOfTime('metrics', facts.tsMs, this.at) || !facts.tells(metric.layout)) {
      this.current.leftOut++;
      return;
    }
    key.ts = wholeMs(facts.tsMs);
    fingerprint.begin();
    fingerprint.halves(this.metricHash);
    fingerprint.halves(facts.attributes);
    fingerprint.end();
    const admitted = this.known.admit(fingerprint, key.ts, metric.begun);
    if (admitted === BEYOND) {
      this.current.rows += this.overflow.add(reader, key, { metric, value: facts.value, ranges: this.rangesOf(metric) });
      reader.at = end;
      return;
    }
    if (admitted !== KNOWN) this.nameSeries(reader, metric);
    if (metric.layout.shape === 'number') this.points.add(key, facts.value);
    else {
      fillLists(reader, facts, { layout: metric.layout, table: this.histograms });
      this.histograms.add(key, reader.bytes, facts);
    }
    if (facts.exemplars > 0) this.addExemplars(reader, metric.layout);
    this.current.rows++;
    reader.at = end;
  }

  /** Where the labels of the point lie that is read, its own first. */
  private rangesOf({ layout }: Metric): AttributeRange[] {
    const { facts, source } = this;
    return [{ begin: facts.begin, end: facts.end, tag: layout.attributes }, source.scope, source.resource];
  }

  /** Writes what the fingerprint stands for, of a series that the store may not have for this month. */
  private nameSeries(reader: WireReader, point: Metric): void {
    const { key, source } = this;
    const { metric, otelName, unit, kind } = point;
    const read = this.labels.read(reader, this.rangesOf(point));
    const fewer = this.overflow.cutLabels(read.labels);
    const labels = fewer ?? read.labels;
    if (read.cut || fewer) this.current.truncated++;
    const service = labels['service.name'] ?? '';
    const { tenant } = key;
    const { fingerprint } = this;
    const { month } = this.known;
    this.notes ??= this.describe(reader);
    const { scopeName: scope, scopeVersion } = source;
    const description = textOf(reader.bytes, this.description);
    const named = { metric, otelName, unit, description, kind, scope, scopeVersion, origin: this.notes };
    this.series.add({ tenant, fingerprint, month, service, labels, ...named });
  }

  private describe(reader: WireReader): string {
    const { text, cut } = this.source.describe(reader, this.metric);
    if (cut) this.current.truncated++;
    return text;
  }

  private addExemplars(reader: WireReader, { exemplars }: Layout): void {
    const { begin, end } = this.facts;
    const { ts } = this.key;
    reader.at = begin;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === exemplars) this.addExemplar(reader, reader.enter(end));
      else reader.skip(tag, end);
    }
    this.key.ts = ts;
  }

  private addExemplar(reader: WireReader, end: number): void {
    const { exemplars, exemplar, key } = this;
    exemplar.read(reader, end);
    if (!Number.isFinite(exemplar.value) || isOutOfTime('metrics', exemplar.tsMs, this.at)) return;
    key.ts = wholeMs(exemplar.tsMs);
    if (exemplars.add(key, reader, exemplar)) this.current.truncated++;
    reader.at = end;
  }

  get isFull(): boolean {
    return this.tables.reduce((sum, { bytes }) => sum + bytes, 0) >= MAX_HELD_BYTES;
  }

  finish(): Built {
    const blocks = this.tables.filter(({ rows }) => rows > 0).map((table) => table.encode());
    const { counts } = this;
    const series = { unread: [...this.known.unread], reports: this.overflow.finish() };
    const stored = this.known.finish();
    this.clear();
    return { blocks, counts, stored, series };
  }

  reset(): void {
    this.known.reset();
    this.overflow.reset();
    this.clear();
  }

  private clear(): void {
    for (const table of this.tables) table.reset();
    this.counts = new Map();
  }
}
