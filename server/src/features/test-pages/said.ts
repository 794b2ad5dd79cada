import type { RunnerFacts } from '@svc/contracts/tests/runner';
import type { Said } from './domain/sentence.ts';
import type { Judged, TenantFacts } from './facts.ts';
import { nameRunner, nextRunMs } from './rows-parts.ts';
import type { DayStats, FullHead } from './runs-port.ts';

/** What the sentence of a test is made of. */
export function saidOf(
  { test, judgement }: Judged,
  { runners, times }: Pick<TenantFacts, 'times'> & { runners: readonly RunnerFacts[] },
  { heads, stats }: { heads: readonly FullHead[]; stats: Pick<DayStats, 'usualMs' | 'usualPhases'> | undefined },
): Said {
  const lastOf = new Map(heads.map((head) => [head.runnerId, head.last]));
  return {
    ...{ test, state: judgement.state, reason: judgement.reason, sinceMs: judgement.sinceMs },
    runners: judgement.runners.map(({ id, state, sinceMs }) => {
      const last = lastOf.get(id);
      return { name: nameRunner(runners, id), state, sinceMs, last: last && { ...last, failed: last.failed } };
    }),
    usual: { totalMs: stats?.usualMs, phases: stats?.usualPhases ?? {} },
    nextMs: nextRunMs({ test, judgement }, times.nowMs),
  };
}
