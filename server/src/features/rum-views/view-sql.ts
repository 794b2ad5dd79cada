import { RUM_THRESHOLDS, VITAL_BOUNDS, VITALS, type Vital } from '@svc/contracts/rum/kinds';
import { HOUR_MS, type TimeSpan } from '#telemetry';

/** Views are kept for 30 days, and so are their hours. */
export const VIEWS_KEPT_DAYS = 30;
/** What waited on the bus for longer is judged without. */
export const LATE_AFTER_MS = 5 * 60_000;
export const QUARTER_MS = HOUR_MS / 4;

/** What rows of `rum_hours` are of; a day stands at its first hour, and the quarter of an hour is its part. */
export const DIMENSIONS = { all: 0, page: 1, browser: 2, quarter: 3, pageDay: 4, browserDay: 5 } as const;

export const each = (of: (vital: Vital) => string): string => VITALS.map(of).join(', ');
const VALUES = ['page', 'browser', ...VITALS, 'errors', 'failed_requests'];
export const AT = 'toUnixTimestamp64Milli(ts)';
const DELAY = `toUnixTimestamp64Milli(min(v.stored_at)) - ${AT}`;

/** Each view once, however often it came, with what is asked of it. */
export const once = (where: string, values: readonly string[] = VALUES, more = ''): string =>
  `SELECT app, host, ts, result_id, ${values.map((name) => `any(v.${name}) AS ${name}`).join(', ')}
  FROM rum_views AS v WHERE tenant_id = {tenant:String} AND ${where} GROUP BY app, host, ts, result_id${more}`;
/** How long the first of its rows waited. */
const ON_TIME = ` HAVING ${DELAY} <= ${LATE_AFTER_MS}`;

export const COUNTS = `toUInt32(count()) AS views, toUInt32(countIf(errors > 0 OR failed_requests > 0)) AS hurt,
    toUInt32(countIf(errors > 0)) AS with_errors, toUInt32(countIf(failed_requests > 0)) AS with_failed,
    toUInt64(sum(errors)) AS error_count, toUInt64(sum(failed_requests)) AS failed_count`;
export const SHARES = `[${each((vital) => `toUInt32(countIf(NOT isNaN(${vital})))`)}] AS counts,
    [${each((vital) => `toUInt32(countIf(${vital} <= ${VITAL_BOUNDS[vital].good}))`)}] AS good,
    [${each((vital) => `toUInt32(countIf(${vital} > ${VITAL_BOUNDS[vital].poor}))`)}] AS poor`;
export const STATES = each((vital) => `quantileDDStateIf(0.01, 0.75)(${vital}, NOT isNaN(${vital})) AS s_${vital}`);
const HURT = 'errors > 0 OR failed_requests > 0';
/** Views that were hurt in any way that counts. */
const AFFECTED = `toUInt32(countIf(${HURT} OR lcp >= ${RUM_THRESHOLDS.lcpMs})) AS affected`;
/** Exact: the value that a quarter of the views that have one are at or above. */
const EXACT = `[${each((vital) => `quantileExactIf(0.75)(${vital}, NOT isNaN(${vital}))`)}] AS p75`;

/** Views told apart: all of them, and those of each page and family of browsers. */
const EACH_PART = `arrayJoin([(toUInt8(0), ''), (toUInt8(1), toString(page)), (toUInt8(2), toString(browser))])`;

export interface Sources {
  raw: readonly TimeSpan[];
  hours: { firstHour: number; endHour: number; except: readonly number[] } | undefined;
  /** Whole days between these hours that are rolled up themselves. */
  days?: readonly number[];
}

export interface FiguresQuery {
  /** Of one host of an app; absent: all of them, told apart. */
  of?: { app: string; host: string } | undefined;
  /** Told apart by page and by browser too. */
  parts?: boolean;
  /** Absent: one step. */
  step?: { stepMs: number; fromMs: number } | undefined;
}

/** One row of figures; `at` is Unix milliseconds of its step, 0 where there is one alone. */
export interface FiguresRow {
  app: string;
  host: string;
  /** Of DIMENSIONS: all, page or browser. */
  dimension: number;
  part: string;
  at: number;
  views: number;
  hurt: number;
  with_errors: number;
  with_failed: number;
  error_count: number;
  failed_count: number;
  /** In the order of VITALS. */
  counts: number[];
  good: number[];
  poor: number[];
  p75: (number | null)[];
  /** Of exact figures. */
  affected?: number;
}

const OUT = `app, host, dimension, toString(part) AS part, toFloat64(t) AS at, views, hurt, with_errors, with_failed,
  toFloat64(error_count) AS error_count, toFloat64(failed_count) AS failed_count, counts, good, poor, p75`;
const ofSql = ({ of }: Pick<FiguresQuery, 'of'>): string => (of ? ' AND app = {app:String} AND host = {host:String}' : '');

function spanSql(spans: readonly TimeSpan[], params: Record<string, unknown>): string {
  const times = spans.map(({ fromMs, toMs }, i) => {
    params[`from${i}`] = fromMs;
    params[`to${i}`] = toMs;
    return `ts >= fromUnixTimestamp64Milli({from${i}:Int64}) AND ts < fromUnixTimestamp64Milli({to${i}:Int64})`;
  });
  return `(${times.join(' OR ')})`;
}

const stepSql = ({ step }: FiguresQuery, at: string): string =>
  step ? `intDiv(${at} - ${step.fromMs}, ${step.stepMs}) * ${step.stepMs} + ${step.fromMs}` : 'toInt64(0)';
const paramsOf = ({ of }: Pick<FiguresQuery, 'of'>): Record<string, unknown> => ({ ...of });
const ORDER = 'ORDER BY app, host, dimension, t, views DESC, part';

/** Views of spans with what they are told apart by. */
function viewsSql(query: FiguresQuery, where: string): string {
  const grouping = query.parts ? EACH_PART : "(toUInt8(0), '')";
  return `SELECT *, ${grouping} AS grouping, grouping.1 AS dimension, grouping.2 AS part, ${stepSql(query, AT)} AS t FROM (${once(where)})`;
}

/** Out of views alone: percentiles are exact. */
export function exactSql(query: FiguresQuery, spans: readonly TimeSpan[]): { sql: string; params: Record<string, unknown> } {
  const params = paramsOf(query);
  const sql = `SELECT ${OUT}, affected FROM (
    SELECT app, host, dimension, part, t, ${COUNTS}, ${AFFECTED}, ${SHARES}, ${EXACT}
    FROM (${viewsSql(query, spanSql(spans, params) + ofSql(query))}) GROUP BY app, host, dimension, part, t) ${ORDER}`;
  return { sql, params };
}

/** Which rows of `rum_hours` answer, and what they are called: days where there are, hours around them. */
function rolledSql(query: FiguresQuery, days: readonly number[]): { which: string; dimension: string; at: string } {
  const { all, page, browser, quarter, pageDay, browserDay } = DIMENSIONS;
  const isFine = query.step !== undefined && query.step.stepMs % HOUR_MS !== 0;
  const hour = `toInt64(hour) * ${HOUR_MS}`;
  if (!query.parts) {
    const at = isFine ? `${hour} + toInt64OrZero(toString(part)) * ${QUARTER_MS}` : hour;
    return { which: `dimension = ${isFine ? quarter : all} AND ${OF_HOUR_MARKS}`, dimension: `toUInt8(${all})`, at };
  }
  const hours = `(dimension = ${all} OR dimension IN (${page}, ${browser}) AND NOT has({days:Array(UInt32)}, intDiv(hour, 24)))`;
  const whole = `dimension IN (${pageDay}, ${browserDay}) AND has({days:Array(UInt32)}, intDiv(hour, 24))`;
  return {
    which:
      days.length === 0
        ? `dimension IN (${all}, ${page}, ${browser}) AND ${OF_HOUR_MARKS}`
        : `(${hours} AND ${OF_HOUR_MARKS} OR ${whole} AND ${OF_DAY_MARKS})`,
    dimension: `toUInt8(if(dimension >= ${pageDay}, dimension - ${pageDay - page}, dimension))`,
    at: hour,
  };
}

/**
 * The rows of an hour that its mark speaks of, each once: whoever computed it at the same time wrote the same. To sort them, so as to find the
 * newest, would hold all their sketches in memory at once, and so would large blocks: one of a hundred values takes 2 KB there.
 */
export const OF_HOUR_MARKS = `(hour, version) IN (SELECT hour, max(m.rolled) FROM rum_marks AS m
    WHERE tenant_id = {tenant:String} AND hour >= {firstHour:UInt32} AND hour < {endHour:UInt32} GROUP BY hour)`;
const OF_DAY_MARKS = `(intDiv(hour, 24), version) IN (SELECT day, max(d.rolled) FROM rum_day_marks AS d WHERE tenant_id = {tenant:String} GROUP BY day)`;
export const ONCE_EACH = 'LIMIT 1 BY app, host, dimension, part, hour';
export const SMALL_BLOCKS = 'SETTINGS max_block_size = 512';

function hourPartSql(query: FiguresQuery, days: readonly number[]): string {
  const { which, dimension, at } = rolledSql(query, days);
  const part = query.parts ? 'toString(part)' : "''";
  return `SELECT app, host, ${dimension} AS dim, ${part} AS name, ${stepSql(query, at)} AS t, views, hurt, with_errors, with_failed,
      errors AS error_count, failed_requests AS failed_count, counts, good, poor, ${each((vital) => `${vital} AS s_${vital}`)} FROM (
        SELECT * FROM rum_hours WHERE tenant_id = {tenant:String}${ofSql(query)} AND ${which}
          AND hour >= {firstHour:UInt32} AND hour < {endHour:UInt32} AND hour NOT IN {except:Array(UInt32)} ${ONCE_EACH})`;
}

/** Out of hours and of views where hours do not reach: percentiles are within 1 % of the exact ones. */
export function hoursSql(query: FiguresQuery, sources: Sources): { sql: string; params: Record<string, unknown> } {
  const { raw, hours, days = [] } = sources;
  const params: Record<string, unknown> = { ...paramsOf(query), ...hours, ...(days.length > 0 && { days }) };
  const parts: string[] = [];
  if (raw.length > 0)
    parts.push(`SELECT app, host, dimension AS dim, part AS name, t, ${COUNTS}, ${SHARES}, ${STATES}
      FROM (${viewsSql(query, spanSql(raw, params) + ofSql(query))}) GROUP BY app, host, dim, name, t`);
  if (hours) parts.push(hourPartSql(query, days));
  const sql = `SELECT ${OUT} FROM (
    SELECT app, host, dim AS dimension, name AS part, t, toUInt32(sum(u.views)) AS views, toUInt32(sum(u.hurt)) AS hurt,
      toUInt32(sum(u.with_errors)) AS with_errors, toUInt32(sum(u.with_failed)) AS with_failed,
      sum(u.error_count) AS error_count, sum(u.failed_count) AS failed_count,
      sumForEach(u.counts) AS counts, sumForEach(u.good) AS good, sumForEach(u.poor) AS poor,
      [${each((vital) => `quantileDDMerge(0.01, 0.75)(s_${vital})`)}] AS p75
    FROM (${parts.join(' UNION ALL ')}) AS u GROUP BY app, host, dimension, part, t) ${ORDER} ${SMALL_BLOCKS}`;
  return { sql, params };
}

/** Of every host what a judgement needs and no more, without those views that came too late for it. */
export const judgedSql = ({ fromMs, toMs }: TimeSpan): { sql: string; params: Record<string, unknown> } => {
  const params = {};
  const where = spanSql([{ fromMs, toMs }], params);
  const sql = `SELECT app, host, toUInt32(count()) AS views, toUInt32(countIf(${HURT})) AS hurt, ${AFFECTED},
      quantileExactIf(0.75)(lcp, NOT isNaN(lcp)) AS p75, toUInt32(countIf(NOT isNaN(lcp))) AS with_lcp
    FROM (${once(where, ['lcp', 'errors', 'failed_requests'], ON_TIME)}) GROUP BY app, host`;
  return { sql, params };
};

export interface JudgedRow {
  app: string;
  host: string;
  views: number;
  hurt: number;
  affected: number;
  p75: number | null;
  with_lcp: number;
}

/**
 * Steps of views whose figures are of the `windowMs` that end with each; a view counts in each step whose window it is in. Values are gathered
 * by step first, so that a window joins a few lists instead of every view of it.
 */
export function slidingSql(
  query: FiguresQuery & { step: { stepMs: number; fromMs: number } },
  { fromMs, toMs, windowMs }: TimeSpan & { windowMs: number },
): { sql: string; params: Record<string, unknown> } {
  const params = paramsOf(query);
  const { stepMs } = query.step;
  const wide = [{ fromMs: fromMs - windowMs + stepMs, toMs }];
  const sql = `SELECT toFloat64(t) AS at, toUInt32(sumIf(u.views, ahead = 0)) AS views, toUInt32(sum(u.views)) AS in_window,
      toUInt32(sum(u.hurt)) AS hurt, toFloat64(sumIf(u.failed_count, ahead = 0)) AS failed_count, sumForEach(u.counts) AS counts,
      [${each((vital) => `quantileExactMerge(0.75)(e_${vital})`)}] AS p75
    FROM (SELECT *, arrayJoin(range(${Math.round(windowMs / stepMs)})) AS ahead, own + ahead * ${stepMs} AS t FROM (
      SELECT ${stepSql(query, AT)} AS own, count() AS views, countIf(${HURT}) AS hurt, sum(failed_requests) AS failed_count,
        [${each((vital) => `countIf(NOT isNaN(${vital}))`)}] AS counts,
        ${each((vital) => `quantileExactStateIf(0.75)(${vital}, NOT isNaN(${vital})) AS e_${vital}`)}
      FROM (${once(spanSql(wide, params) + ofSql(query))}) GROUP BY own)) AS u
    WHERE t >= ${fromMs} AND t < ${toMs} GROUP BY t ORDER BY t`;
  return { sql, params };
}

export interface SlidingRow extends Pick<FiguresRow, 'at' | 'views' | 'hurt' | 'failed_count' | 'counts' | 'p75'> {
  in_window: number;
}
