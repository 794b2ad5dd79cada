import type { Test } from '@svc/contracts/tests/test';
import type { TenantId } from '#kernel';
import { type Block, type ColumnBuilder, hashText, newColumn } from '#telemetry';
import { type ProbePoint, probePointsOf } from './domain/probe-points.ts';
import type { RunRow } from './domain/read-run.ts';

/** Series of a tenant in a month that one process writes; tests of ten thousand have some 80,000 from one runner each. */
export const MAX_SERIES = 300_000;
/** Of all tenants: beyond, what is known is forgotten and written once more. */
const MAX_KNOWN = 1_000_000;

const SCOPE = 'svc.probe';

const SERIES_TYPES = {
  tenant_id: 'LowCardinality(String)',
  metric: 'LowCardinality(String)',
  fp: 'UInt64',
  month: 'UInt32',
  otel_name: 'LowCardinality(String)',
  unit: 'LowCardinality(String)',
  description: 'LowCardinality(String)',
  kind: 'LowCardinality(String)',
  service: 'LowCardinality(String)',
  scope: 'LowCardinality(String)',
  labels: 'Map(LowCardinality(String), String)',
} as const;

const POINT_TYPES = {
  tenant_id: 'LowCardinality(String)',
  metric: 'LowCardinality(String)',
  fp: 'UInt64',
  ts: 'DateTime64(3)',
  value: 'Float64',
  keep_days: 'UInt16',
} as const;

type SeriesColumns = { [Name in keyof typeof SERIES_TYPES]: ColumnBuilder<(typeof SERIES_TYPES)[Name]> };
type PointColumns = { [Name in keyof typeof POINT_TYPES]: ColumnBuilder<(typeof POINT_TYPES)[Name]> };

const newColumns = (types: typeof SERIES_TYPES | typeof POINT_TYPES): unknown =>
  Object.fromEntries(Object.entries(types).map(([name, type]) => [name, newColumn(type)]));

const seriesBlock = (columns: SeriesColumns): Block => ({
  table: 'metric_series',
  rows: columns.fp.length,
  columns: (Object.keys(SERIES_TYPES) as (keyof SeriesColumns)[]).map((name) => ({
    ...{ name, type: SERIES_TYPES[name], values: columns[name] },
  })),
});

const pointsBlock = (columns: PointColumns): Block => ({
  table: 'metric_points',
  rows: columns.fp.length,
  columns: (Object.keys(POINT_TYPES) as (keyof PointColumns)[]).map((name) => ({
    ...{ name, type: POINT_TYPES[name], values: columns[name] },
  })),
});

const monthOf = (ms: number): number => {
  const date = new Date(ms);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
};

/** A test by its id, so that a new name or target is the same series. */
const labelsOf = (run: RunRow, test: Test, { phase }: ProbePoint): Record<string, string> => ({
  'svc.test.id': test.id,
  'svc.test.name': test.name,
  'svc.probe.type': test.type,
  'svc.target': test.target,
  'svc.agent.id': run.runnerId,
  ...(phase === undefined ? {} : { 'svc.phase': phase }),
});

/** Which series were written; each is written once a month and where its labels change. */
function createKnownSeries(maxSeries: number) {
  /** Of a tenant in a month: fingerprint -> what its labels were. */
  const groups = new Map<string, Map<string, string>>();
  let total = 0;
  const forget = (): void => {
    groups.clear();
    total = 0;
  };
  return {
    /** `new`: it has to be written; `full`: the tenant has too many. */
    see(group: string, key: string, labels: string): 'known' | 'new' | 'full' {
      if (total >= MAX_KNOWN) forget();
      const series = groups.get(group) ?? new Map<string, string>();
      groups.set(group, series);
      const before = series.get(key);
      if (before === labels) return 'known';
      if (before === undefined && series.size >= maxSeries) return 'full';
      if (before === undefined) total += 1;
      series.set(key, labels);
      return 'new';
    },
    forget,
  };
}

export interface BuiltMetrics {
  series: Block;
  points: Block;
  /** Points that were left out: their tenant has too many series. */
  leftOut: ReadonlyMap<TenantId, number>;
}

export interface TestedRun {
  tenant: TenantId;
  run: RunRow;
  test: Test;
}

interface OneSeries extends TestedRun {
  point: ProbePoint;
  month: number;
  fp: ReturnType<typeof hashText>;
}

function addSeries(columns: SeriesColumns, { tenant, run, test, point, month, fp }: OneSeries): void {
  const { metric, exportName, unit, description } = point.metric;
  columns.tenant_id.push(tenant);
  columns.metric.push(metric);
  columns.fp.pushHalves(fp.low, fp.high);
  columns.month.push(month);
  columns.otel_name.push(exportName);
  columns.unit.push(unit);
  columns.description.push(description);
  columns.kind.push('gauge');
  columns.service.push('');
  columns.scope.push(SCOPE);
  columns.labels.push(labelsOf(run, test, point));
}

/** Runs as rows of the tenants' metrics, beside those that came by OTLP (docs/telemetry/metrics.md). The same run again makes the same rows. */
export function createProbeSeries({ keepDays, maxSeries = MAX_SERIES }: { keepDays: number; maxSeries?: number }) {
  const known = createKnownSeries(maxSeries);

  function build(runs: Iterable<TestedRun>): BuiltMetrics {
    const series = newColumns(SERIES_TYPES) as SeriesColumns;
    const points = newColumns(POINT_TYPES) as PointColumns;
    const leftOut = new Map<TenantId, number>();
    for (const { tenant, run, test } of runs) {
      const month = monthOf(run.startedAtMs);
      for (const point of probePointsOf(run)) {
        const { metric } = point.metric;
        const fp = hashText(`${metric}\0${test.id}\0${run.runnerId}\0${point.phase ?? ''}`);
        const seen = known.see(`${tenant} ${month}`, `${fp.high}.${fp.low}`, `${test.name}\0${test.target}\0${test.type}`);
        if (seen === 'full') {
          leftOut.set(tenant, (leftOut.get(tenant) ?? 0) + 1);
          continue;
        }
        if (seen === 'new') addSeries(series, { tenant, run, test, point, month, fp });
        points.tenant_id.push(tenant);
        points.metric.push(metric);
        points.fp.pushHalves(fp.low, fp.high);
        points.ts.push(run.startedAtMs);
        points.value.push(point.value);
        points.keep_days.push(keepDays);
      }
    }
    return { series: seriesBlock(series), points: pointsBlock(points), leftOut };
  }

  /** After rows were not written: every series is written anew. */
  return { build, forget: known.forget };
}
