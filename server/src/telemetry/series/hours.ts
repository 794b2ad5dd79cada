import type { TenantId } from '#kernel';
import type { ColumnStore } from '../ports.ts';

export const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Samples are kept this long. */
const SAMPLES_KEPT_DAYS = 30;
/**
 * Hours are computed by quarters of a day that are over: a day's samples of one series lie side by side, so one hour costs a reader as
 * much as six.
 */
const STRETCH_HOURS = 6;
/** Results come a little late; an hour is worth computing once. */
const CLOSED_AFTER_MS = 10 * 60_000;
/** An insert's mark may be seen before its samples are. No insert takes this long. */
const SETTLED_AFTER_MS = 5 * 60_000;

export const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS);

/**
 * One kind of roll-up. Each statement of `compute` is an INSERT ... SELECT over points of {tenant:String} from {fromMs:Int64} to
 * {toMs:Int64} of the hours {hours:Array(UInt32)}, whose versions are {writes:Array(UInt64)}; the higher version wins for a reader.
 */
export interface HourlyRollUp {
  /** The table that tells which hours had how many writes. */
  marks: 'sample_marks' | 'metric_marks' | 'test_marks' | 'rum_marks';
  compute: readonly string[];
  /** An hour is computed again while all its points are there: they begin to expire this long after it began. */
  keptDays: number;
  /** Hours are computed once the last of so many is over; by default of a quarter of a day. */
  closedHours?: number;
}

/** The first hour that may still change. */
export const firstOpenHour = (nowMs: number, keptDays = SAMPLES_KEPT_DAYS): number =>
  hourOf(nowMs - keptDays * DAY_MS + 2 * HOUR_MS) + 1;

/** Hours of the window (first and end, in hours) whose points say more than their roll-up, in order. */
export async function findChangedHours(
  store: ColumnStore,
  tenant: TenantId,
  { marks, ...window }: { marks: HourlyRollUp['marks']; firstHour: number; endHour: number },
): Promise<number[]> {
  const sql = `SELECT hour FROM ${marks}
    WHERE tenant_id = {tenant:String} AND hour >= {firstHour:UInt32} AND hour < {endHour:UInt32}
    GROUP BY hour HAVING sum(writes) > max(rolled) ORDER BY hour`;
  return (await store.read<{ hour: number }>(tenant, sql, window)).map(({ hour }) => hour);
}

/** Grouping by (metric, fp, ts) collapses what was delivered twice; in the order of the table it needs next to no memory. */
const ROLL_UP = `INSERT INTO sample_hours (tenant_id, metric, fp, hour, points, total, least, most, version)
  SELECT {tenant:String}, metric, fp, toUInt32(intDiv(toUnixTimestamp64Milli(ts), ${HOUR_MS})) AS at, count(), sum(v), min(v), max(v),
    {writes:Array(UInt64)}[indexOf({hours:Array(UInt32)}, at)] FROM (
    SELECT metric, fp, ts, any(value) AS v FROM samples
    WHERE tenant_id = {tenant:String} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
      AND has({hours:Array(UInt32)}, intDiv(toUnixTimestamp64Milli(ts), ${HOUR_MS}))
    GROUP BY metric, fp, ts)
  GROUP BY metric, fp, at`;

export const SAMPLE_HOURS: HourlyRollUp = { marks: 'sample_marks', compute: [ROLL_UP], keptDays: SAMPLES_KEPT_DAYS };

const BACKGROUND = { background: true } as const;

const markSql = (marks: string): string => `INSERT INTO ${marks} (tenant_id, hour, writes, rolled, written_at)
  SELECT {tenant:String}, seen.1, 0, seen.2, fromUnixTimestamp64Milli(0) FROM (
    SELECT arrayJoin(arrayZip({hours:Array(UInt32)}, {writes:Array(UInt64)})) AS seen)`;

const dueSql = (marks: string): string => `SELECT groupArray(hour) AS hours, groupArray(seen) AS writes FROM (
    SELECT hour, sum(writes) AS seen FROM ${marks}
    WHERE tenant_id = {tenant:String} AND hour >= {firstHour:UInt32} AND hour < {endHour:UInt32}
    GROUP BY hour HAVING sum(${marks}.writes) > max(rolled) AND max(written_at) <= fromUnixTimestamp64Milli({settledMs:Int64})
    ORDER BY hour)
  GROUP BY intDiv(hour, ${STRETCH_HOURS}) AS stretch ORDER BY stretch`;

/**
 * Computes the hours of a tenant that are over and changed since they were computed last, the oldest first; gives how many. Two at once,
 * or one that ends half-way, do no harm: the computation that saw more writes wins, and an hour without its mark is computed again.
 */
export async function rollUpHours(
  store: ColumnStore,
  tenant: TenantId,
  { marks, compute, keptDays, nowMs, closedHours = STRETCH_HOURS }: HourlyRollUp & { nowMs: number },
): Promise<number> {
  const endHour = Math.floor(hourOf(nowMs - CLOSED_AFTER_MS) / closedHours) * closedHours;
  const window = { firstHour: firstOpenHour(nowMs, keptDays), endHour, settledMs: nowMs - SETTLED_AFTER_MS };
  let count = 0;
  for (const due of await store.read<{ hours: number[]; writes: number[] }>(tenant, dueSql(marks), window, BACKGROUND)) {
    const times = { fromMs: Math.min(...due.hours) * HOUR_MS, toMs: (Math.max(...due.hours) + 1) * HOUR_MS };
    for (const sql of compute) await store.derive(tenant, sql, { ...due, ...times });
    await store.derive(tenant, markSql(marks), due);
    count += due.hours.length;
  }
  return count;
}
