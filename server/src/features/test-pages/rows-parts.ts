import { BUILT_IN_RUNNER, type KnownRunner, type RunnerFacts } from '@svc/contracts/tests/runner';
import { timeoutOf } from '@svc/contracts/tests/test';
import type { RunOfTest } from '@svc/contracts/tests/views';
import { nextSlot, phaseOf } from '@svc/runner/schedule/slots';
import type { StripPlan } from './domain/strip.ts';
import type { Judged } from './facts.ts';
import type { ShownRun } from './runs-port.ts';

/** A runner that is gone keeps its id as its name. */
export const nameRunner = (runners: readonly RunnerFacts[], id: string): string =>
  runners.find((runner) => runner.id === id)?.name ?? (id === BUILT_IN_RUNNER ? 'built-in' : id);

export const showRun = (
  run: ShownRun,
  { runners, evidence }: { runners: readonly RunnerFacts[]; evidence: { screenshot: boolean } | undefined },
): RunOfTest => ({
  result_id: run.resultId,
  runner_id: run.runnerId,
  runner_name: nameRunner(runners, run.runnerId),
  started_at: new Date(run.startedAtMs).toISOString(),
  success: run.success,
  fault: run.fault ?? null,
  error: run.error ?? null,
  phases: run.phases,
  total_ms: run.totalMs,
  on_demand: run.onDemand,
  has_evidence: evidence !== undefined,
  has_screenshot: evidence?.screenshot ?? false,
});

/** What a run takes to be known: its time, and a moment on its way. */
const ON_ITS_WAY_MS = 15_000;

/** What a strip is laid by: when the runners of a test were to run it. */
export function planOfStrip(
  { test, judgement }: Judged,
  { runners, nowMs, scheduledAtMs }: { runners: readonly KnownRunner[]; nowMs: number; scheduledAtMs: number | undefined },
): Pick<StripPlan, 'intervalMs' | 'rhythms' | 'knownMs' | 'nowMs'> {
  const intervalMs = test.interval_seconds * 1000;
  const scheduled = scheduledAtMs ?? Date.parse(test.created_at);
  const sinceOf = (id: string): number => Math.max(scheduled, runners.find((runner) => runner.id === id)?.sinceMs ?? 0);
  return {
    intervalMs,
    rhythms: judgement.runners.map(({ id }) => ({ phaseMs: phaseOf(id, test.id, intervalMs), sinceMs: sinceOf(id) })),
    knownMs: nowMs - timeoutOf(test) * 1000 - ON_ITS_WAY_MS,
    nowMs,
  };
}

/** When it runs next, of those runners that run it. */
export function nextRunMs({ test, judgement }: Judged, nowMs: number): number | undefined {
  if (!test.enabled) return undefined;
  const intervalMs = test.interval_seconds * 1000;
  const able = judgement.runners.filter(({ state, reason }) => state !== 'not_running' || reason === 'late');
  const next = able.map(({ id }) => nextSlot(nowMs, phaseOf(id, test.id, intervalMs), intervalMs));
  return next.length > 0 ? Math.min(...next) : undefined;
}
