import type { PlannedTest } from '@svc/contracts/tests/plan';
import type { Phase, RunReport } from '@svc/contracts/tests/run-report';
import { BUILT_IN_RUNNER, type Capabilities } from '@svc/contracts/tests/runner';
import { createOwnUse } from './own-use.ts';
import type { OwnUse, PlanChange } from './process/messages.ts';
import type { Prober } from './run-test.ts';
import { createRunner, type RunnerDeps } from './runner.ts';

/** A run on demand whose runner ended under it, for a reason of its own; it is started again. */
export class RunnerGone extends Error {
  constructor() {
    super('The runner ended within the run.');
  }
}

/** A runner as whoever gives it its plan sees it, wherever it is. */
export interface RunnerHandle {
  lacks(): Capabilities;
  /** Puts or replaces tests of an owner and takes others out; what is in stays in, whatever becomes of the runner. */
  change(owner: string, change: PlanChange): void;
  /** `TooManyRuns` beyond its bound, `RunnerGone` where it ended; undefined at its end. */
  runOnce(owner: string, planned: PlannedTest, onProgress?: (phase: Phase, ms: number) => void): Promise<RunReport | undefined>;
  use(): OwnUse;
  close(): Promise<void>;
}

export type OpenRunner = (report: RunnerDeps['report']) => Promise<RunnerHandle>;

/** The runner that tenants share, in this very process. */
export const openRunnerHere =
  (openProber: () => Promise<Prober>): OpenRunner =>
  async (report) => {
    const runner = await createRunner({ id: BUILT_IN_RUNNER, prober: await openProber(), shared: true, report });
    const use = createOwnUse();
    return {
      lacks: runner.lacks,
      change: runner.change,
      runOnce: runner.runOnce,
      use: use.read,
      close: async () => runner.close(),
    };
  };
