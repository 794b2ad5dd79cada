/** Words and bounds of real users (docs/contract/rum.md); without zod, since the console reads them too. */

export const RUM_VERDICTS = [
  'healthy',
  'user_impact_confirmed',
  'synthetic_only_no_user_impact',
  'user_only_synthetic_blind',
] as const;
export type RumVerdict = (typeof RUM_VERDICTS)[number];

/**
 * Why a host has a verdict or not: `judged` from at least 20 views in the window; `too_few`: under them; `waiting`: no beacon came yet;
 * `quiet`: none in the window, though some came before. The last three say `healthy` with `sufficient: false` where no episode is open.
 */
export const RUM_STATES = ['judged', 'too_few', 'quiet', 'waiting'] as const;
export type RumState = (typeof RUM_STATES)[number];

export const VITALS = ['lcp', 'inp', 'cls', 'ttfb', 'fcp', 'load'] as const;
export type Vital = (typeof VITALS)[number];

/** Good up to and with `good`, poor above `poor`; milliseconds, `cls` without a unit. */
export const VITAL_BOUNDS: Readonly<Record<Vital, { readonly good: number; readonly poor: number }>> = {
  lcp: { good: 2500, poor: 4000 },
  inp: { good: 200, poor: 500 },
  cls: { good: 0.1, poor: 0.25 },
  ttfb: { good: 800, poor: 1800 },
  fcp: { good: 1800, poor: 3000 },
  load: { good: 3000, poor: 6000 },
};

export const RATINGS = ['good', 'needs_improvement', 'poor'] as const;
export type Rating = (typeof RATINGS)[number];

export const BROWSERS = ['chrome', 'firefox', 'safari', 'edge', 'other'] as const;
export type Browser = (typeof BROWSERS)[number];

export const REJECT_REASONS = [
  'no_consent',
  'malformed',
  'invalid_field',
  /** A retired key; one that never was counts for the installation. */
  'unknown_key',
  'too_large',
  'over_rate',
] as const;
export type RejectReason = (typeof REJECT_REASONS)[number];

/** What each refusal is answered with. */
export const REJECT_STATUS: Readonly<Record<RejectReason, number>> = {
  no_consent: 400,
  malformed: 400,
  invalid_field: 400,
  unknown_key: 401,
  too_large: 413,
  over_rate: 429,
};

/** The specification's thresholds, over a window that ends when the verdict is made. */
export const RUM_THRESHOLDS = {
  windowMinutes: 15,
  views: 20,
  /** Share of views with an error or a failed request. */
  errorRate: 0.1,
  lcpMs: 4000,
  testRuns: 2,
  testFailureRatio: 0.5,
} as const;

/** Of a beacon's body. */
export const BEACON_BYTES = 16 * 1024;
/** Of an app in one day; what is beyond them is the group `other`. */
export const PAGE_GROUPS = 500;
export const OTHER_PAGES = 'other';
