import { RUM_THRESHOLDS, type RumVerdict } from '@svc/contracts/rum/kinds';
import type { TestsHalf, UsersHalf } from '@svc/contracts/rum/views';

export type Users = UsersHalf;
export type Tests = TestsHalf;

export const WEB_TYPES = ['http', 'https', 'browser'] as const;
const SHOWN_TESTS = 20;

/** What the views of a window came to. */
export interface WindowViews {
  views: number;
  /** With an error or a failed request. */
  hurt: number;
  /** Those, and the ones that waited for LCP too long. */
  affected: number;
  /** Of the views that have one. */
  p75LcpMs: number | undefined;
  lcpViews?: number | undefined;
}

/** What runs of tests of the host came to; undefined where no test names it. */
export interface WindowRuns {
  passed: number;
  failed: number;
  failing: readonly { id: string; name: string; runs: number; failed: number }[];
}

/** Of figures of a window, which may have none. */
export const toWindow = (figures?: {
  views: number;
  hurt: number;
  affected: number | undefined;
  vitals: Readonly<Record<'lcp', { views: number; p75: number | undefined }>>;
}): WindowViews => ({
  views: figures?.views ?? 0,
  hurt: figures?.hurt ?? 0,
  affected: figures?.affected ?? figures?.hurt ?? 0,
  p75LcpMs: figures?.vitals.lcp.p75,
  lcpViews: figures?.vitals.lcp.views,
});

export function judgeUsers({ views, hurt, affected, p75LcpMs, lcpViews }: WindowViews): Users {
  const sufficient = views >= RUM_THRESHOLDS.views;
  const rate = views === 0 ? null : hurt / views;
  const by: Users['by'] = [];
  if (rate !== null && rate >= RUM_THRESHOLDS.errorRate) by.push('errors');
  if (p75LcpMs !== undefined && p75LcpMs >= RUM_THRESHOLDS.lcpMs) by.push('lcp');
  return {
    ...{ degraded: sufficient && by.length > 0, sufficient, views, views_needed: RUM_THRESHOLDS.views },
    ...{ hurt_views: hurt, affected_views: affected },
    // Of too few nothing is said.
    error_rate: sufficient ? rate : null,
    error_rate_from: RUM_THRESHOLDS.errorRate,
    p75_lcp_ms: sufficient ? (p75LcpMs ?? null) : null,
    ...(lcpViews === undefined ? {} : { lcp_views: lcpViews }),
    lcp_ms_from: RUM_THRESHOLDS.lcpMs,
    by: sufficient ? by : [],
  };
}

export function judgeTests(outcome: WindowRuns | undefined): Tests {
  const [passed, failed] = [outcome?.passed ?? 0, outcome?.failed ?? 0];
  const runs = passed + failed;
  const ratio = runs === 0 ? null : failed / runs;
  return {
    degraded: runs >= RUM_THRESHOLDS.testRuns && ratio !== null && ratio >= RUM_THRESHOLDS.testFailureRatio,
    tested: outcome !== undefined,
    ...{ runs, runs_needed: RUM_THRESHOLDS.testRuns, failed, ratio, ratio_from: RUM_THRESHOLDS.testFailureRatio },
    types: [...WEB_TYPES],
    failing: (outcome?.failing ?? []).slice(0, SHOWN_TESTS).map((test) => ({ ...test })),
  };
}

/** The specification's table; of too few views nothing is said but that. */
export function verdictOf(users: Pick<Users, 'degraded' | 'sufficient'>, tests: Pick<Tests, 'degraded'>): RumVerdict {
  if (!users.sufficient) return 'healthy';
  if (users.degraded) return tests.degraded ? 'user_impact_confirmed' : 'user_only_synthetic_blind';
  return tests.degraded ? 'synthetic_only_no_user_impact' : 'healthy';
}
