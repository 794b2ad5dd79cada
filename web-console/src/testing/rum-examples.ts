import type { RumApp, RumApps } from '@svc/contracts/rum/apps';
import { REJECT_REASONS, REJECT_STATUS, VITAL_BOUNDS, VITALS } from '@svc/contracts/rum/kinds';
import type { RumHost, RumOverview, RumRow } from '@svc/contracts/rum/views';

const MINUTE_MS = 60_000;
const at = (agoMs: number): string => new Date(Date.now() - agoMs).toISOString();

let made = 0;
const nextId = (): string => {
  made += 1;
  return `00000000-0000-4000-a000-${String(made).padStart(12, '0')}`;
};

export const P75 = { lcp: 1900, inp: 160, cls: 0.04, ttfb: 420, fcp: 1100, load: 2400 };

export const rumRow = (app: string, more: Partial<RumRow> = {}): RumRow => ({
  ...{ app_id: nextId(), app, host: `${app}.example`, state: 'judged', verdict: 'healthy', sufficient: true },
  ...{ since: at(300 * MINUTE_MS), sentence: `Users of ${app}.example are fine: p75 LCP 1.9 s over 412 views.` },
  ...{ views: 412, usual_views: 430, error_rate: 0.005, views_with_errors: 2, views_with_failed_requests: 0 },
  ...{ p75: P75, tests: { runs: 30, failed: 0 }, incident: null },
  ...{ first_beacon_at: at(40 * 24 * 60 * MINUTE_MS), last_beacon_at: at(4000) },
  ...more,
});

export const waitingRow = (app: string): RumRow =>
  rumRow(app, {
    ...{ host: null, state: 'waiting', sufficient: false, since: null, sentence: `${app} waits for its first beacon.` },
    ...{ views: 0, usual_views: null, error_rate: null, p75: {}, tests: null, first_beacon_at: null, last_beacon_at: null },
    ...{ views_with_errors: 0 },
  });

export const rejects = (more: Partial<RumOverview['rejects']> = {}): RumOverview['rejects'] => ({
  from: at(10 * 60 * MINUTE_MS),
  items: REJECT_REASONS.map((reason) => ({
    ...{ reason, status: REJECT_STATUS[reason], app: null, count: 0, first_at: null, last_at: null, fields: [] },
    ...{ meaning: `What ${reason} means.`, advice: `What to do about ${reason}.` },
  })),
  ...{ missing_share: null, unknown_to_installation: 0 },
  ...more,
});

const COVERAGE =
  'No beacons is no proof of health. Who did not consent, or sends Do Not Track or Global Privacy Control, is invisible, and so is any app without the snippet.';

export const rumOverview = (rows: RumRow[], more: Partial<RumOverview> = {}): RumOverview => {
  const verdict = (name: RumRow['verdict']): number => rows.filter((row) => row.verdict === name).length;
  const state = (name: RumRow['state']): number => rows.filter((row) => row.state === name).length;
  return {
    ...{ surface: 'open', surface_sentence: '', sentence: rows[0]?.sentence ?? 'No app is registered.' },
    ...{ judged_at: at(20_000), window_minutes: 15, verdicts: rows, next_cursor: null, total: rows.length },
    counts: {
      verdicts: {
        ...{ healthy: verdict('healthy'), user_impact_confirmed: verdict('user_impact_confirmed') },
        synthetic_only_no_user_impact: verdict('synthetic_only_no_user_impact'),
        user_only_synthetic_blind: verdict('user_only_synthetic_blind'),
      },
      states: { judged: state('judged'), too_few: state('too_few'), quiet: state('quiet'), waiting: state('waiting') },
    },
    counters: {
      ...{ accepted: 9000, rejected_no_consent: 0, rejected_malformed: 0, rejected_invalid_field: 0 },
      ...{ rejected_unknown_key: 0, rejected_too_large: 0, rejected_over_rate: 0 },
    },
    ...{ rejects: rejects(), coverage_note: COVERAGE },
    ...more,
  };
};

export const rumApp = (name: string, more: Partial<RumApp> = {}): RumApp => ({
  ...{ id: nextId(), name, hosts: [`${name}.example`], rate_per_min: null, effective_rate_per_min: 300, source: 'console' },
  keys: [{ key: `app_${name}_5Yt2Qw`, created_at: at(6 * MINUTE_MS), retires_at: null }],
  ...{ created_at: at(6 * MINUTE_MS), created_by: { id: 'account-1', name: 'Ana' } },
  snippet: `<script defer crossorigin src="https://obs.example:8443/rum.0123456789abcdef.js"\n  data-key="app_${name}_5Yt2Qw"></script>`,
  ...{ first_beacon_at: null, last_beacon_at: null, script_fetches: { count: 0, last_at: null }, last_refusal: null },
  ...more,
});

export const rumApps = (items: RumApp[], more: Partial<RumApps> = {}): RumApps => ({
  ...{ items, next_cursor: null, surface: 'open', surface_sentence: '', endpoint: 'https://obs.example:8443/ingest/rum' },
  script: { url: 'https://obs.example:8443/rum.0123456789abcdef.js', integrity: 'sha384-x', bytes: 2040 },
  ...more,
});

export const usersHalf = (more: Partial<RumHost['verdict']['users']> = {}): RumHost['verdict']['users'] => ({
  ...{ degraded: false, sufficient: true, views: 412, views_needed: 20, hurt_views: 2, affected_views: 2, error_rate: 0.005 },
  ...{ error_rate_from: 0.1, p75_lcp_ms: 1900, lcp_ms_from: 4000, by: [], ...more },
});

export const testsHalf = (more: Partial<RumHost['verdict']['tests']> = {}): RumHost['verdict']['tests'] => ({
  ...{ degraded: false, tested: true, runs: 30, runs_needed: 2, failed: 0, ratio: 0, ratio_from: 0.5 },
  ...{ types: ['http', 'https', 'browser'], failing: [], ...more },
});

const SHARES = { good: 0.57, needs_improvement: 0.06, poor: 0.37 };

const vitalFigures = (p75: Partial<Record<(typeof VITALS)[number], number>>): RumHost['vitals'] =>
  VITALS.map((vital) => {
    const value = p75[vital];
    const { good, poor } = VITAL_BOUNDS[vital];
    const rating = value === undefined ? null : value <= good ? 'good' : value > poor ? 'poor' : 'needs_improvement';
    return {
      ...{ vital, views: value === undefined ? 9 : 412, sufficient: value !== undefined, p75: value ?? null },
      ...{ usual_p75: value === undefined ? null : P75[vital], rating, shares: value === undefined ? null : SHARES },
      ...{ good_to: good, poor_from: poor },
    };
  });

const group = (views: number, p75: Partial<typeof P75>) => ({
  ...{ views, sufficient: views >= 20, error_rate: views >= 20 ? 0.047 : null, failed_requests: views >= 20 ? 3 : null },
  ...{ p75, lcp_shares: views >= 20 ? SHARES : null },
});

const POINTS = 120;
const STEP_S = 180;

const series = (p75: Partial<typeof P75>): RumHost['series'] => ({
  step_seconds: STEP_S,
  points: Array.from({ length: POINTS }, (_, index) => ({
    ...{ at: at((POINTS - index) * STEP_S * 1000), views: index === 40 ? 0 : 80 + (index % 9), failed_requests: 0 },
    error_rate: index === 40 ? null : 0.005,
    p75: index === 40 ? {} : { ...P75, ...(index > 100 ? p75 : {}) },
  })),
});

export const rumHost = (row: RumRow, more: Partial<RumHost> = {}): RumHost => ({
  row,
  verdict: {
    ...{ verdict: row.verdict, sufficient: row.sufficient, since: row.since, judged_at: at(20_000), window_minutes: 15 },
    ...{ users: usersHalf(), tests: testsHalf(), signalled_at: null },
  },
  ...{ remainder: 'All figures are as usual, in all browsers.', from: at(360 * MINUTE_MS), to: at(0) },
  ...{ figures_from: at(15 * MINUTE_MS), figures_to: at(0), vitals: vitalFigures(row.p75) },
  errors: {
    ...{ sufficient: true, views: row.views, hurt_views: 14, rate: row.error_rate, usual_rate: 0.006, hurt_from: 0.1 },
    ...{ views_with_errors: 5, views_with_failed_requests: 9, errors: 5, failed_requests: 9 },
  },
  series: series(row.p75),
  history: [
    {
      ...{ verdict: 'healthy', sufficient: true, from: at(360 * MINUTE_MS), to: null, signalled: false },
      ...{ users: usersHalf(), tests: testsHalf() },
    },
  ],
  ...{ incidents: [], changes: [] },
  pages: {
    items: [
      { page: '/', ...group(148, row.p75) },
      { page: '/order/:id', ...group(14, {}) },
    ],
    ...{ total: 2, limit_a_day: 500, other_views: 0 },
  },
  browsers: [
    { browser: 'chrome', ...group(218, row.p75) },
    { browser: 'other', ...group(7, {}) },
  ],
  ...{ late: { views: 0, sentence: '' }, coverage_note: COVERAGE, retention_days: 30 },
  ...more,
});

/** A quarter of its views paint after 5.2 s, and the tests see it too. */
export function hurtHost(): RumHost {
  const since = at(17 * MINUTE_MS);
  const row = rumRow('shop', {
    ...{ verdict: 'user_impact_confirmed', since, p75: { ...P75, lcp: 5200, ttfb: 3600 }, error_rate: 0.034 },
    sentence: `Users of shop.example hurt since ${since}: p75 LCP 5.2 s over 412 views, and the test Checkout fails too.`,
    ...{ incident: { id: nextId(), number: 94 }, tests: { runs: 46, failed: 38 } },
  });
  const users = usersHalf({
    degraded: true,
    hurt_views: 14,
    affected_views: 152,
    error_rate: 0.034,
    p75_lcp_ms: 5200,
    by: ['lcp'],
  });
  const failing = [{ id: nextId(), name: 'Checkout', runs: 46, failed: 38 }];
  const tests = testsHalf({ degraded: true, runs: 46, failed: 38, ratio: 0.83, failing });
  return rumHost(row, {
    verdict: {
      ...{ verdict: row.verdict, sufficient: true, since, judged_at: at(20_000), window_minutes: 15, users, tests },
      signalled_at: since,
    },
    remainder: 'They wait for the first byte: 3.6 s, usually 0.42 s.',
    history: [
      {
        ...{ verdict: 'healthy', sufficient: true, from: at(360 * MINUTE_MS), to: since, signalled: false },
        ...{ users: usersHalf(), tests: testsHalf() },
      },
      { verdict: row.verdict, sufficient: true, from: since, to: null, signalled: true, users, tests },
    ],
    incidents: [{ id: row.incident?.id ?? '', number: 94, title: 'Checkout fails', from: since, to: null }],
    changes: [{ id: 'c1', number: 548, title: 'deploy checkout 4.18.0', at: at(29 * MINUTE_MS) }],
  });
}
