import type { Run } from './run.ts';
import { RunFailure } from './run-failure.ts';

/** Of this thread. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/**
 * Does what a test or its target can make long, and tells how long this thread was with it: by the clock, since all others wait as long for a
 * thread that gets a part of a core only.
 */
export function metered<Value>({ tools }: Pick<Run, 'tools'>, work: () => Value): Value {
  const sinceMs = performance.now();
  try {
    return work();
  } finally {
    tools.onBusy?.(performance.now() - sinceMs);
  }
}

/** The target may have answered: that it was not looked at in time is nobody's fault there. */
export const noTurnInTime = (): RunFailure =>
  new RunFailure('internal', 'Its tests took more of the time of this runner than their share.');

/** Waits until the runner has time for such work: its other tests go on meanwhile. */
export async function takeTurn(run: Pick<Run, 'tools' | 'turns'>): Promise<void> {
  if (!run.tools.takeTurn) return;
  run.turns += 1;
  try {
    await run.tools.takeTurn();
  } finally {
    run.turns -= 1;
  }
}

/** The same work in its turn, after the target has done its part: the wait for it is not the target's time. */
export async function judgeInTurn<Value>(run: Run, work: () => Value): Promise<Value> {
  const sinceMs = performance.now();
  await takeTurn(run);
  run.startedMs += performance.now() - sinceMs;
  return metered(run, work);
}
