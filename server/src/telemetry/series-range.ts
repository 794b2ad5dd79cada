import { AppError, type TenantId } from '#kernel';
import type { ColumnStore, RangeQuery, SeriesPoints } from './ports.ts';
import { SERIES_LABELS } from './ports.ts';

/** Bounds of one range query. */
const MAX_METRICS = 100;
const MAX_SERIES = 1000;
const MAX_BUCKETS = 11_000;
const MAX_POINTS = 500_000;
const MAX_RAW_WINDOW_MS = 24 * 60 * 60_000;

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
  if (metrics.length === 0 || metrics.length > MAX_METRICS) refuse(`A range asks for 1 to ${MAX_METRICS} metrics.`);
  if (![fromMs, toMs].every(Number.isSafeInteger) || toMs <= fromMs) refuse('A range ends after it begins.');
  if (!Number.isSafeInteger(stepMs) || stepMs < 0)
    refuse('The step of a range is a number of milliseconds, or 0 for raw points.');
  if (stepMs === 0 && toMs - fromMs > MAX_RAW_WINDOW_MS) refuse('Raw points are given for at most 24 hours: choose a step.');
  if (stepMs > 0 && (toMs - fromMs) / stepMs > MAX_BUCKETS)
    refuse(`A range has at most ${MAX_BUCKETS} steps: choose a larger one.`);
  const unknown = Object.keys(labels).find((name) => !(SERIES_LABELS as readonly string[]).includes(name));
  if (unknown !== undefined) refuse(`A series cannot have the label "${unknown}".`);
}

/** The condition on `series`; values go as parameters, names come from the closed list. */
function seriesCondition(query: RangeQuery): { where: string; params: Record<string, unknown> } {
  const params: Record<string, unknown> = {
    metrics: query.metrics,
    fromMs: query.fromMs,
    toMs: query.toMs,
    stepMs: query.stepMs,
  };
  const parts = ['tenant_id = {tenant:String}', 'metric IN {metrics:Array(String)}'];
  for (const [name, value] of Object.entries(query.labels)) {
    params[`label_${name}`] = value;
    parts.push(name === 'agent' ? 'agent = {label_agent:String}' : `labels['${name}'] = {label_${name}:String}`);
  }
  return { where: parts.join(' AND '), params };
}

/**
 * Fingerprints as values: half of what the same question costs with a subquery. Grouping by (fp, ts) first collapses what was
 * delivered twice; a third of what FINAL costs over parts that are not merged yet.
 */
const pointsSql = (stepMs: number): string => {
  const bucket =
    stepMs === 0 ? 'toUnixTimestamp64Milli(ts)' : 'intDiv(toUnixTimestamp64Milli(ts), {stepMs:Int64}) * {stepMs:Int64}';
  return `SELECT id, groupArray(t) AS ts, groupArray(a) AS avg, groupArray(l) AS min, groupArray(h) AS max FROM (
    SELECT toString(fp) AS id, ${bucket} AS t, avg(v) AS a, min(v) AS l, max(v) AS h FROM (
      SELECT fp, ts, any(value) AS v FROM samples
      WHERE tenant_id = {tenant:String} AND metric IN {metrics:Array(String)} AND fp IN {fingerprints:Array(UInt64)}
        AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
      GROUP BY fp, ts)
    GROUP BY fp, t ORDER BY fp, t LIMIT ${MAX_POINTS + 1}) GROUP BY id`;
};

/** See the port: first the series that answer to the labels, then their points. */
export async function rangeOfSeries(store: ColumnStore, tenant: TenantId, query: RangeQuery): Promise<SeriesPoints[]> {
  checkRange(query);
  const { where, params } = seriesCondition(query);
  const names = `SELECT toString(fp) AS id, metric, labels FROM series WHERE ${where} LIMIT 1 BY fp LIMIT ${MAX_SERIES + 1}`;
  const series = await store.read<Named>(tenant, names, params);
  if (series.length > MAX_SERIES)
    throw new AppError('unavailable', `More than ${MAX_SERIES} series answer to this: narrow it by a label.`);
  if (series.length === 0) return [];
  const { metrics, fromMs, toMs, stepMs } = query;
  const fingerprints = series.map(({ id }) => BigInt(id));
  const points = await store.read<Points>(tenant, pointsSql(stepMs), { metrics, fromMs, toMs, stepMs, fingerprints });
  const total = points.reduce((sum, { ts }) => sum + ts.length, 0);
  if (total > MAX_POINTS)
    throw new AppError('unavailable', `More than ${MAX_POINTS} points answer to this: choose a larger step.`);
  const byId = new Map(points.map((row) => [row.id, row]));
  return series.flatMap(({ id, metric, labels }) => {
    const found = byId.get(id);
    return found ? [{ metric, labels, ts: found.ts, avg: found.avg, min: found.min, max: found.max }] : [];
  });
}
