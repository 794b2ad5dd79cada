import { RUM_THRESHOLDS, VITALS, type Vital } from '@svc/contracts/rum/kinds';
import type { Clock, TenantId } from '#kernel';
import { type ColumnStore, chooseSources, HOUR_MS, type TimeSpan } from '#telemetry';
import type { Figures, HostOfApp, SeriesStep, Usual, ViewReader } from './reader.ts';
import { findRolledDays, VIEW_HOURS } from './view-days.ts';
import {
  DIMENSIONS,
  exactSql,
  type FiguresQuery,
  type FiguresRow,
  hoursSql,
  type JudgedRow,
  judgedSql,
  LATE_AFTER_MS,
  QUARTER_MS,
  type SlidingRow,
  type Sources,
  slidingSql,
} from './view-sql.ts';

const MINUTE_MS = 60_000;
const WINDOW_MS = RUM_THRESHOLDS.windowMinutes * MINUTE_MS;
/** Longer times are answered by hours. */
const EXACT_UP_TO_MS = 12 * HOUR_MS;
const DAY_MS = 24 * HOUR_MS;
const USUAL_DAYS = 7;
const MAX_ROWS = 20_000;
/** Of a judgement, for which nobody waits: a machine that is busy otherwise is no reason to make none. */
const JUDGED_WITHIN_MS = 30_000;

const finite = (value: number | null | undefined): number | undefined =>
  value === null || value === undefined || !Number.isFinite(value) ? undefined : value;

const perVital = <Value>(of: (i: number) => Value): Record<Vital, Value> =>
  Object.fromEntries(VITALS.map((vital, i) => [vital, of(i)])) as Record<Vital, Value>;

const toFigures = (row: FiguresRow): Figures => ({
  ...{ app: row.app, host: row.host, part: row.part, atMs: row.at, views: row.views, hurt: row.hurt },
  affected: row.affected,
  ...{ withErrors: row.with_errors, withFailed: row.with_failed },
  ...{ errors: row.error_count, failedRequests: row.failed_count },
  vitals: perVital((i) => ({
    ...{ views: row.counts[i] ?? 0, good: row.good[i] ?? 0, poor: row.poor[i] ?? 0 },
    p75: (row.counts[i] ?? 0) > 0 ? finite(row.p75[i]) : undefined,
  })),
});

const toStep = (row: SlidingRow): SeriesStep => ({
  ...{ atMs: row.at, views: row.views, failedRequests: row.failed_count, inWindow: row.in_window, hurt: row.hurt },
  counts: perVital((i) => row.counts[i] ?? 0),
  p75: perVital((i) => ((row.counts[i] ?? 0) > 0 ? finite(row.p75[i]) : undefined)),
});

const fromFigures = (one: Figures): SeriesStep => ({
  ...{ atMs: one.atMs, views: one.views, failedRequests: one.failedRequests, inWindow: one.views, hurt: one.hurt },
  counts: perVital((i) => one.vitals[VITALS[i] as Vital].views),
  p75: perVital((i) => one.vitals[VITALS[i] as Vital].p75),
});

const USUAL = `SELECT app, host, quantileExact(0.5)(views) * ${WINDOW_MS / HOUR_MS} AS usual, toUInt32(count()) AS hours FROM (
    SELECT app, host, hour, argMax(h.views, version) AS views FROM rum_hours AS h
    WHERE tenant_id = {tenant:String} AND dimension = ${DIMENSIONS.all} AND hour >= {firstHour:UInt32} GROUP BY app, host, hour)
  GROUP BY app, host`;

const OF_SPAN = `tenant_id = {tenant:String} AND app = {app:String} AND host = {host:String}
    AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})`;
const WAITED = 'toUnixTimestamp64Milli(stored_at) - toUnixTimestamp64Milli(ts)';
const ANY_LATE = `SELECT 1 AS late FROM rum_views WHERE ${OF_SPAN} AND ${WAITED} > ${LATE_AFTER_MS} LIMIT 1`;
const LATE = `SELECT toFloat64(count()) AS n FROM (SELECT result_id FROM rum_views WHERE ${OF_SPAN}
    GROUP BY ts, result_id HAVING min(${WAITED}) > ${LATE_AFTER_MS})`;

export function createViewReader({ store, clock }: { store: ColumnStore; clock: Clock }): ViewReader {
  async function sourcesOf(tenant: TenantId, query: FiguresQuery, span: TimeSpan): Promise<Sources> {
    const { step, parts = false } = query;
    // Quarters of an hour are rolled up with their hours.
    const isRolled = step === undefined || (step.fromMs % QUARTER_MS === 0 && step.stepMs % QUARTER_MS === 0);
    const sources = await chooseSources({ store, clock }, tenant, { ...span, stepMs: isRolled ? HOUR_MS : 1, ...VIEW_HOURS });
    if (!parts || !sources.hours) return sources;
    return { ...sources, days: await findRolledDays(store, tenant, sources.hours) };
  }

  async function read(
    tenant: TenantId,
    query: FiguresQuery,
    { background = false, ...span }: TimeSpan & { background?: boolean },
  ): Promise<FiguresRow[]> {
    const isExact = span.toMs - span.fromMs <= EXACT_UP_TO_MS;
    const { sql, params } = isExact ? exactSql(query, [span]) : hoursSql(query, await sourcesOf(tenant, query, span));
    return await store.read<FiguresRow>(tenant, sql, params, { maxRows: MAX_ROWS, background });
  }

  return {
    everyHost: async (tenant, span, of) => (await read(tenant, { of }, span)).map(toFigures),
    async judged(tenant, span) {
      const { sql, params } = judgedSql(span);
      const limits = { maxRows: MAX_ROWS, background: true, timeoutMs: JUDGED_WITHIN_MS };
      const rows = await store.read<JudgedRow>(tenant, sql, params, limits);
      return rows.map(({ p75, with_lcp: lcpViews, ...row }) => ({
        ...{ ...row, lcpViews },
        p75LcpMs: lcpViews > 0 ? finite(p75) : undefined,
      }));
    },
    async figures(tenant, of, span) {
      const rows = await read(tenant, { of, parts: true }, span);
      const partsOf = (wanted: number) => rows.filter(({ dimension }) => dimension === wanted).map(toFigures);
      const [all] = partsOf(DIMENSIONS.all);
      return { all, pages: partsOf(DIMENSIONS.page), browsers: partsOf(DIMENSIONS.browser) };
    },
    async minutes(tenant, of, span) {
      const step = { stepMs: MINUTE_MS, fromMs: span.fromMs };
      return (await read(tenant, { of, step }, { ...span, background: true })).map(toFigures);
    },
    async series(tenant, of, { fromMs, toMs, stepMs }) {
      const step = { stepMs, fromMs };
      if (stepMs < WINDOW_MS) {
        const { sql, params } = slidingSql({ of, step }, { fromMs, toMs, windowMs: WINDOW_MS });
        return (await store.read<SlidingRow>(tenant, sql, params)).map(toStep);
      }
      return (await read(tenant, { of, step }, { fromMs, toMs })).map(toFigures).map(fromFigures);
    },
    async countLate(tenant, of, span) {
      const params = { ...of, ...span };
      // Next to never is any of them late, and that is cheap to know.
      if ((await store.read(tenant, ANY_LATE, params)).length === 0) return 0;
      return (await store.read<{ n: number }>(tenant, LATE, params))[0]?.n ?? 0;
    },
    async usual(tenant): Promise<Usual[]> {
      const firstHour = Math.floor((clock.now() - USUAL_DAYS * DAY_MS) / HOUR_MS);
      const rows = await store.read<HostOfApp & { usual: number; hours: number }>(tenant, USUAL, { firstHour });
      return rows.map(({ app, host, usual, hours }) => ({ app, host, views: usual, hours }));
    },
    async usualFigures(tenant, of) {
      const endHour = Math.floor(clock.now() / HOUR_MS);
      const hours = { firstHour: endHour - USUAL_DAYS * 24, endHour, except: [] };
      const { sql, params } = hoursSql({ of }, { raw: [], hours });
      const [row] = await store.read<FiguresRow>(tenant, sql, params);
      return row && toFigures(row);
    },
  };
}
