import type { PlannedSecret } from '@svc/contracts/tests/plan';
import type { Phase, RunReport } from '@svc/contracts/tests/run-report';
import { BUILT_IN_RUNNER } from '@svc/contracts/tests/runner';
import type { Test } from '@svc/contracts/tests/test';
import { TooManyRuns } from '@svc/runner/runner';
import { RunnerGone, type RunnerHandle } from '@svc/runner/runner-handle';
import { AppError, type TenantId } from '#kernel';
import type { RunnersDeps } from './context.ts';
import type { Publish } from './publish.ts';

export interface RunOnce {
  test: Test;
  runner_id: string;
  /** Nothing is published and nothing kept. */
  dry_run: boolean;
}

export type OnProgress = (phase: Phase, ms: number) => void;

/** A run of a runner elsewhere. AppError `not_found` for one that the tenant does not have, `unavailable` where it is not connected. */
export type RunElsewhere = (
  tenant: TenantId,
  wanted: { test: Test; secrets: readonly PlannedSecret[]; runnerId: string },
  onProgress: OnProgress,
) => Promise<RunReport>;

export interface RunOnceDeps {
  secretsOf: ReturnType<typeof createSecretsOf>;
  openBuiltIn: () => Promise<RunnerHandle>;
  runElsewhere: RunElsewhere;
  publish: Publish;
}

const busy = (cause: unknown): AppError =>
  new AppError('rate_limited', 'This runner has too many runs on demand. Try again in a minute.', {
    cause,
    retryAfterSeconds: 60,
  });

const gone = (cause: unknown): AppError =>
  new AppError('unavailable', 'The built-in runner ended within the run, and is started again. Try again.', {
    cause,
    retryAfterSeconds: 5,
  });

/** The secrets that a test refers to, also where it is not saved. */
export const createSecretsOf =
  (tests: RunnersDeps['tests']) =>
  async (tenant: TenantId, test: Test): Promise<readonly PlannedSecret[]> => {
    const { secretsOf, planOf } = tests();
    if (secretsOf) return await secretsOf(tenant, test);
    return (await planOf(tenant)).find((planned) => planned.test.id === test.id)?.secrets ?? [];
  };

export function createRunOnce({ secretsOf, openBuiltIn, runElsewhere, publish }: RunOnceDeps) {
  /** Runs a test once on one runner and gives its report; published, unless it is a dry run, before it is given. */
  return async (
    tenant: TenantId,
    { test, runner_id, dry_run }: RunOnce,
    onProgress: OnProgress = () => {},
  ): Promise<RunReport> => {
    const secrets = [...(await secretsOf(tenant, test))];
    let report: RunReport | undefined;
    if (runner_id === BUILT_IN_RUNNER) {
      const runner = await openBuiltIn();
      report = await runner.runOnce(tenant, { test, secrets }, onProgress).catch((error: unknown) => {
        throw error instanceof TooManyRuns ? busy(error) : error instanceof RunnerGone ? gone(error) : error;
      });
      if (!report) throw new AppError('unavailable', 'This server is shutting down. Try again.', { retryAfterSeconds: 5 });
    } else report = await runElsewhere(tenant, { test, secrets, runnerId: runner_id }, onProgress);
    if (!dry_run) await publish(tenant, [report]);
    return report;
  };
}
