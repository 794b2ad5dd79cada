import type { TenantId } from '#kernel';
import type { GroupRow } from '../domain/plan-range.ts';
import { classicRows, collect, exponentialRows } from '../domain/quantile-rows.ts';
import { LOOK_BACK_MS } from '../plan.ts';
import type { Plan } from '../reader.ts';
import { ask, type MetricStore } from './ask.ts';
import { IN_SERIES, inSpans } from './segments-sql.ts';

const STEP = 'intDiv(at, {stepMs:Int64}) * {stepMs:Int64}';
const GROUP = 'transform(fp, {fingerprints:Array(UInt64)}, {groups:Array(UInt32)}, toUInt32(0))';
const PREVIOUS = '(PARTITION BY fp ORDER BY at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)';

/** Points of the asked histograms, each once, beside the one before; `fresh` where there is none or it counted more than this one. */
const withPrevious = (where: string, columns: readonly string[]): string => `SELECT *,
    ${['seen', 'n', ...columns].map((name) => `lagInFrame(${name}) OVER ${PREVIOUS} AS prev_${name}`).join(', ')},
    {delta:UInt8} = 1 OR (prev_seen = 1 AND n < prev_n) AS fresh, fresh OR prev_seen = 1 AS tells
  FROM (SELECT fp, toUnixTimestamp64Milli(ts) AS at, toUInt8(1) AS seen, any(count) AS n,
      ${columns.map((name) => `any(metric_histograms.${name}) AS ${name}`).join(', ')}
    FROM metric_histograms WHERE ${where} GROUP BY fp, ts)`;

/** What was counted in each bucket by group and step; other bounds than before are a new beginning. */
const classicSql = (where: string): string => `SELECT g, t, bounds, sumForEach(grown) AS counts FROM (
    SELECT ${GROUP} AS g, ${STEP} AS t, bounds, arrayMap((now, before) -> toFloat64(now) - before, counts,
      if(fresh OR bounds != prev_bounds OR length(counts) != length(prev_counts), arrayMap(x -> 0., counts), arrayMap(x -> toFloat64(x), prev_counts))) AS grown
    FROM (${withPrevious(where, ['bounds', 'counts'])}) WHERE tells AND at >= {fromMs:Int64} AND notEmpty(counts))
  GROUP BY g, t, bounds ORDER BY g, t`;

const SIDES = ['positive', 'negative'] as const;

/** Bucket indexes at the coarsest scale in sight: halving the scale joins neighbours. */
const indexes = (side: string, prefix = ''): string =>
  `arrayMap(i -> toInt32(floor((toInt64(${prefix}${side}_offset) + i) / exp2(least(${prefix}scale - coarsest, 62)))), range(length(${prefix}${side}_counts)))`;
const values = (side: string, prefix = '', sign = ''): string => `arrayMap(x -> ${sign}toFloat64(x), ${prefix}${side}_counts)`;
const grownBuckets = (side: string): string => `sumMap(
    arrayConcat(${indexes(side)}, if(fresh, CAST([] AS Array(Int32)), ${indexes(side, 'prev_')})),
    arrayConcat(${values(side)}, if(fresh, CAST([] AS Array(Float64)), ${values(side, 'prev_', '-')}))) AS ${side}`;

const EXPONENTIAL = [
  'scale',
  'zero_count',
  'zero_threshold',
  'positive_offset',
  'positive_counts',
  'negative_offset',
  'negative_counts',
];

const exponentialSql = (where: string): string => `WITH (SELECT min(scale) FROM metric_histograms WHERE ${where}) AS coarsest
  SELECT ${GROUP} AS g, ${STEP} AS t, any(coarsest) AS to_scale,
    sum(toFloat64(zero_count) - if(fresh, 0., toFloat64(prev_zero_count))) AS zeros, max(zero_threshold) AS threshold,
    ${SIDES.map(grownBuckets).join(', ')}
  FROM (${withPrevious(where, EXPONENTIAL)}) WHERE tells AND at >= {fromMs:Int64}
  GROUP BY g, t ORDER BY g, t`;

const summarySql = (where: string, aggregate: string): string => `SELECT g, t, ${aggregate}(v) AS x FROM (
    SELECT ${GROUP} AS g, fp, ${STEP} AS t, argMax(quantile_values[place], at) AS v FROM (
      SELECT fp, toUnixTimestamp64Milli(ts) AS at, any(metric_histograms.bounds) AS bounds, any(metric_histograms.quantile_values) AS quantile_values,
        arrayFirstIndex(q -> abs(q - {phi:Float64}) < 1e-9, bounds) AS place
      FROM metric_histograms WHERE ${where} GROUP BY fp, ts)
    WHERE place > 0 AND at >= {fromMs:Int64} GROUP BY fp, t)
  GROUP BY g, t ORDER BY g, t`;

interface ClassicRow {
  g: number;
  t: number;
  bounds: number[];
  counts: number[];
}

interface ExponentialRow {
  g: number;
  t: number;
  to_scale: number;
  zeros: number;
  threshold: number;
  positive: [number[], number[]];
  negative: [number[], number[]];
}

const toMap = ([keys, counts]: [number[], number[]]): Map<number, number> => new Map(keys.map((key, i) => [key, counts[i] ?? 0]));

/** One quantile of each group and step, over all that its histograms counted in the step. */
export async function quantileRows(deps: MetricStore, tenant: TenantId, plan: Plan): Promise<GroupRow[]> {
  const { kind, window, input, metric, fingerprints, grouped } = plan;
  const phi = input.quantile;
  // One interval before the first step: a cumulative histogram tells what it grew since the point before.
  const spans = inSpans([{ fromMs: Math.min(plan.readFromMs, window.fromMs - LOOK_BACK_MS), toMs: window.toMs }]);
  const where = `${IN_SERIES} AND ${spans.where}`;
  const params = {
    ...{ metric, fingerprints, phi, groups: grouped.groupOf, delta: kind.startsWith('delta') ? 1 : 0 },
    ...{ fromMs: window.fromMs, stepMs: window.stepMs },
    ...spans.params,
  };
  const question = (sql: string) => ({ sql, params, maxRows: 300_000 });
  if (kind === 'summary') {
    const aggregate = input.aggregate === 'none' ? 'any' : input.aggregate;
    const rows = await ask<{ g: number; t: number; x: number | null }>(deps, tenant, question(summarySql(where, aggregate)));
    return collect(rows.map(({ g, t, x }) => ({ g, t, value: x ?? Number.NaN })));
  }
  if (kind.endsWith('exp_histogram')) {
    const rows = await ask<ExponentialRow>(deps, tenant, question(exponentialSql(where)));
    const buckets = rows.map(({ g, t, to_scale: scale, zeros: zeroCount, threshold: zeroThreshold, positive, negative }) => ({
      ...{ g, t, scale, zeroCount, zeroThreshold },
      ...{ positive: toMap(positive), negative: toMap(negative) },
    }));
    return exponentialRows(buckets, phi);
  }
  return classicRows(await ask<ClassicRow>(deps, tenant, question(classicSql(where))), phi);
}
