import { PHASES, type Phase, type RunReport } from '@svc/contracts/tests/run-report';
import type { FromRunner } from '@svc/contracts/tests/runner-messages';
import { type Test, timeoutOf } from '@svc/contracts/tests/test';
import { uuidv7 } from 'uuidv7';
import { AppError, type Clock, type TenantId } from '#kernel';
import { admitReport } from '../domain/admit-report.ts';
import type { OnProgress, RunElsewhere } from '../run-once.ts';
import type { ConnectedRunner } from './connect.ts';
import { encodePlanned } from './plan-parts.ts';

/** Beyond the test's own bound: for the way there and back, and for waiting for a turn. */
const GRACE_MS = 30_000;
/** Asked of one runner and not answered yet; more are refused. */
const MAX_PENDING = 100;

interface Pending {
  runner: string;
  test: Test;
  onProgress: OnProgress;
  resolve: (report: RunReport) => void;
  reject: (error: AppError) => void;
}

export interface PendingDeps {
  find: (tenant: TenantId, runnerId: string) => ConnectedRunner | undefined;
  clock: Clock;
}

const isPhase = (text: string): text is Phase => (PHASES as readonly string[]).includes(text);
const away = (): AppError =>
  new AppError('unavailable', 'This runner is not connected. Try again when it is.', { retryAfterSeconds: 30 });

/** What the runner says is put under what it was asked: it answers for that test and nothing else. */
function readReport(
  json: Uint8Array,
  { test, runnerId, clock }: { test: Test; runnerId: string; clock: Clock },
): RunReport | undefined {
  try {
    const told: unknown = JSON.parse(Buffer.from(json).toString('utf8'));
    const report = admitReport(told, { runnerId, mayReport: (id) => id === test.id, receivedMs: clock.now() });
    if ('refused' in report) return undefined;
    return { ...report, on_demand: true, test_version: test.version, type: test.type, target: test.target };
  } catch {
    return undefined;
  }
}

/** Runs on demand of runners whose stream this process holds. */
export function createRunHere({ find, clock }: PendingDeps) {
  const pending = new Map<string, Pending>();

  const runHere: RunElsewhere = async (tenant, { test, secrets, runnerId }, onProgress) => {
    const runner = find(tenant, runnerId);
    if (!runner) throw away();
    const key = `${tenant}/${runnerId}`;
    if ([...pending.values()].filter((one) => one.runner === key).length >= MAX_PENDING)
      throw new AppError('rate_limited', 'This runner has too many runs on demand. Try again in a minute.', {
        retryAfterSeconds: 60,
      });
    const id = uuidv7();
    const { promise, resolve, reject } = Promise.withResolvers<RunReport>();
    const late = setTimeout(() => reject(away()), timeoutOf(test) * 1000 + GRACE_MS).unref();
    const end = (): void => reject(away());
    runner.ended.addEventListener('abort', end, { once: true });
    pending.set(id, { runner: key, test, onProgress, resolve, reject });
    try {
      runner.run({ id, planned: encodePlanned({ test, secrets }, runner.to) });
      return await promise;
    } finally {
      clearTimeout(late);
      runner.ended.removeEventListener('abort', end);
      pending.delete(id);
    }
  };

  return {
    runHere,
    onAnswer({ tenant, runnerId }: { tenant: TenantId; runnerId: string }, { progress, answer }: FromRunner): void {
      const id = progress?.request_id ?? answer?.request_id;
      const asked = id === undefined ? undefined : pending.get(id);
      // A runner answers what it was asked itself.
      if (!asked || asked.runner !== `${tenant}/${runnerId}`) return;
      if (progress && isPhase(progress.phase) && Number.isFinite(progress.ms))
        asked.onProgress(progress.phase, Math.max(0, progress.ms));
      if (!answer) return;
      const report = readReport(answer.report_json, { test: asked.test, runnerId, clock });
      if (report) asked.resolve(report);
      else
        asked.reject(
          new AppError('unavailable', answer.error.replaceAll(/\p{Cc}/gu, ' ').slice(0, 300) || 'The runner gave no report.'),
        );
    },
  };
}
