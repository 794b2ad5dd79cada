import { ByteSink, type EncodedBlock, type EncodedColumn, encodeBlock, type NativeColumn, newColumn } from '@svc/bytes';
import { EXEMPLAR_FILTERED_ATTRIBUTES as EXEMPLAR_ATTRIBUTE } from '../../generated/tags.ts';
import { AttributeMap } from '../attribute-map.ts';
import { checkRows, column, FixedBytes } from '../columns.ts';
import { encodeApart } from '../sinks.ts';
import type { WireReader } from '../wire-reader.ts';
import type { ExemplarFacts } from './exemplar.ts';
import type { Halves } from './hash.ts';

/** Array(T) of eight bytes an entry, copied from the wire whole. */
export class WideArrays implements NativeColumn {
  length = 0;
  private readonly ends = newColumn('UInt64');
  private readonly sink = new ByteSink(4096);

  /** Entries of the open row, as they lie on the wire. */
  copy(bytes: Buffer, start: number, end: number): void {
    this.sink.copy(bytes, start, end);
  }

  push(value: number): void {
    this.sink.uint64(value);
  }

  endRow(): void {
    this.ends.pushHalves(this.sink.length >>> 3, 0);
    this.length++;
  }

  get bytes(): number {
    return this.sink.length;
  }

  reset(): void {
    this.length = 0;
    this.ends.reset();
    this.sink.reset();
  }

  writePrefix(_sink: ByteSink): void {}

  writeBody(sink: ByteSink): void {
    this.ends.writeBody(sink);
    sink.append(this.sink);
  }
}

/** Int32, written as the unsigned number with the same bits. */
class SignedColumn implements NativeColumn {
  private readonly words = newColumn('UInt32');

  get length(): number {
    return this.words.length;
  }

  push(value: number): void {
    this.words.push(value >>> 0);
  }

  reset(): void {
    this.words.reset();
  }

  writePrefix(_sink: ByteSink): void {}

  writeBody(sink: ByteSink): void {
    this.words.writeBody(sink);
  }
}

/** What every row of a series begins with. */
export interface RowKey {
  tenant: string;
  metric: string;
  fingerprint: Halves;
  /** Unix milliseconds, whole. */
  ts: number;
  keepDays: number;
}

class KeyColumns {
  readonly tenants = newColumn('LowCardinality(String)');
  readonly metrics = newColumn('LowCardinality(String)');
  readonly fingerprints = newColumn('UInt64');
  readonly times = newColumn('DateTime64(3)');
  readonly columns: EncodedColumn[] = [
    column('tenant_id', 'LowCardinality(String)', this.tenants),
    column('metric', 'LowCardinality(String)', this.metrics),
    column('fp', 'UInt64', this.fingerprints),
    column('ts', 'DateTime64(3)', this.times),
  ];

  add({ tenant, metric, fingerprint, ts }: RowKey): void {
    this.tenants.push(tenant);
    this.metrics.push(metric);
    this.fingerprints.pushHalves(fingerprint.low, fingerprint.high);
    this.times.push(ts);
  }
}

/** Of a row in a column, at most, where it is a number or an id. */
const COLUMN_BYTES = 8;

/** Rows of one table of clickhouse/migrations/0008, collected. */
export abstract class MetricTable {
  abstract readonly table: string;
  abstract readonly columns: readonly EncodedColumn[];

  get rows(): number {
    return (this.columns[0] as EncodedColumn).values.length;
  }

  /** What its rows hold of memory, about; more where rows have lists or texts of their own. */
  get bytes(): number {
    return this.rows * this.columns.length * COLUMN_BYTES;
  }

  encode(): EncodedBlock {
    const { table, rows, columns } = this;
    checkRows(columns, rows);
    const bytes = encodeApart((sink) => encodeBlock(sink, { table, rows, columns }));
    return { table, rows, columns: columns.map(({ name }) => name), bytes };
  }

  reset(): void {
    for (const { values } of this.columns) values.reset();
  }
}

export class PointTable extends MetricTable {
  readonly table = 'metric_points';
  private readonly key = new KeyColumns();
  private readonly values = newColumn('Float64');
  private readonly keepDays = newColumn('UInt16');
  readonly columns = [...this.key.columns, column('value', 'Float64', this.values), column('keep_days', 'UInt16', this.keepDays)];

  add(key: RowKey, value: number): void {
    this.key.add(key);
    this.values.push(value);
    this.keepDays.push(key.keepDays);
  }
}

/** Buckets of one side of an exponential histogram are pushed into `counts` before its row is ended. */
export class HistogramTable extends MetricTable {
  readonly table = 'metric_histograms';
  private readonly key = new KeyColumns();
  private readonly counts = new FixedBytes(8);
  private readonly sums = newColumn('Float64');
  private readonly mins = newColumn('Float64');
  private readonly maxs = newColumn('Float64');
  readonly bounds = new WideArrays();
  readonly bucketCounts = new WideArrays();
  readonly quantileValues = new WideArrays();
  private readonly scales = new SignedColumn();
  private readonly zeroCounts = new FixedBytes(8);
  private readonly zeroThresholds = newColumn('Float64');
  private readonly positiveOffsets = new SignedColumn();
  readonly positive = new WideArrays();
  private readonly negativeOffsets = new SignedColumn();
  readonly negative = new WideArrays();
  private readonly keepDays = newColumn('UInt16');
  readonly columns = [
    ...this.key.columns,
    column('count', 'UInt64', this.counts),
    column('sum', 'Float64', this.sums),
    column('min', 'Float64', this.mins),
    column('max', 'Float64', this.maxs),
    column('bounds', 'Array(Float64)', this.bounds),
    column('counts', 'Array(UInt64)', this.bucketCounts),
    column('quantile_values', 'Array(Float64)', this.quantileValues),
    column('scale', 'Int32', this.scales),
    column('zero_count', 'UInt64', this.zeroCounts),
    column('zero_threshold', 'Float64', this.zeroThresholds),
    column('positive_offset', 'Int32', this.positiveOffsets),
    column('positive_counts', 'Array(UInt64)', this.positive),
    column('negative_offset', 'Int32', this.negativeOffsets),
    column('negative_counts', 'Array(UInt64)', this.negative),
    column('keep_days', 'UInt16', this.keepDays),
  ];

  override get bytes(): number {
    const lists = [this.bounds, this.bucketCounts, this.quantileValues, this.positive, this.negative];
    return lists.reduce((sum, list) => sum + list.bytes, super.bytes);
  }

  /** Ends the row whose arrays were pushed. Positions are of eight bytes in `bytes`, -1 where there are none. */
  add(key: RowKey, bytes: Buffer, row: HistogramRow): void {
    this.key.add(key);
    this.addCount(this.counts, bytes, row.countAt);
    this.sums.push(row.sum);
    this.mins.push(row.min);
    this.maxs.push(row.max);
    this.scales.push(row.scale);
    this.addCount(this.zeroCounts, bytes, row.zeroCountAt);
    this.zeroThresholds.push(row.zeroThreshold);
    this.positiveOffsets.push(row.positiveOffset);
    this.negativeOffsets.push(row.negativeOffset);
    for (const arrays of [this.bounds, this.bucketCounts, this.quantileValues, this.positive, this.negative]) arrays.endRow();
    this.keepDays.push(key.keepDays);
  }

  private addCount(counts: FixedBytes, bytes: Buffer, at: number): void {
    if (at < 0) counts.addZeros();
    else counts.add(bytes, at, at + 8);
  }
}

export interface HistogramRow {
  countAt: number;
  sum: number;
  min: number;
  max: number;
  scale: number;
  zeroCountAt: number;
  zeroThreshold: number;
  positiveOffset: number;
  negativeOffset: number;
}

export class ExemplarTable extends MetricTable {
  readonly table = 'metric_exemplars';
  private readonly key = new KeyColumns();
  private readonly values = newColumn('Float64');
  private readonly traceIds = new FixedBytes(16);
  private readonly spanIds = new FixedBytes(8);
  private readonly attributes = new AttributeMap();
  readonly columns = [
    ...this.key.columns,
    column('value', 'Float64', this.values),
    column('trace_id', 'FixedString(16)', this.traceIds),
    column('span_id', 'FixedString(8)', this.spanIds),
    column('attributes', 'Map(LowCardinality(String), String)', this.attributes),
  ];

  override get bytes(): number {
    return super.bytes + this.attributes.bytes;
  }

  /** One more row, of the exemplar that `facts` has read; true when an attribute was cut. */
  add(key: RowKey, reader: WireReader, facts: ExemplarFacts): boolean {
    this.key.add(key);
    this.values.push(facts.value);
    this.traceIds.add(reader.bytes, facts.traceStart, facts.traceEnd);
    this.spanIds.add(reader.bytes, facts.spanStart, facts.spanEnd);
    reader.at = facts.begin;
    while (reader.at < facts.end) {
      const tag = reader.varint();
      if (tag === EXEMPLAR_ATTRIBUTE) this.attributes.add(reader, reader.enter(facts.end));
      else reader.skip(tag, facts.end);
    }
    return this.attributes.endRow();
  }

  override reset(): void {
    super.reset();
    this.attributes.types.reset();
  }
}
