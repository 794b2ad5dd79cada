import { sourceOfMetric } from '@svc/contracts/metric-source';
import type { TenantId } from '#kernel';
import { chooseSources, HOUR_MS, type TimeSpan } from '#telemetry';
import type { GroupRow } from '../domain/plan-range.ts';
import { isDelta, isHistogram, LOOK_BACK_MS } from '../plan.ts';
import type { Plan, RangeFrame } from '../reader.ts';
import { ask, type MetricStore } from './ask.ts';
import { numbersOfPoints, readPoints } from './points.ts';
import { MARKS } from './roll-up.ts';
import { HOUR_SEGMENTS, histogramSegments, IN_SERIES, inSpans, pointSegments, type Rows } from './segments-sql.ts';

/** One point alone does not tell what a counter grew. */
const GREW = 'covered > 0';

const AGGREGATE_SQL = { none: 'any', sum: 'sum', avg: 'avg', min: 'min', max: 'max', count: 'count' } as const;

/** The value of a group in a step out of the columns of `stepped`, and the steps that a series' value stands for. */
function valueSql({ kind, input }: Plan): { value: string; grid: string; only?: string; holds?: boolean } {
  const fn = input.function;
  const lane = isHistogram(kind) ? 'count_' : '';
  const aggregate = AGGREGATE_SQL[input.aggregate];
  const alone = '[toUInt64(t)]';
  // What histograms observed, over all of a group: averages of averages would say something else.
  if (fn === 'avg' && isHistogram(kind))
    return isDelta(kind)
      ? { value: 'sum(step_total) / sum(step_count_total)', grid: alone }
      : { value: 'sum(grown) / sum(count_grown)', grid: alone, only: GREW };
  const state = (column: string) => ({
    value: `${aggregate}(${column})`,
    holds: true,
    grid: 'range(toUInt64(t), toUInt64(least(if(next = 0, t + {aliveMs:Int64}, next), t + {aliveMs:Int64})), toUInt64({stepMs:Int64}))',
  });
  if (fn === 'rate' && !isDelta(kind))
    return {
      value: `${aggregate}(${lane}grown / covered * 1000)`,
      only: GREW,
      grid: `range(toUInt64(if(t - since > {aliveMs:Int64}, t, least(t, intDiv(since, {stepMs:Int64}) * {stepMs:Int64} + {stepMs:Int64}))),
        toUInt64(t + {stepMs:Int64}), toUInt64({stepMs:Int64}))`,
    };
  if (fn === 'rate') return { value: `${aggregate}(step_${lane}total / {stepMs:Int64} * 1000)`, grid: alone };
  if (fn === 'increase')
    return isDelta(kind)
      ? { value: `${aggregate}(step_${lane}total)`, grid: alone }
      : { value: `${aggregate}(${lane}grown)`, grid: alone, only: GREW };
  return state({ raw: 'newest', avg: 'step_total / step_points', min: 'step_least', max: 'step_most' }[fn as 'raw']);
}

const PREVIOUS = '(PARTITION BY fp ORDER BY first_at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)';
const before = (column: string): string => `lagInFrame(${column}) OVER ${PREVIOUS} AS prev_${column}`;
/** What a series grew up to the end of a segment since the one before; a counter that fell grew from 0. */
const growth = (lane: '' | 'count_'): string =>
  `${lane}increase + if(prev_points = 0, 0, if(fell, ${lane}first, ${lane}first - prev_${lane}last))`;

/** Whether the answer is what a counter grew; the others need no point before. */
const tellsGrowth = ({ kind, input: { function: fn } }: Plan): boolean =>
  !isDelta(kind) && (fn === 'rate' || fn === 'increase' || (fn === 'avg' && isHistogram(kind)));

/**
 * What counters grew in steps, from point to point: where no hours come in, segments of mostly one point would cost more than all the rest.
 * A point that came twice grows nothing in no time.
 */
const GROWTH_OF_POINTS = (where: string): string => `SELECT fp, intDiv(at, {stepMs:Int64}) * {stepMs:Int64} AS step,
    sum(if(value < before, value, value - before)) AS grown, 0. AS count_grown, sum(at - began) AS covered, min(began) AS since
  FROM (SELECT fp, toUnixTimestamp64Milli(ts) AS at, value, lagInFrame(at, 1, at) OVER series AS began,
      lagInFrame(value, 1, value) OVER series AS before
    FROM metric_points WHERE ${where}
    WINDOW series AS (PARTITION BY fp ORDER BY ts, value ROWS BETWEEN 1 PRECEDING AND CURRENT ROW))
  GROUP BY fp, step`;

/** Each series by steps. `whole`: a segment is a step already, none has to be put together. */
function stepsSql(plan: Plan, segments: string, whole: boolean): string {
  const group = whole ? '' : 'GROUP BY fp, step';
  const step = whole ? 't' : 'intDiv(t, {stepMs:Int64}) * {stepMs:Int64}';
  const put = (aggregate: string, column: string): string => (whole ? column : `${aggregate}(${column})`);
  if (!tellsGrowth(plan))
    return `SELECT fp, ${step} AS step, ${whole ? 'last' : 'argMax(last, last_at)'} AS newest, ${put('sum', 'points')} AS step_points,
      ${put('sum', 'total')} AS step_total, ${put('min', 'least')} AS step_least, ${put('max', 'most')} AS step_most,
      ${put('sum', 'count_total')} AS step_count_total FROM (${segments}) ${group}`;
  const grown = `SELECT fp, t, last_at, ${['points', 'last_at', 'last', 'count_last'].map(before).join(', ')},
      ${isHistogram(plan.kind) ? 'count_first < prev_count_last' : 'first < prev_last'} AS fell,
      ${growth('')} AS grows, ${growth('count_')} AS count_grows, if(prev_points > 0, prev_last_at, first_at) AS began
    FROM (${segments})`;
  return `SELECT fp, ${step} AS step, ${put('sum', 'grows')} AS grown, ${put('sum', 'count_grows')} AS count_grown,
      ${put('sum', 'toInt64(last_at) - toInt64(began)')} AS covered, toInt64(${put('min', 'began')}) AS since FROM (${grown}) ${group}`;
}

/** From series by steps to one value a group and step. */
function rangeSql(plan: Plan, steps: string): string {
  const { value, grid, only = '1', holds = false } = valueSql(plan);
  const next = 'leadInFrame(step) OVER (PARTITION BY fp ORDER BY step ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS next';
  const group =
    plan.grouped.labels.length === 1
      ? 'toUInt32(0)'
      : 'transform(fp, {fingerprints:Array(UInt64)}, {groups:Array(UInt32)}, toUInt32(0))';
  const placed = `SELECT *, step AS t${holds ? `, ${next}` : ''}, ${group} AS g FROM (${steps})`;
  return `SELECT g, groupArray(at) AS ts, groupArray(x) AS values FROM (
    SELECT g, at, ${value} AS x FROM (SELECT *, arrayJoin(${grid}) AS at FROM (${placed}) WHERE ${only})
    WHERE at >= {fromMs:Int64} AND at < {toMs:Int64}
    GROUP BY g, at HAVING isFinite(toFloat64(x)) ORDER BY g, at) GROUP BY g`;
}

/** Whether a point that came twice would count twice; growth, the last, least and most value are the same with it. */
const tellsOnce = ({ kind, input: { function: fn } }: Plan): boolean => isDelta(kind) || fn === 'avg';

/** The columns of `rangeSql`'s rows out of points, and out of hours where these answer whole steps. */
export async function numberRows(
  deps: MetricStore,
  tenant: TenantId,
  { frame, planned }: { frame: RangeFrame; planned: Promise<Plan> },
): Promise<GroupRow[]> {
  const { metric, window, readFromMs } = frame;
  const read = { fromMs: readFromMs, toMs: window.toMs, stepMs: window.stepMs };
  const rolled = sourceOfMetric(metric) === 'application';
  const sources = rolled
    ? await chooseSources(deps, tenant, { ...read, marks: MARKS, keptDays: deps.keptDays })
    : { raw: [{ fromMs: read.fromMs, toMs: read.toMs }] as TimeSpan[], hours: undefined };
  // Beside the plan, before it is known whether these are histograms, which have no points: then it costs a look at an index.
  const [plan, points] = await Promise.all([planned, sources.hours ? undefined : readPoints(deps, tenant, frame)]);
  if (points && !isHistogram(plan.kind)) return await numbersOfPoints(plan, points);
  const { kind } = plan;
  const bucketMs = sources.hours ? HOUR_MS : window.stepMs;
  const spans = inSpans(sources.raw);
  const where = `${IN_SERIES} AND ${spans.where}`;
  const rows: Rows = { keys: 'fp', where, bucket: `intDiv(at, ${bucketMs}) * ${bucketMs}` };
  const ofPoints = isHistogram(kind)
    ? histogramSegments(rows)
    : pointSegments(rows, { counts: kind === 'sum', once: tellsOnce(plan) });
  const parts = [...(sources.raw.length > 0 ? [ofPoints] : []), ...(sources.hours ? [HOUR_SEGMENTS] : [])].map(
    (sql) => `SELECT fp, toInt64(t) AS t, points, first_at, last_at, first, last, increase, total, least, most,
      count_first, count_last, count_increase, count_total FROM (${sql})`,
  );
  const params = {
    metric,
    fingerprints: plan.fingerprints,
    groups: plan.grouped.groupOf,
    ...window,
    aliveMs: Math.max(window.stepMs, LOOK_BACK_MS),
    ...spans.params,
    ...sources.hours,
  };
  const whole = sources.hours === undefined;
  const steps =
    whole && tellsGrowth(plan) && !isHistogram(kind) ? GROWTH_OF_POINTS(where) : stepsSql(plan, parts.join(' UNION ALL '), whole);
  return await ask<GroupRow>(deps, tenant, { sql: rangeSql(plan, steps), params });
}
