import {
  OTHER_PAGES,
  PAGE_GROUPS,
  type Rating,
  RUM_THRESHOLDS,
  VITAL_BOUNDS,
  VITALS,
  type Vital,
} from '@svc/contracts/rum/kinds';
import type { BrowserRow, ErrorFigures, PageRow, RumHost, RumHostQuery, Shares, VitalFigure } from '@svc/contracts/rum/views';
import { AppError, type Ctx } from '#kernel';
import type { TimeSpan } from '#telemetry';
import type { RumViewsContext } from '../context.ts';
import { judgeTests, judgeUsers, toWindow } from '../domain/judge.ts';
import { remainderOf } from '../domain/remainder.ts';
import { COVERAGE_NOTE } from '../domain/sentence.ts';
import type { Figures, SeriesStep, VitalCounts } from '../reader.ts';
import { readSpans, type SpanRow } from '../verdict-store.ts';
import { VIEWS_KEPT_DAYS } from '../view-sql.ts';
import { readRows, type ShownRow, toP75, USUAL_HOURS } from './rows.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WINDOW_MS = RUM_THRESHOLDS.windowMinutes * MINUTE_MS;
const DEFAULT_RANGE_MS = 3 * HOUR_MS;
/** Lengths of a step, seconds. */
const STEPS = [60, 120, 180, 300, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400] as const;

const iso = (ms: number): string => new Date(ms).toISOString();
const enough = (views: number): boolean => views >= RUM_THRESHOLDS.views;

export interface Asked extends TimeSpan {
  stepMs: number;
  figures: TimeSpan;
}

/** The times that a query is about; from the beginning of a step to the end of one. */
export function readTimes(query: RumHostQuery, nowMs: number): Asked {
  const askedTo = query.to === undefined ? nowMs : Math.min(Date.parse(query.to), nowMs);
  const askedFrom = query.from === undefined ? askedTo - DEFAULT_RANGE_MS : Date.parse(query.from);
  if (askedFrom >= askedTo) throw new AppError('validation', 'from has to be before to.');
  const fromMs = Math.max(askedFrom, askedTo - VIEWS_KEPT_DAYS * DAY_MS);
  const wanted = (askedTo - fromMs) / query.points / 1000;
  const stepMs = (STEPS.find((step) => step >= wanted) ?? 86_400) * 1000;
  const span = { fromMs: Math.floor(fromMs / stepMs) * stepMs, toMs: Math.ceil(askedTo / stepMs) * stepMs };
  const window = { fromMs: askedTo - WINDOW_MS, toMs: askedTo + 1 };
  return { ...span, stepMs, figures: query.figures === 'range' ? { fromMs, toMs: askedTo + 1 } : window };
}

function toShares({ views, good, poor }: VitalCounts): Shares | null {
  if (!enough(views)) return null;
  return { good: good / views, needs_improvement: (views - good - poor) / views, poor: poor / views };
}

function rate(vital: Vital, value: number): Rating {
  const { good, poor } = VITAL_BOUNDS[vital];
  if (value <= good) return 'good';
  return value <= poor ? 'needs_improvement' : 'poor';
}

function toVital(vital: Vital, now: Figures | undefined, usual: Figures | undefined): VitalFigure {
  const counts = now?.vitals[vital] ?? { views: 0, good: 0, poor: 0, p75: undefined };
  const sufficient = enough(counts.views);
  const p75 = sufficient ? (counts.p75 ?? null) : null;
  return {
    ...{ vital, views: counts.views, sufficient, p75, usual_p75: usual?.vitals[vital].p75 ?? null },
    rating: p75 === null ? null : rate(vital, p75),
    shares: toShares(counts),
    ...{ good_to: VITAL_BOUNDS[vital].good, poor_from: VITAL_BOUNDS[vital].poor },
  };
}

function toErrors(now: Figures | undefined, usual: Figures | undefined): ErrorFigures {
  const views = now?.views ?? 0;
  return {
    ...{ sufficient: enough(views), views, hurt_views: now?.hurt ?? 0 },
    rate: now && enough(views) ? now.hurt / views : null,
    usual_rate: usual && usual.views > 0 ? usual.hurt / usual.views : null,
    hurt_from: RUM_THRESHOLDS.errorRate,
    ...{ views_with_errors: now?.withErrors ?? 0, views_with_failed_requests: now?.withFailed ?? 0 },
    ...{ errors: now?.errors ?? 0, failed_requests: now?.failedRequests ?? 0 },
  };
}

/** Of a group: nothing is drawn of fewer than twenty. */
const toGroup = (one: Figures) => ({
  ...{ views: one.views, sufficient: enough(one.views) },
  error_rate: enough(one.views) ? one.hurt / one.views : null,
  failed_requests: enough(one.views) ? one.failedRequests : null,
  p75: toP75(one.vitals),
  lcp_shares: toShares(one.vitals.lcp),
});

const toPage = (one: Figures): PageRow => ({ page: one.part, ...toGroup(one) });
const toBrowser = (one: Figures): BrowserRow => ({
  browser: one.part as BrowserRow['browser'],
  ...toGroup(one),
});

const toPoint = (step: SeriesStep): RumHost['series']['points'][number] => {
  const p75: Partial<Record<Vital, number>> = {};
  for (const vital of VITALS) {
    const value = step.p75[vital];
    if (value !== undefined && enough(step.counts[vital])) p75[vital] = value;
  }
  return {
    ...{ at: iso(step.atMs), views: step.views, failed_requests: step.failedRequests },
    error_rate: enough(step.inWindow) ? step.hurt / step.inWindow : null,
    p75,
  };
};

function toHistory(spans: readonly SpanRow[]): RumHost['history'] {
  return spans.map((span, i) => ({
    ...{ verdict: span.verdict, sufficient: span.sufficient, from: span.from_at.toISOString() },
    to: spans[i + 1]?.from_at.toISOString() ?? null,
    ...{ users: span.users, tests: span.tests, signalled: span.signalled },
  }));
}

function toVerdict({ row, judged, said }: ShownRow): RumHost['verdict'] {
  const signalled = Object.values(judged?.episode?.signalled ?? {}).map(({ atMs }) => atMs);
  return {
    ...{ verdict: row.verdict, sufficient: row.sufficient, since: row.since },
    judged_at: judged ? iso(judged.judgedAtMs) : null,
    window_minutes: RUM_THRESHOLDS.windowMinutes,
    users: judged?.users ?? said.users ?? judgeUsers(toWindow(undefined)),
    tests: judged?.tests ?? judgeTests(undefined),
    signalled_at: signalled.length === 0 ? null : iso(Math.min(...signalled)),
  };
}

const lateWords = (views: number): string =>
  views === 0
    ? ''
    : `${views} ${views === 1 ? 'view' : 'views'} waited for more than five minutes until they were stored: they are in the figures and were not judged.`;

async function readParts(context: RumViewsContext, ctx: Ctx, of: { app: string; host: string; asked: Asked }) {
  const { reader, relational } = context;
  const { tenant } = ctx.principal;
  const { asked, ...place } = of;
  const lateFromMs = Math.max(asked.fromMs, asked.toMs - DAY_MS);
  const [figures, steps, usual, late, history, incidents, changes] = await Promise.all([
    reader.figures(tenant, place, asked.figures),
    reader.series(tenant, place, asked),
    reader.usualFigures(tenant, place),
    reader.countLate(tenant, place, { fromMs: lateFromMs, toMs: asked.toMs }),
    relational.withTenantSql(tenant, (sql) => readSpans(sql, place, { from: new Date(asked.fromMs), to: new Date(asked.toMs) })),
    context.incidentsOf(tenant, place.host, asked),
    context.changesOf(tenant, place.host, asked),
  ]);
  return { ...figures, steps, usual, late, history, incidents, changes };
}

/** `rum.host` and `GET /v1/rum/{app}/{host}`. */
export async function readHostPage(context: RumViewsContext, ctx: Ctx, query: RumHostQuery): Promise<RumHost> {
  const { tenant } = ctx.principal;
  const of = { app: query.app, host: query.host.toLowerCase() };
  const asked = readTimes(query, context.clock.now());
  // All at once: one that is not there is asked of for nothing, which is seldom and cheap.
  const [[shown], parts, usualOf] = await Promise.all([
    readRows(context, tenant, of),
    readParts(context, ctx, { ...of, asked }),
    context.usualOf(tenant),
  ]);
  if (!shown) throw new AppError('not_found', 'No app of this name is known at this host.');
  const hasUsual = (usualOf.get(`${of.app}\n${of.host}`)?.hours ?? 0) >= USUAL_HOURS;
  const usual = hasUsual ? parts.usual : undefined;
  const vitals = VITALS.map((vital) => toVital(vital, parts.all, usual));
  const browsers = parts.browsers.map(toBrowser);
  return {
    row: shown.row,
    verdict: toVerdict(shown),
    remainder: remainderOf({ vitals, browsers, users: shown.said.users }),
    ...{ from: iso(asked.fromMs), to: iso(asked.toMs) },
    ...{ figures_from: iso(asked.figures.fromMs), figures_to: iso(asked.figures.toMs - 1) },
    vitals,
    errors: toErrors(parts.all, usual),
    series: { step_seconds: asked.stepMs / 1000, points: parts.steps.map(toPoint) },
    history: toHistory(parts.history),
    incidents: [...parts.incidents],
    changes: [...parts.changes],
    pages: {
      items: parts.pages.slice(0, query.pages).map(toPage),
      ...{ total: parts.pages.length, limit_a_day: PAGE_GROUPS },
      other_views: parts.pages.find(({ part }) => part === OTHER_PAGES)?.views ?? 0,
    },
    browsers,
    late: { views: parts.late, sentence: lateWords(parts.late) },
    ...{ coverage_note: COVERAGE_NOTE, retention_days: VIEWS_KEPT_DAYS },
  };
}
