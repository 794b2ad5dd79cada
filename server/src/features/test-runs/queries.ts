import type { Assertion, CertificateFacts, Phase, RunFault } from '@svc/contracts/tests/run-report';
import type { TenantId } from '#kernel';

/** What compose/ gives to the slices that show and judge tests. Times are Unix milliseconds. */

/** A run as lists show it. */
export interface ShownRun {
  resultId: string;
  runnerId: string;
  startedAtMs: number;
  success: boolean;
  fault: RunFault | undefined;
  error: string | undefined;
  phases: Partial<Record<Phase, number>>;
  totalMs: number;
  /** The first assertion that did not hold. */
  failed?: Pick<Assertion, 'rule' | 'wanted' | 'got'> | undefined;
  onDemand: boolean;
}

/** What is known of one test on one runner. */
export interface RunHead {
  testId: string;
  runnerId: string;
  lastAtMs: number;
  lastSucceeded: boolean;
  /** How long it took. */
  lastMs: number;
  lastFault: RunFault | undefined;
  /** Latched: so many failing runs in a row, until as many good ones. */
  failing: boolean;
  sinceMs: number | undefined;
  /** When the run began that made it count. */
  latchedAtMs: number | undefined;
  certificateEndsMs: number | undefined;
  /** When the newest run began that showed it. */
  certificateSeenMs: number | undefined;
  /** When the newest run began that measured something. */
  measuredAtMs: number | undefined;
  /** When the last pause of the test ended: what is known of a run before it says nothing of now. */
  resumedAtMs: number | undefined;
}

/** The same with what a page shows of it. */
export interface FullHead extends RunHead {
  last: ShownRun;
  certificate: CertificateFacts | undefined;
  certificateChangedAtMs: number | undefined;
}

export interface EndingCertificate {
  endsMs: number;
  /** Hosts that it is for, as it says itself; a star among them stays one. */
  names: readonly string[];
}

export interface HeadQueries {
  /** Of all tests of a tenant. */
  heads(tenant: TenantId): Promise<RunHead[]>;
  headsOf(tenant: TenantId, testIds: readonly string[]): Promise<FullHead[]>;
  /** Certificates that tests saw and that end before a time, those that end first, each once. */
  certificatesEnding(tenant: TenantId, beforeMs: number): Promise<EndingCertificate[]>;
}

/** What the runs of a stretch of time came to; figures of those that count. */
export interface Step {
  atMs: number;
  passed: number;
  failed: number;
  /** Runs that could measure nothing. */
  notRun: number;
  meanMs: number | undefined;
  phases: Partial<Record<Phase, number>>;
  /** Of those that passed. */
  medianMs: number | undefined;
  p95Ms: number | undefined;
}

/** Of the last 24 hours; what is usual is of seven days. */
export interface DayStats {
  bars: readonly Step[];
  p95Ms: number | undefined;
  usualMs: number | undefined;
  usualPhases: Partial<Record<Phase, number>>;
}

export interface FullRun extends ShownRun {
  testId: string;
  version: number;
  figures: Record<string, number>;
  address: string | undefined;
  certificate: CertificateFacts | undefined;
  assertions: Assertion[];
}

export interface StepsQuery {
  testId: string;
  runner?: string | undefined;
  fromMs: number;
  toMs: number;
  /** Steps of whole hours that begin at one reach 13 months back, others 30 days. */
  stepMs: number;
}

export interface Outcomes {
  passed: number;
  failed: number;
}

export interface OutcomesQuery {
  fromMs: number;
  toMs: number;
  except: readonly { testId: string; fromMs: number; toMs: number }[];
}

export interface RunsQuery {
  fromMs: number;
  toMs: number;
  runner?: string | undefined;
  success?: boolean | undefined;
  limit: number;
  before?: { startedAtMs: number; resultId: string } | undefined;
  /** Without runs on demand and those that could measure nothing. */
  countedOnly?: boolean;
}

export interface RunQueries {
  /** Steps with runs, in order. */
  steps(tenant: TenantId, query: StepsQuery): Promise<Step[]>;
  dayStats(tenant: TenantId, testIds: readonly string[]): Promise<Map<string, DayStats>>;
  /** A window as one step, by test: of some tests, or of all of a tenant. */
  whole(
    tenant: TenantId,
    whose: { testIds?: readonly string[] | undefined; runner?: string | undefined },
    span: { fromMs: number; toMs: number },
  ): Promise<Map<string, Step>>;
  /** How many runs that count passed and failed of tests within a window, but for stretches of some of them; without any they are left out. */
  outcomes(tenant: TenantId, testIds: readonly string[], within: OutcomesQuery): Promise<Map<string, Outcomes>>;
  /** The latest first. */
  runs(tenant: TenantId, testId: string, query: RunsQuery): Promise<ShownRun[]>;
  countRuns(tenant: TenantId, testId: string, query: Omit<RunsQuery, 'limit' | 'before' | 'countedOnly'>): Promise<number>;
  run(tenant: TenantId, ids: { testId: string; resultId: string }): Promise<FullRun | undefined>;
}
