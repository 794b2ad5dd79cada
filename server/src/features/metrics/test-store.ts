import { encodeTestBlock } from '@svc/testkit/native-block';
import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';
import { openTestTelemetry } from '#test-telemetry';
import { type MetricKind, RangeInput } from './api.ts';
import type { MetricDeps } from './context.ts';
import { createClickhouseReader } from './reader-clickhouse/reader.ts';

export interface TestSeries {
  fp: number;
  metric: string;
  kind: MetricKind;
  unit?: string;
  labels?: Record<string, string>;
}

export interface TestHistogram {
  ts: number;
  count: number;
  sum?: number;
  bounds?: number[];
  counts?: number[];
  quantileValues?: number[];
  scale?: number;
  zero?: number;
  positive?: [offset: number, counts: number[]];
}

const monthOf = (ms: number): number => Number(new Date(ms).toISOString().slice(0, 7).replace('-', ''));
const nameOf = (metric: string): string => metric.replaceAll('_', '.');

/** Rows of one table as columns: what is one value is of all rows. */
type Columns = Readonly<Record<string, [type: string, values: unknown]>>;

function encodeRows(table: string, rows: number, columns: Columns) {
  const filled = Object.entries(columns).map(([name, [type, values]]) => ({
    name,
    type,
    values: Array.isArray(values) ? values : new Array<unknown>(rows).fill(values),
  }));
  return encodeTestBlock(table, filled);
}

const LOW = 'LowCardinality(String)';

const histogramColumns = (points: readonly TestHistogram[]): Columns => ({
  ts: ['DateTime64(3)', points.map(({ ts }) => ts)],
  count: ['UInt64', points.map(({ count }) => count)],
  sum: ['Float64', points.map(({ sum = 0 }) => sum)],
  min: ['Float64', Number.NaN],
  max: ['Float64', Number.NaN],
  bounds: ['Array(Float64)', points.map(({ bounds = [] }) => bounds)],
  counts: ['Array(UInt64)', points.map(({ counts = [] }) => counts)],
  quantile_values: ['Array(Float64)', points.map(({ quantileValues = [] }) => quantileValues)],
  scale: ['Int32', points.map(({ scale = 0 }) => scale)],
  zero_count: ['UInt64', points.map(({ zero = 0 }) => zero)],
  zero_threshold: ['Float64', 0],
  positive_offset: ['Int32', points.map(({ positive: [offset] = [0, []] }) => offset)],
  positive_counts: ['Array(UInt64)', points.map(({ positive: [, counts] = [0, []] }) => counts)],
  negative_offset: ['Int32', 0],
  negative_counts: ['Array(UInt64)', points.map(() => [])],
  keep_days: ['UInt16', 30],
});

export interface TestExemplar {
  ts: number;
  value: number;
  trace: string;
  attributes: Record<string, string>;
}

/** Puts rows into the tables as the otlp slice does, block by block. */
function createWriter(store: ColumnStore) {
  const write = async (table: string, rows: number, columns: Columns): Promise<void> =>
    await store.writeEncoded(encodeRows(table, rows, columns));

  const keyOf = (tenant: TenantId, { metric, fp }: { metric: string; fp: number | number[] }): Columns => ({
    tenant_id: [LOW, tenant],
    metric: [LOW, metric],
    fp: ['UInt64', fp],
  });

  async function writeSeries(tenant: TenantId, series: readonly TestSeries[], months: readonly number[]): Promise<void> {
    for (const month of months)
      await write('metric_series', series.length, {
        tenant_id: [LOW, tenant],
        metric: [LOW, series.map(({ metric }) => metric)],
        fp: ['UInt64', series.map(({ fp }) => fp)],
        month: ['UInt32', month],
        otel_name: [LOW, series.map(({ metric }) => nameOf(metric))],
        unit: [LOW, series.map(({ unit = '' }) => unit)],
        description: [LOW, 'said so'],
        kind: [LOW, series.map(({ kind }) => kind)],
        service: [LOW, ''],
        scope: [LOW, ''],
        labels: ['Map(LowCardinality(String), String)', series.map(({ labels = {} }) => Object.entries(labels))],
      });
  }

  const monthsOf = (points: readonly { ts: number }[]): number[] => [...new Set(points.map(({ ts }) => monthOf(ts)))];

  return {
    writeSeries,
    async writePoints(tenant: TenantId, series: TestSeries, points: [ts: number, value: number][]): Promise<void> {
      await writeSeries(tenant, [series], monthsOf(points.map(([ts]) => ({ ts }))));
      await write('metric_points', points.length, {
        ...keyOf(tenant, series),
        ts: ['DateTime64(3)', points.map(([ts]) => ts)],
        value: ['Float64', points.map(([, value]) => value)],
        keep_days: ['UInt16', 30],
      });
    },
    /** One point of each series. */
    async writeCrowd(tenant: TenantId, series: readonly TestSeries[], [ts, value]: [ts: number, value: number]): Promise<void> {
      await writeSeries(tenant, series, [monthOf(ts)]);
      const [first] = series;
      await write('metric_points', series.length, {
        ...keyOf(tenant, { metric: first?.metric ?? '', fp: series.map(({ fp }) => fp) }),
        ts: ['DateTime64(3)', ts],
        value: ['Float64', value],
        keep_days: ['UInt16', 30],
      });
    },
    async writeHistograms(tenant: TenantId, series: TestSeries, points: TestHistogram[]): Promise<void> {
      await writeSeries(tenant, [series], monthsOf(points));
      await write('metric_histograms', points.length, { ...keyOf(tenant, series), ...histogramColumns(points) });
    },
    async writeExemplars(
      tenant: TenantId,
      series: Pick<TestSeries, 'metric' | 'fp'>,
      exemplars: readonly TestExemplar[],
    ): Promise<void> {
      await write('metric_exemplars', exemplars.length, {
        ...keyOf(tenant, series),
        ts: ['DateTime64(3)', exemplars.map(({ ts }) => ts)],
        value: ['Float64', exemplars.map(({ value }) => value)],
        trace_id: ['FixedString(16)', exemplars.map(({ trace }) => trace)],
        span_id: ['FixedString(8)', ''],
        attributes: ['Map(LowCardinality(String), String)', exemplars.map(({ attributes }) => Object.entries(attributes))],
      });
    },
  };
}

/** The real tables in the column store of this process's tests. */
export async function openTestStore(now: () => number) {
  const { store, close } = await openTestTelemetry();
  const clock = { now };
  const deps: MetricDeps = { reader: createClickhouseReader({ store, clock, keptDays: 30 }), clock };
  return {
    deps,
    /** Reads no points: the store computes all by itself. */
    inStore: { ...deps, reader: createClickhouseReader({ store, clock, keptDays: 30, pointsAtOnce: 0 }) } satisfies MetricDeps,
    store,
    ...createWriter(store),
    input: (given: Partial<RangeInput> & { metric: string }) => RangeInput.parse(given),
    close,
  };
}
