import type { Assertion, CertificateFacts, Evidence, Phase, RunFault } from '@svc/contracts/tests/run-report';
import type { TenantId } from '#kernel';
import type { Head } from './domain/judge.ts';

/** What this slice asks of the runs of tests, which another slice keeps. Times are Unix milliseconds. */

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

export interface RunHead extends Head {
  lastMs: number;
  latchedAtMs: number | undefined;
  certificateEndsMs: number | undefined;
  /** When the newest run began that showed it. */
  certificateSeenMs: number | undefined;
}

export interface FullHead extends RunHead {
  last: ShownRun;
  certificate: CertificateFacts | undefined;
  certificateChangedAtMs: number | undefined;
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
  /** Those of the 24 hours that have runs. */
  bars: readonly Step[];
  p95Ms: number | undefined;
  usualMs: number | undefined;
  usualPhases: Partial<Record<Phase, number>>;
}

export interface FullRun extends ShownRun {
  figures: Record<string, number>;
  address: string | undefined;
  certificate: CertificateFacts | undefined;
  assertions: Assertion[];
}

interface Window {
  fromMs: number;
  toMs: number;
}

export interface RunsWanted extends Window {
  runner?: string | undefined;
  success?: boolean | undefined;
}

export interface KeptEvidence {
  /** Of the screenshot; undefined without one. */
  mediaType: string | undefined;
  text(): Promise<Omit<Evidence, 'screenshot'> | undefined>;
  picture(): Promise<Buffer | undefined>;
}

export interface RunsOfTests {
  /** Of all tests of a tenant. */
  heads(tenant: TenantId): Promise<readonly RunHead[]>;
  headsOf(tenant: TenantId, testIds: readonly string[]): Promise<readonly FullHead[]>;
  /** Of these tests; without any they are left out. */
  dayStats(tenant: TenantId, testIds: readonly string[]): Promise<ReadonlyMap<string, DayStats>>;
  /** Of all tests of a tenant, at most a minute old: what a list is sorted by. */
  standings(tenant: TenantId): Promise<ReadonlyMap<string, { availability: number | undefined; p95Ms: number | undefined }>>;
  /** Which of these runs have evidence, and whether a screenshot. */
  evidenceOf(tenant: TenantId, resultIds: readonly string[]): Promise<ReadonlyMap<string, { screenshot: boolean }>>;
  /** Steps with runs, in order. */
  steps(
    tenant: TenantId,
    query: Window & { testId: string; runner?: string | undefined; stepMs: number },
  ): Promise<readonly Step[]>;
  /** A window as one step, by test. */
  whole(tenant: TenantId, whose: { testIds: readonly string[] }, span: Window): Promise<ReadonlyMap<string, Step>>;
  /** How many runs that count passed and failed of tests within a window, but for stretches of some of them; without any they are left out. */
  outcomes(
    tenant: TenantId,
    testIds: readonly string[],
    within: Window & { except: readonly (Window & { testId: string })[] },
  ): Promise<ReadonlyMap<string, { passed: number; failed: number }>>;
  /** The latest first. */
  runs(
    tenant: TenantId,
    testId: string,
    query: RunsWanted & { limit: number; before?: { startedAtMs: number; resultId: string } | undefined; countedOnly?: boolean },
  ): Promise<readonly ShownRun[]>;
  countRuns(tenant: TenantId, testId: string, query: RunsWanted): Promise<number>;
  run(tenant: TenantId, ids: { testId: string; resultId: string }): Promise<FullRun | undefined>;
  readEvidence(tenant: TenantId, ids: { testId: string; resultId: string }): Promise<KeptEvidence | undefined>;
  storeEvidence(
    tenant: TenantId,
    of: { result_id: string; test_id: string; runner_id: string; started_at: string; evidence: Evidence },
  ): Promise<void>;
}
