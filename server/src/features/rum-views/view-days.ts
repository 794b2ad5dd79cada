import type { TenantId } from '#kernel';
import { type ColumnStore, HOUR_MS, type HourlyRollUp } from '#telemetry';
import {
  AT,
  COUNTS,
  DIMENSIONS,
  each,
  OF_HOUR_MARKS,
  ONCE_EACH,
  once,
  QUARTER_MS,
  SHARES,
  SMALL_BLOCKS,
  STATES,
  VIEWS_KEPT_DAYS,
} from './view-sql.ts';

/** Views of a host lie in order of time: an hour less of them to read is an hour less. */
const CLOSED_HOURS = 1;
const DAY_HOURS = 24;
const BACKGROUND = { background: true } as const;

const COLUMNS =
  'tenant_id, app, host, dimension, part, hour, views, hurt, with_errors, with_failed, errors, failed_requests, counts, good, poor, lcp, inp, cls, ttfb, fcp, load, version';

const { all, page, browser, quarter, pageDay } = DIMENSIONS;
const PARTS = `[(toUInt8(${all}), ''), (toUInt8(${page}), toString(page)), (toUInt8(${browser}), toString(browser)),
    (toUInt8(${quarter}), toString(intDiv(${AT}, ${QUARTER_MS}) % 4))]`;
const ROLL_UP = `INSERT INTO rum_hours (${COLUMNS})
  SELECT {tenant:String}, app, host, grouping.1 AS dimension, grouping.2 AS part, toUInt32(intDiv(${AT}, ${HOUR_MS})) AS at,
    ${COUNTS}, ${SHARES}, ${STATES}, {writes:Array(UInt64)}[indexOf({hours:Array(UInt32)}, at)]
  FROM (SELECT *, arrayJoin(${PARTS}) AS grouping FROM (
    ${once(`ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
      AND has({hours:Array(UInt32)}, intDiv(${AT}, ${HOUR_MS}))`)}))
  GROUP BY app, host, dimension, part, at`;

export const VIEW_HOURS: HourlyRollUp = {
  ...{ marks: 'rum_marks', compute: [ROLL_UP], keptDays: VIEWS_KEPT_DAYS, closedHours: CLOSED_HOURS },
};

/** Days of which no hour waits to be computed, each with what its hours were computed as of. */
const CLEAN_DAYS = `SELECT day, sum(seen) AS rolled FROM (
    SELECT hour, intDiv(hour, ${DAY_HOURS}) AS day, sum(writes) AS written, max(m.rolled) AS seen FROM rum_marks AS m
    WHERE tenant_id = {tenant:String} AND hour >= {firstHour:UInt32} AND hour < {endHour:UInt32} GROUP BY hour)
  GROUP BY day HAVING countIf(written > seen) = 0`;
const MARKED = 'SELECT day, max(d.rolled) AS marked FROM rum_day_marks AS d WHERE tenant_id = {tenant:String} GROUP BY day';

/** A day is what its pages and browsers came to in its hours; of all views together hours are few enough. */
const ROLL_UP_DAY = `INSERT INTO rum_hours (${COLUMNS})
  SELECT {tenant:String}, app, host, toUInt8(dim + ${pageDay - page}) AS dimension, part, {firstHour:UInt32},
    toUInt32(sum(h.views)), toUInt32(sum(h.hurt)), toUInt32(sum(h.with_errors)), toUInt32(sum(h.with_failed)), sum(h.errors), sum(h.failed_requests),
    arrayMap(n -> toUInt32(n), sumForEach(h.counts)), arrayMap(n -> toUInt32(n), sumForEach(h.good)), arrayMap(n -> toUInt32(n), sumForEach(h.poor)),
    ${each((vital) => `quantileDDMergeState(0.01, 0.75)(h.${vital})`)}, {rolled:UInt64}
  FROM (SELECT *, dimension AS dim FROM rum_hours WHERE tenant_id = {tenant:String} AND dimension IN (${page}, ${browser})
      AND hour >= {firstHour:UInt32} AND hour < {endHour:UInt32} AND ${OF_HOUR_MARKS} ${ONCE_EACH}) AS h
  GROUP BY app, host, dim, part ${SMALL_BLOCKS}`;
const MARK_DAY = `INSERT INTO rum_day_marks (tenant_id, day, rolled)
  SELECT {tenant:String}, toUInt32(intDiv({firstHour:UInt32}, ${DAY_HOURS})), {rolled:UInt64}`;

/** A type of its own rather than an interface, which would be no record of parameters. */
type Window = {
  firstHour: number;
  endHour: number;
};

/** Only days that lie in the window as a whole. */
const wholeDays = ({ firstHour, endHour }: Window): Window => ({
  firstHour: Math.ceil(firstHour / DAY_HOURS) * DAY_HOURS,
  endHour: Math.floor(endHour / DAY_HOURS) * DAY_HOURS,
});

/** Days of the window that are rolled up as of all that is stored of them. */
export async function findRolledDays(store: ColumnStore, tenant: TenantId, window: Window): Promise<number[]> {
  const days = wholeDays(window);
  if (days.firstHour >= days.endHour) return [];
  const sql = `SELECT day FROM (${CLEAN_DAYS}) AS c INNER JOIN (${MARKED}) AS k USING (day) WHERE c.rolled = k.marked ORDER BY day`;
  return (await store.read<{ day: number }>(tenant, sql, days)).map(({ day }) => day);
}

/**
 * Computes the days of a tenant that are over, of which every hour is computed, and that changed since; gives how many. Two at once, or one
 * that ends half-way, do no harm, as with hours.
 */
export async function rollUpDays(store: ColumnStore, tenant: TenantId, nowMs: number): Promise<number> {
  const endHour = Math.floor(nowMs / HOUR_MS);
  const window = wholeDays({ firstHour: endHour - (VIEWS_KEPT_DAYS - 1) * DAY_HOURS, endHour });
  const sql = `SELECT day, toFloat64(c.rolled) AS rolled FROM (${CLEAN_DAYS}) AS c LEFT JOIN (${MARKED}) AS k USING (day)
    WHERE c.rolled > k.marked ORDER BY day`;
  const due = await store.read<{ day: number; rolled: number }>(tenant, sql, window, BACKGROUND);
  for (const { day, rolled } of due) {
    const params = { firstHour: day * DAY_HOURS, endHour: (day + 1) * DAY_HOURS, rolled };
    await store.derive(tenant, ROLL_UP_DAY, params);
    await store.derive(tenant, MARK_DAY, params);
  }
  return due.length;
}
