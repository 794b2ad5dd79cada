import type { TimeSpan } from '#telemetry';
import { HOUR_MS } from '#telemetry';

/**
 * A segment is what one series did in one bucket of time: its first and last point (`first`, `last`, at `first_at`, `last_at`), what it
 * grew between them (`increase`, restarts counted from 0), and number, sum, least and most of its values. For histograms and summaries
 * the value is their sum, and count_* tell the same of their count. Hours in metric_hours are segments too, so both add up alike.
 */
export const SEGMENT_COLUMNS =
  'points, first_at, last_at, first, last, increase, total, least, most, count_first, count_last, count_increase, count_total';

const AT = 'toUnixTimestamp64Milli(ts)';

/** Rows of the asked series within the spans; without fingerprints all of the tenant's. */
export interface Rows {
  /** The condition, beginning with the tenant's. */
  where: string;
  /** The bucket that `at` lies in, in SQL. */
  bucket: string;
  /** What a series is told by: the metric, which costs as much as all the rest, only where there are several. */
  keys: 'fp' | 'metric, fp';
}

/** A counter that fell has begun anew: what it shows is what it grew since. */
const grown = (now: string, before: string): string => `if(${now} >= ${before}, ${now} - ${before}, ${now})`;

/** What came twice is collapsed by grouping by (fp, ts) first, unless `once` is false; `counts` costs an array a bucket, gauges need none. */
export const pointSegments = (
  { where, bucket, keys }: Rows,
  { counts, once } = { counts: true, once: true },
): string => `SELECT ${keys}, ${bucket} AS t,
    toUInt32(count()) AS points, toUInt64(min(at)) AS first_at, toUInt64(max(at)) AS last_at,
    argMin(v, at) AS first, argMax(v, at) AS last, ${
      counts
        ? `arrayMap(x -> x.2, arraySort(groupArray((at, v)))) AS vs,
    arraySum(arrayMap((now, before) -> ${grown('now', 'before')}, arrayPopFront(vs), arrayPopBack(vs)))`
        : '0.'
    } AS increase,
    sum(v) AS total, min(v) AS least, max(v) AS most,
    0. AS count_first, 0. AS count_last, 0. AS count_increase, 0. AS count_total
  FROM (SELECT ${keys}, ${AT} AS at, ${once ? 'any(value)' : 'value'} AS v FROM metric_points WHERE ${where} ${once ? `GROUP BY ${keys}, ts` : ''})
  GROUP BY ${keys}, t`;

export const histogramSegments = ({ where, bucket, keys }: Rows): string => `SELECT ${keys}, ${bucket} AS t,
    toUInt32(count()) AS points, toUInt64(min(at)) AS first_at, toUInt64(max(at)) AS last_at,
    argMin(s, at) AS first, argMax(s, at) AS last,
    arraySort(groupArray((at, c, s))) AS rows,
    arraySum(arrayMap((now, before) -> if(now.2 >= before.2, now.3 - before.3, now.3), arrayPopFront(rows), arrayPopBack(rows))) AS increase,
    sum(s) AS total, min(low) AS least, max(high) AS most,
    argMin(c, at) AS count_first, argMax(c, at) AS count_last,
    arraySum(arrayMap((now, before) -> ${grown('now.2', 'before.2')}, arrayPopFront(rows), arrayPopBack(rows))) AS count_increase,
    sum(c) AS count_total
  FROM (SELECT ${keys}, ${AT} AS at, toFloat64(any(count)) AS c, any(sum) AS told, if(isNaN(told), 0., told) AS s,
      any(metric_histograms.min) AS low, any(metric_histograms.max) AS high
    FROM metric_histograms WHERE ${where} GROUP BY ${keys}, ts)
  GROUP BY ${keys}, t`;

export const IN_SERIES = 'tenant_id = {tenant:String} AND metric = {metric:String} AND fp IN {fingerprints:Array(UInt64)}';

export const inSpans = (spans: readonly TimeSpan[]): { where: string; params: Record<string, unknown> } => ({
  where: `(${spans.map((_, i) => `ts >= fromUnixTimestamp64Milli({from${i}:Int64}) AND ts < fromUnixTimestamp64Milli({to${i}:Int64})`).join(' OR ')})`,
  params: Object.fromEntries(
    spans.flatMap(({ fromMs, toMs }, i) => [
      [`from${i}`, fromMs],
      [`to${i}`, toMs],
    ]),
  ),
});

/** The hours of the asked series that are rolled up; the newest computation of each counts. */
export const HOUR_SEGMENTS = `SELECT metric, fp, toInt64(hour) * ${HOUR_MS} AS t, ${SEGMENT_COLUMNS} FROM metric_hours
  WHERE ${IN_SERIES} AND hour >= {firstHour:UInt32} AND hour < {endHour:UInt32} AND hour NOT IN {except:Array(UInt32)}
  ORDER BY version DESC LIMIT 1 BY metric, fp, hour`;
