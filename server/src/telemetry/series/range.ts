import { AppError, type Clock, type TenantId } from '#kernel';
import type { ColumnStore, RangeQuery, SeriesPoints } from '../ports.ts';
import { SERIES_LABELS } from '../ports.ts';
import type { TimeSpan } from '../reading/stretches.ts';
import { chooseSources, type Sources } from './hour-sources.ts';
import { HOUR_MS, SAMPLE_HOURS } from './hours.ts';

/** Bounds of one range query. */
const MAX_METRICS = 100;
const MAX_SERIES = 1000;
const MAX_BUCKETS = 11_000;
const MAX_POINTS = 500_000;
const MAX_RAW_WINDOW_MS = 24 * 60 * 60_000;

interface RangeDeps {
  store: ColumnStore;
  clock: Clock;
}

/** The month of a time as 202611 (UTC): a series is written again in each month it has samples in. */
export function monthOf(ts: number): number {
  const date = new Date(ts);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

interface Named {
  id: string;
  metric: string;
  labels: Record<string, string>;
}

interface Points {
  id: string;
  ts: number[];
  avg: number[];
  min: number[];
  max: number[];
}

/** `validation` for a query that could not be answered within its bounds; used by every adapter. */
export function checkRange(query: RangeQuery): void {
  const { metrics, labels, fromMs, toMs, stepMs } = query;
  const refuse = (message: string): never => {
    throw new AppError('validation', message);
  };
  if (metrics.length === 0 || metrics.length > MAX_METRICS) refuse(`A range takes 1 to ${MAX_METRICS} metrics.`);
  if (![fromMs, toMs].every(Number.isSafeInteger) || toMs <= fromMs) refuse('The range must end after it begins.');
  if (!Number.isSafeInteger(stepMs) || stepMs < 0)
    refuse('The step of a range is a number of milliseconds, or 0 for raw points.');
  if (stepMs === 0 && toMs - fromMs > MAX_RAW_WINDOW_MS) refuse('Raw points cover at most 24 hours. Choose a step.');
  if (stepMs > 0 && (toMs - fromMs) / stepMs > MAX_BUCKETS)
    refuse(`A range has at most ${MAX_BUCKETS} steps. Choose a larger step.`);
  const unknown = Object.keys(labels).find((name) => !(SERIES_LABELS as readonly string[]).includes(name));
  if (unknown !== undefined) refuse(`A series cannot have the label "${unknown}".`);
}

/** The condition on `series`; values go as parameters, names come from the closed list. */
function seriesCondition(query: RangeQuery): { where: string; params: Record<string, unknown> } {
  const params: Record<string, unknown> = {
    metrics: query.metrics,
    firstMonth: monthOf(query.fromMs),
    lastMonth: monthOf(query.toMs - 1),
  };
  const parts = [
    'tenant_id = {tenant:String}',
    'metric IN {metrics:Array(String)}',
    'month BETWEEN {firstMonth:UInt32} AND {lastMonth:UInt32}',
  ];
  for (const [name, value] of Object.entries(query.labels)) {
    params[`label_${name}`] = value;
    parts.push(name === 'agent' ? 'agent = {label_agent:String}' : `labels['${name}'] = {label_${name}:String}`);
  }
  return { where: parts.join(' AND '), params };
}

const AT = 'toUnixTimestamp64Milli(ts)';
const IN_SERIES = `tenant_id = {tenant:String} AND metric IN {metrics:Array(String)} AND fp IN {fingerprints:Array(UInt64)}`;

/**
 * Fingerprints as values: half of what the same question costs with a subquery. Grouping by (fp, ts) first collapses what was
 * delivered twice; a third of what FINAL costs over parts that are not merged yet.
 */
function samplesSql(stepMs: number, spans: readonly TimeSpan[]): string {
  const bucket = stepMs === 0 ? AT : `intDiv(${AT}, {stepMs:Int64}) * {stepMs:Int64}`;
  const times = spans.map(
    (_, i) => `ts >= fromUnixTimestamp64Milli({from${i}:Int64}) AND ts < fromUnixTimestamp64Milli({to${i}:Int64})`,
  );
  return `SELECT fp, ${bucket} AS t, count() AS n, sum(v) AS s, min(v) AS l, max(v) AS h FROM (
      SELECT fp, ts, any(value) AS v FROM samples WHERE ${IN_SERIES} AND (${times.join(' OR ')}) GROUP BY fp, ts)
    GROUP BY fp, t`;
}

const HOURS_SQL = `SELECT fp, intDiv(hour * ${HOUR_MS}, {stepMs:Int64}) * {stepMs:Int64} AS t,
      rolled.1 AS n, rolled.2 AS s, rolled.3 AS l, rolled.4 AS h FROM (
      SELECT fp, hour, argMax((points, total, least, most), version) AS rolled FROM sample_hours WHERE ${IN_SERIES}
        AND hour >= {firstHour:UInt32} AND hour < {endHour:UInt32} AND hour NOT IN {except:Array(UInt32)}
      GROUP BY fp, hour)`;

function pointsSql(stepMs: number, { raw, hours }: Sources): { sql: string; params: Record<string, unknown> } {
  const parts = [...(raw.length > 0 ? [samplesSql(stepMs, raw)] : []), ...(hours ? [HOURS_SQL] : [])];
  const params = Object.fromEntries(
    raw.flatMap(({ fromMs, toMs }, i) => [[`from${i}`, fromMs] as const, [`to${i}`, toMs] as const]),
  );
  const sql = `SELECT id, groupArray(t) AS ts, groupArray(a) AS avg, groupArray(l) AS min, groupArray(h) AS max FROM (
    SELECT toString(fp) AS id, t, sum(s) / sum(n) AS a, min(l) AS l, max(h) AS h FROM (${parts.join(' UNION ALL ')})
    GROUP BY fp, t ORDER BY fp, t LIMIT ${MAX_POINTS + 1}) GROUP BY id`;
  return { sql, params: { ...params, ...hours } };
}

/** See the port: first the series that answer to the labels, then their points. */
export async function rangeOfSeries(deps: RangeDeps, tenant: TenantId, query: RangeQuery): Promise<SeriesPoints[]> {
  checkRange(query);
  const { store } = deps;
  const { where, params } = seriesCondition(query);
  const names = `SELECT toString(fp) AS id, metric, labels FROM series WHERE ${where} LIMIT 1 BY fp LIMIT ${MAX_SERIES + 1}`;
  const series = await store.read<Named>(tenant, names, params);
  if (series.length > MAX_SERIES)
    throw new AppError('query_limit', `More than ${MAX_SERIES} series match. Narrow the query by a label.`);
  if (series.length === 0) return [];
  const { metrics, stepMs } = query;
  const fingerprints = series.map(({ id }) => BigInt(id));
  const { sql, params: times } = pointsSql(stepMs, await chooseSources(deps, tenant, { ...query, ...SAMPLE_HOURS }));
  const points = await store.read<Points>(tenant, sql, { metrics, stepMs, fingerprints, ...times });
  const total = points.reduce((sum, { ts }) => sum + ts.length, 0);
  if (total > MAX_POINTS) throw new AppError('query_limit', `More than ${MAX_POINTS} points match. Choose a larger step.`);
  const byId = new Map(points.map((row) => [row.id, row]));
  return series.flatMap(({ id, metric, labels }) => {
    const found = byId.get(id);
    return found ? [{ metric, labels, ts: found.ts, avg: found.avg, min: found.min, max: found.max }] : [];
  });
}
