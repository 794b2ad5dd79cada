import { z } from 'zod';
import { SURFACES } from './apps.ts';
import { BROWSERS, RATINGS, REJECT_REASONS, RUM_STATES, RUM_VERDICTS, VITALS } from './kinds.ts';

/** What `rum.overview`, `rum.host` and `rum.ofHosts` answer. A figure over fewer than 20 views is null and `sufficient` is false. */

const at = z.iso.datetime();

/** p75 over the views that have the value; absent where fewer than 20 have it. */
export const P75 = z.partialRecord(z.enum(VITALS), z.number());
export type P75 = z.infer<typeof P75>;

export const FailingTest = z.object({ id: z.uuid(), name: z.string(), runs: z.int(), failed: z.int() });

/** The half of a verdict that people's page loads are. */
export const UsersHalf = z.object({
  degraded: z.boolean(),
  sufficient: z.boolean(),
  views: z.int(),
  views_needed: z.int(),
  /** Views with an error or a failed request. */
  hurt_views: z.int(),
  /** Those, and the ones that waited for LCP as long as counts as hurt: how many of how many were hurt. */
  affected_views: z.int(),
  error_rate: z.number().nullable(),
  error_rate_from: z.number(),
  p75_lcp_ms: z.number().nullable(),
  /** Views that the p75 is over; absent in judgements that were kept before it was counted. */
  lcp_views: z.int().optional(),
  lcp_ms_from: z.number(),
  /** Which of the two it is by. */
  by: z.array(z.enum(['errors', 'lcp'])),
});
export type UsersHalf = z.infer<typeof UsersHalf>;

/** The half that tests are: runs of http, https and browser tests of the host, without those in maintenance. */
export const TestsHalf = z.object({
  degraded: z.boolean(),
  /** Whether any such test of the host exists. */
  tested: z.boolean(),
  runs: z.int(),
  runs_needed: z.int(),
  failed: z.int(),
  ratio: z.number().nullable(),
  ratio_from: z.number(),
  types: z.array(z.string()),
  /** Those of which a run failed; at most 20. */
  failing: z.array(FailingTest),
});
export type TestsHalf = z.infer<typeof TestsHalf>;

export const Verdict = z.object({
  verdict: z.enum(RUM_VERDICTS),
  /** False: too few views to say anything of users. */
  sufficient: z.boolean(),
  since: at.nullable(),
  judged_at: at.nullable(),
  window_minutes: z.int(),
  users: UsersHalf,
  tests: TestsHalf,
  /** When the open episode raised its signal; null where it raised none. */
  signalled_at: at.nullable(),
});
export type Verdict = z.infer<typeof Verdict>;

export const RumRow = z.object({
  app_id: z.uuid(),
  app: z.string(),
  /** Null: the app waits, and no host is named for it. */
  host: z.string().nullable(),
  state: z.enum(RUM_STATES),
  verdict: z.enum(RUM_VERDICTS),
  sufficient: z.boolean(),
  since: at.nullable(),
  /** What is so, in whole. */
  sentence: z.string(),
  views: z.int(),
  /** Median of windows of the last seven days; null without a day of them. */
  usual_views: z.number().nullable(),
  error_rate: z.number().nullable(),
  /** Views that had one. */
  views_with_errors: z.int(),
  views_with_failed_requests: z.int(),
  p75: P75,
  /** Null: no test of this host. */
  tests: z.object({ runs: z.int(), failed: z.int() }).nullable(),
  incident: z.object({ id: z.uuid(), number: z.int() }).nullable(),
  first_beacon_at: at.nullable(),
  last_beacon_at: at.nullable(),
});
export type RumRow = z.infer<typeof RumRow>;

/** Since the counting began. */
export const RumCounters = z.object({
  accepted: z.int(),
  rejected_no_consent: z.int(),
  rejected_malformed: z.int(),
  rejected_invalid_field: z.int(),
  rejected_unknown_key: z.int(),
  rejected_too_large: z.int(),
  rejected_over_rate: z.int(),
});
export type RumCounters = z.infer<typeof RumCounters>;

/** One reason of one app over the days asked for. */
export const RejectRow = z.object({
  reason: z.enum(REJECT_REASONS),
  status: z.int(),
  /** Null: the key was of no app, or could not be read. */
  app: z.string().nullable(),
  count: z.int(),
  first_at: at.nullable(),
  last_at: at.nullable(),
  /** The fields at which beacons were refused, most often first; at most 10. */
  fields: z.array(z.object({ field: z.string(), count: z.int() })),
  /** What it means, and what to do. */
  meaning: z.string(),
  advice: z.string(),
});

export const RumRejects = z.object({
  from: at,
  /** Every reason at least once, with a count of 0 where nothing was refused. */
  items: z.array(RejectRow),
  /** Of what was sent, 0 to 1: refused since over the rate; null where nothing was. Figures lack these views. */
  missing_share: z.number().nullable(),
  /** Beacons with a key that no tenant of the installation ever had. */
  unknown_to_installation: z.int(),
});
export type RumRejects = z.infer<typeof RumRejects>;

export const RUM_SORTS = ['verdict', 'app', 'host', 'views', 'error_rate', 'p75_lcp', 'runs_failed'] as const;

export const RumQuery = z.object({
  search: z.string().max(200).optional(),
  app: z.string().max(63).optional(),
  verdict: z.array(z.enum(RUM_VERDICTS)).max(4).optional(),
  state: z.array(z.enum(RUM_STATES)).max(4).optional(),
  sort: z.enum(RUM_SORTS).default('verdict'),
  descending: z.boolean().default(false),
  limit: z.int().min(1).max(1000).default(100),
  cursor: z.string().max(512).optional(),
});
export type RumQuery = z.infer<typeof RumQuery>;

export const RumOverview = z.object({
  surface: z.enum(SURFACES),
  surface_sentence: z.string(),
  /** Over all rows: the worst first. */
  sentence: z.string(),
  judged_at: at.nullable(),
  window_minutes: z.int(),
  /** One an (app, host); apps that wait too. */
  verdicts: z.array(RumRow),
  next_cursor: z.string().nullable(),
  total: z.int(),
  /** Of all rows, whatever the filter. */
  counts: z.object({ verdicts: z.record(z.enum(RUM_VERDICTS), z.int()), states: z.record(z.enum(RUM_STATES), z.int()) }),
  counters: RumCounters,
  rejects: RumRejects,
  coverage_note: z.string(),
});
export type RumOverview = z.infer<typeof RumOverview>;

export const RumHostQuery = z.object({
  app: z.string().min(1).max(63),
  host: z.string().min(1).max(253),
  /** Of the series, history and marks; absent: the last three hours. At most 30 days. */
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  /** What vitals, errors, pages and browsers are of: the last 15 minutes before `to`, or the whole range. */
  figures: z.enum(['window', 'range']).default('window'),
  points: z.int().min(10).max(500).default(120),
  /** Page groups that are listed, those with most views first. */
  pages: z.int().min(1).max(501).default(50),
});
export type RumHostQuery = z.infer<typeof RumHostQuery>;

/** Of 1; together 1. */
export const Shares = z.object({ good: z.number(), needs_improvement: z.number(), poor: z.number() });
export type Shares = z.infer<typeof Shares>;

export const VitalFigure = z.object({
  vital: z.enum(VITALS),
  /** Views that have it. */
  views: z.int(),
  sufficient: z.boolean(),
  p75: z.number().nullable(),
  usual_p75: z.number().nullable(),
  rating: z.enum(RATINGS).nullable(),
  shares: Shares.nullable(),
  good_to: z.number(),
  poor_from: z.number(),
});
export type VitalFigure = z.infer<typeof VitalFigure>;

export const ErrorFigures = z.object({
  sufficient: z.boolean(),
  views: z.int(),
  /** With an error or a failed request. */
  hurt_views: z.int(),
  rate: z.number().nullable(),
  usual_rate: z.number().nullable(),
  hurt_from: z.number(),
  views_with_errors: z.int(),
  views_with_failed_requests: z.int(),
  /** Sums over views. */
  errors: z.int(),
  failed_requests: z.int(),
});
export type ErrorFigures = z.infer<typeof ErrorFigures>;

/** Rate and p75 are of the 15 minutes that end with the step, or of the step itself where that is longer. */
export const RumSeriesPoint = z.object({
  /** When the step begins. */
  at,
  /** In the step. */
  views: z.int(),
  failed_requests: z.int(),
  error_rate: z.number().nullable(),
  p75: P75,
});

const group = {
  views: z.int(),
  sufficient: z.boolean(),
  error_rate: z.number().nullable(),
  failed_requests: z.int().nullable(),
  p75: P75,
  lcp_shares: Shares.nullable(),
};
export const PageRow = z.object({ page: z.string(), ...group });
export type PageRow = z.infer<typeof PageRow>;
export const BrowserRow = z.object({ browser: z.enum(BROWSERS), ...group });
export type BrowserRow = z.infer<typeof BrowserRow>;

/** One stretch of one verdict; the last one of an open range has no end. */
export const VerdictSpan = z.object({
  verdict: z.enum(RUM_VERDICTS),
  sufficient: z.boolean(),
  from: at,
  to: at.nullable(),
  /** As it was entered. */
  users: UsersHalf,
  tests: TestsHalf,
  signalled: z.boolean(),
});
export type VerdictSpan = z.infer<typeof VerdictSpan>;

export const RumHost = z.object({
  row: RumRow,
  verdict: Verdict,
  /** What else is so: which figures are as usual, in which browsers. */
  remainder: z.string(),
  from: at,
  to: at,
  /** What the figures are of. */
  figures_from: at,
  figures_to: at,
  vitals: z.array(VitalFigure),
  errors: ErrorFigures,
  series: z.object({ step_seconds: z.int(), points: z.array(RumSeriesPoint) }),
  history: z.array(VerdictSpan),
  incidents: z.array(z.object({ id: z.uuid(), number: z.int(), title: z.string(), from: at, to: at.nullable() })),
  changes: z.array(z.object({ id: z.string(), number: z.int(), title: z.string(), at })),
  pages: z.object({
    items: z.array(PageRow),
    total: z.int(),
    limit_a_day: z.int(),
    /** Views of pages beyond the bound, which are the group `other`. */
    other_views: z.int(),
  }),
  browsers: z.array(BrowserRow),
  /** What waited on the bus for more than five minutes and was judged without. */
  late: z.object({ views: z.int(), sentence: z.string() }),
  coverage_note: z.string(),
  retention_days: z.int(),
});
export type RumHost = z.infer<typeof RumHost>;

/** For pages of devices and tests: at most 50 hosts, as they are spelled there. */
export const OfHostsQuery = z.object({ hosts: z.array(z.string().min(1).max(253)).max(50) });

/** Only hosts that users are known of. */
export const OfHosts = z.object({
  items: z.array(
    z.object({
      host: z.string(),
      app: z.string(),
      verdict: z.enum(RUM_VERDICTS),
      sufficient: z.boolean(),
      users_hurt: z.boolean(),
      since: at.nullable(),
      views: z.int(),
      /** "users are fine" or "users hurt too", with its figures. */
      sentence: z.string(),
    }),
  ),
});
export type OfHosts = z.infer<typeof OfHosts>;
