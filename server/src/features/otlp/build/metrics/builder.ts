import { isOutOfTime } from '../../wire/index.ts';
import { type BuildCounts, type BuildMessage, type Built, countsOf, type SignalBuilder } from '../builder.ts';
import { WireReader } from '../wire-reader.ts';
import { ExemplarTable, HistogramTable, PointTable, type RowKey } from './columns.ts';
import { ExemplarFacts } from './exemplar.ts';
import { Fingerprint } from './hash.ts';
import { KnownSeries } from './known-series.ts';
import { type AttributeRange, LabelReader } from './labels.ts';
import { kindOf, type MetricClocks, MetricNames, type Named } from './names.ts';
import { fillLists, LAYOUTS, type Layout, PointFacts } from './point.ts';
import { MAX_TEXT, PointSource } from './point-source.ts';
import { SeriesTable } from './series-table.ts';

/** Fields of the export request, ResourceMetrics and ScopeMetrics. */
const RESOURCES = 10;
const SCOPES = 18;
const METRICS = 18;
/** Of Metric. */
const NAME = 10;
const DESCRIPTION = 18;
const UNIT = 26;
const KINDS: Readonly<Record<number, { kind: string; layout: Layout }>> = {
  42: { kind: 'gauge', layout: LAYOUTS.number },
  58: { kind: 'sum', layout: LAYOUTS.number },
  74: { kind: 'histogram', layout: LAYOUTS.histogram },
  82: { kind: 'exp_histogram', layout: LAYOUTS.exponential },
  90: { kind: 'summary', layout: LAYOUTS.summary },
};
/** Of Gauge, Sum and their kin. */
const DATA_POINTS = 10;
const TEMPORALITY = 16;
const MONOTONIC = 24;
const DELTA = 1;
/** A double tells nanoseconds of today to a quarter of a microsecond: without room for that a whole millisecond may end as the one before. */
const wholeMs = (ms: number): number => Math.floor(ms + 0.0005);

/** What the points of one metric have in common. */
interface Metric extends Named {
  otelName: string;
  unit: string;
  description: string;
  kind: string;
  layout: Layout;
}

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
  private readonly known = new KnownSeries();
  private readonly names: MetricNames;
  private readonly labels = new LabelReader();
  private readonly facts = new PointFacts();
  private readonly exemplar = new ExemplarFacts();
  private readonly source = new PointSource();
  private readonly metricHash = new Fingerprint();
  private readonly fingerprint = new Fingerprint();
  private readonly metric: AttributeRange = { begin: 0, end: 0, tag: METRICS };
  /** Column `origin` of the metric's series; undefined until one of them is written. */
  private notes: string | undefined;
  private readonly key: RowKey = { tenant: '', metric: '', fingerprint: this.fingerprint, ts: 0, keepDays: 0 };
  private counts = new Map<string, BuildCounts>();
  private current: BuildCounts = countsOf(new Map(), '');
  private at = 0;

  constructor(clocks: MetricClocks) {
    this.names = new MetricNames(clocks);
  }

  add({ tenant, bytes, at }: BuildMessage): void {
    this.at = at;
    this.key.tenant = tenant;
    this.current = countsOf(this.counts, tenant);
    this.known.begin(tenant);
    const { reader } = this;
    reader.open(bytes);
    const end = bytes.length;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === RESOURCES) this.addResource(reader, reader.enter(end));
      else reader.skip(tag, end);
    }
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
    const texts = { [NAME]: '', [DESCRIPTION]: '', [UNIT]: '' };
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === NAME || tag === DESCRIPTION || tag === UNIT) {
        const stop = reader.enter(end);
        texts[tag] = reader.bytes.toString('utf8', reader.at, stop).slice(0, MAX_TEXT);
        reader.at = stop;
      } else reader.skip(tag, end);
    }
    reader.at = begin;
    while (reader.at < end) {
      const tag = reader.varint();
      const found = KINDS[tag];
      if (found === undefined) {
        reader.skip(tag, end);
        continue;
      }
      const stop = reader.enter(end);
      this.addData(reader, stop, { ...found, otelName: texts[NAME], unit: texts[UNIT], description: texts[DESCRIPTION] });
      reader.at = stop;
    }
  }

  private addData(reader: WireReader, end: number, about: Omit<Metric, 'metric' | 'keepDays'>): void {
    const begin = reader.at;
    let [temporality, monotonic] = [0, 0];
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === TEMPORALITY) temporality = reader.varint();
      else if (tag === MONOTONIC && about.kind === 'sum') monotonic = reader.varint();
      else reader.skip(tag, end);
    }
    const kind = kindOf(about.kind, { delta: temporality === DELTA, monotonic: monotonic !== 0 });
    const named = this.names.of(about, { kind, monotonic: monotonic !== 0 });
    const metric: Metric = { ...about, ...named, kind };
    this.key.metric = named.metric;
    this.key.keepDays = named.keepDays;
    const text = Buffer.from(`${about.otelName}\0${about.unit}\0${kind}`);
    this.metricHash.begin();
    this.metricHash.bytes(text, 0, text.length);
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
    this.nameSeries(reader, metric);
    if (metric.layout.shape === 'number') this.points.add(key, facts.value);
    else {
      fillLists(reader, facts, { layout: metric.layout, table: this.histograms });
      this.histograms.add(key, reader.bytes, facts);
    }
    if (facts.exemplars > 0) this.addExemplars(reader, metric.layout);
    this.current.rows++;
    reader.at = end;
  }

  /** Writes what the fingerprint stands for, unless that is known to be there for this month. */
  private nameSeries(reader: WireReader, { layout, metric, otelName, unit, description, kind }: Metric): void {
    const { facts, key } = this;
    if (!this.known.isNew(this.fingerprint, key.ts)) return;
    const own: AttributeRange = { begin: facts.begin, end: facts.end, tag: layout.attributes };
    const { source } = this;
    const { labels, cut } = this.labels.read(reader, [own, source.scope, source.resource]);
    if (cut) this.current.truncated++;
    const service = labels['service.name'] ?? '';
    const { tenant } = key;
    const { fingerprint } = this;
    const { month } = this.known;
    this.notes ??= this.describe(reader);
    const { scopeName: scope, scopeVersion } = source;
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

  /** A point that is kept has eleven bytes at least, and takes little more here. */
  readonly isFull = false;

  finish(): Built {
    // Series first: a point that is there can always be named.
    const tables = [this.series, this.points, this.histograms, this.exemplars];
    const blocks = tables.filter(({ rows }) => rows > 0).map((table) => table.encode());
    const { counts } = this;
    const stored = this.known.finish();
    this.clear();
    return { blocks, counts, stored };
  }

  reset(): void {
    this.known.reset();
    this.clear();
  }

  private clear(): void {
    for (const table of [this.series, this.points, this.histograms, this.exemplars]) table.reset();
    this.counts = new Map();
  }
}
