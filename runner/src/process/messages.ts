import type { PlannedTest } from '@svc/contracts/tests/plan';
import type { Phase, RunReport } from '@svc/contracts/tests/run-report';
import type { Capabilities } from '@svc/contracts/tests/runner';

/** What a runner in a process of its own is told at first. Its environment holds nothing of whoever started it. */
export interface RunnerSettings {
  id: string;
  /** SVC_TARGETS_ALLOW. */
  allow: readonly string[];
  forbiddenHosts: readonly string[];
  forbiddenNames: readonly string[];
  /** SVC_CHROMIUM. */
  chromium?: string | undefined;
}

export interface PlanChange {
  put: readonly PlannedTest[];
  remove: readonly string[];
}

export type ToRunnerProcess =
  | { type: 'open'; settings: RunnerSettings }
  | ({ type: 'change'; owner: string } & PlanChange)
  | { type: 'run'; call: number; owner: string; planned: PlannedTest }
  | { type: 'close' };

export interface OwnUse {
  /** Of one core. */
  cpu_ratio: number;
  rss_bytes: number;
}

export type FromRunnerProcess =
  | { type: 'opened'; lacks: Capabilities }
  | { type: 'failed'; message: string }
  | { type: 'lacks'; lacks: Capabilities }
  | { type: 'report'; owner: string; report: RunReport }
  | { type: 'progress'; call: number; phase: Phase; ms: number }
  /** Without a report: `isBusy`, or the runner ends. */
  | { type: 'answer'; call: number; report?: RunReport | undefined; isBusy: boolean }
  | ({ type: 'beat' } & OwnUse)
  | { type: 'internal'; message: string };

/** How often the process says that it is alive. */
export const BEAT_EVERY_MS = 5000;
