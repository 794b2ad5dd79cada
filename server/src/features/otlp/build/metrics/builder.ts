import { isOutOfTime } from '../../wire/index.ts';
import { type BuildCounts, type BuildMessage, type Built, countsOf, type SignalBuilder } from '../builder.ts';
import { describeOrigin, OriginGatherer } from '../origin-notes.ts';
import { WireReader } from '../wire-reader.ts';
import { ExemplarTable, HistogramTable, PointTable, type RowKey } from './columns.ts';
import { ExemplarFacts } from './exemplar.ts';
import { Fingerprint, SetHash } from './hash.ts';
import { KnownSeries } from './known-series.ts';
import { type AttributeRange, LabelReader } from './labels.ts';
import { kindOf, type MetricClocks, MetricNames, type Named } from './names.ts';
import { fillLists, LAYOUTS, type Layout, PointFacts } from './point.ts';
import { SeriesTable } from './series-table.ts';

/** Fields of the export request, ResourceMetrics, ScopeMetrics and their Resource and InstrumentationScope. */
const RESOURCES = 10;
const RESOURCE = 10;
const SCOPES = 18;
const SCOPE = 10;
const METRICS = 18;
const SCHEMA_URL = 26;
const RESOURCE_ATTRIBUTE = 10;
const SCOPE_NAME = 10;
const SCOPE_VERSION = 18;
const SCOPE_ATTRIBUTE = 26;
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
/** Characters of a name, unit or description that are kept. */
const MAX_TEXT = 1024;

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
  private readonly resourceHash = new SetHash();
  private readonly scopeHash = new Fingerprint();
  private readonly metricHash = new Fingerprint();
  private readonly fingerprint = new Fingerprint();
  private readonly entry = new Fingerprint();
  private readonly resource: AttributeRange = { begin: 0, end: 0, tag: RESOURCE_ATTRIBUTE };
  private readonly scope: AttributeRange = { begin: 0, end: 0, tag: SCOPE_ATTRIBUTE };
  private readonly resourceSchema: AttributeRange = { begin: 0, end: 0, tag: SCHEMA_URL };
  private readonly scopeSchema: AttributeRange = { begin: 0, end: 0, tag: SCHEMA_URL };
  private readonly metric: AttributeRange = { begin: 0, end: 0, tag: METRICS };
  private readonly gathered = new OriginGatherer();
  private scopeName = '';
  private scopeVersion = '';
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

  /** Where the field lies that may stand behind those it belongs to; nowhere without one. */
  private find(reader: WireReader, end: number, { tag: wanted, range }: { tag: number; range: AttributeRange }): void {
    const begin = reader.at;
    range.begin = range.end = begin;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === wanted) {
        range.end = reader.enter(end);
        range.begin = reader.at;
        reader.at = range.end;
      } else reader.skip(tag, end);
    }
    reader.at = begin;
  }

  private addResource(reader: WireReader, end: number): void {
    const begin = reader.at;
    this.find(reader, end, { tag: RESOURCE, range: this.resource });
    this.find(reader, end, { tag: SCHEMA_URL, range: this.resourceSchema });
    this.resourceHash.clear();
    this.hashAttributes(reader, this.resource, this.resourceHash);
    reader.at = begin;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === SCOPES) this.addScope(reader, reader.enter(end));
      else reader.skip(tag, end);
    }
  }

  private hashAttributes(reader: WireReader, { begin, end, tag: wanted }: AttributeRange, into: SetHash): void {
    reader.at = begin;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag !== wanted) {
        reader.skip(tag, end);
        continue;
      }
      const stop = reader.enter(end);
      this.entry.begin();
      this.entry.bytes(reader.bytes, reader.at, stop);
      this.entry.end();
      into.add(this.entry);
      reader.at = stop;
    }
  }

  private addScope(reader: WireReader, end: number): void {
    const begin = reader.at;
    this.find(reader, end, { tag: SCOPE, range: this.scope });
    this.find(reader, end, { tag: SCHEMA_URL, range: this.scopeSchema });
    const attributes = new SetHash();
    this.hashAttributes(reader, this.scope, attributes);
    const name: AttributeRange = { begin: 0, end: 0, tag: 0 };
    reader.at = this.scope.begin;
    this.find(reader, this.scope.end, { tag: SCOPE_NAME, range: name });
    this.scopeName = reader.bytes.toString('utf8', name.begin, name.end);
    const version: AttributeRange = { begin: 0, end: 0, tag: 0 };
    this.find(reader, this.scope.end, { tag: SCOPE_VERSION, range: version });
    this.scopeVersion = reader.bytes.toString('utf8', version.begin, version.end).slice(0, MAX_TEXT);
    this.scopeHash.begin();
    this.scopeHash.bytes(reader.bytes, name.begin, name.end);
    this.scopeHash.halves(attributes);
    this.scopeHash.halves(this.resourceHash);
    this.scopeHash.end();
    reader.at = begin;
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
    this.metricHash.halves(this.scopeHash);
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
    const { labels, cut } = this.labels.read(reader, [own, this.scope, this.resource]);
    if (cut) this.current.truncated++;
    const service = labels['service.name'] ?? '';
    const { tenant } = key;
    const { fingerprint, scopeName: scope, scopeVersion } = this;
    const { month } = this.known;
    this.notes ??= this.describe(reader);
    const named = { metric, otelName, unit, description, kind, scope, scopeVersion, origin: this.notes };
    this.series.add({ tenant, fingerprint, month, service, labels, ...named });
  }

  private describe(reader: WireReader): string {
    const { gathered, resource, scope, metric, resourceSchema, scopeSchema } = this;
    const each = ({ begin, end }: AttributeRange, take: (tag: number, end: number) => void): void => {
      reader.at = begin;
      while (reader.at < end) take(reader.varint(), end);
    };
    gathered.beginResource();
    each(resource, (tag, end) => gathered.resourceField(reader, tag, end));
    gathered.endResource(reader, { start: resourceSchema.begin, end: resourceSchema.end });
    each(scope, (tag, end) => gathered.scopeField(reader, tag, end));
    gathered.endScope(reader, { start: scopeSchema.begin, end: scopeSchema.end });
    each(metric, (tag, end) => gathered.metricField(reader, tag, end));
    const { text, cut } = describeOrigin(gathered);
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

  /** Series first: a point that is there can always be named. */
  /** A point that is kept has eleven bytes at least, and takes little more here. */
  readonly isFull = false;

  finish(): Built {
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
