import { type AssignedRunner, assignRunners } from '@svc/contracts/tests/assign';
import { NOT_RUN_FAULTS, type RunFault } from '@svc/contracts/tests/run-report';
import type { KnownRunner } from '@svc/contracts/tests/runner';
import type { Test } from '@svc/contracts/tests/test';
import type { NotRunningReason, TestState } from '@svc/contracts/tests/views';

/** What is known of one test on one runner: its newest run, and whether it has failed often enough in a row to count. */
export interface Head {
  testId: string;
  runnerId: string;
  lastAtMs: number;
  /** When the newest run began that measured something. */
  measuredAtMs: number | undefined;
  lastFault: RunFault | undefined;
  lastSucceeded: boolean;
  /** Latched: so many failing runs in a row, until as many good ones. */
  failing: boolean;
  /** When what it is now began: its first failing run where it fails. */
  sinceMs: number | undefined;
  /** When the last pause of the test ended. */
  resumedAtMs?: number | undefined;
}

export interface JudgeTimes {
  nowMs: number;
  /** Missed intervals and time that have to pass. */
  intervals: number;
  leastMs: number;
}

export interface JudgedRunner<One extends Head = Head> {
  id: string;
  state: TestState;
  reason: NotRunningReason | undefined;
  sinceMs: number | undefined;
  head: One | undefined;
}

export interface Judgement<One extends Head = Head> {
  state: TestState;
  reason: NotRunningReason | undefined;
  sinceMs: number | undefined;
  runners: JudgedRunner<One>[];
  /** Of a test that one of several runners runs: when any of them made a run last. It may have come to another one since. */
  ranAtMs?: number | undefined;
}

/** Why nothing was measured, of a run that says so. */
const REASON_OF_FAULT: Partial<Record<RunFault, NotRunningReason>> = {
  target_refused: 'target_refused',
  secret: 'secret',
  not_capable: 'runner_not_capable',
  internal: 'runner_fault',
};

/** How long after the newest run a test counts as not running. */
export const silenceMs = (
  { interval_seconds: interval }: Pick<Test, 'interval_seconds'>,
  { intervals, leastMs }: JudgeTimes,
): number => Math.max(intervals * interval * 1000, leastMs);

const idle = (assigned: AssignedRunner, head: Head | undefined): JudgedRunner | undefined =>
  assigned.idle && {
    ...{ id: assigned.id, state: 'not_running', reason: assigned.idle },
    ...{ sinceMs: head?.lastAtMs, head },
  };

/** A fault of the runner itself tells nothing of the target and may be gone with the next run: it counts once nothing else has come for so long. */
const isPassing = (head: Head, silent: number, nowMs: number): boolean =>
  head.lastFault === 'internal' && head.measuredAtMs !== undefined && nowMs - head.measuredAtMs <= silent;

/** What it was here before it was paused or ran elsewhere says nothing of now. */
const isOfFormerTimes = ({ lastAtMs, resumedAtMs = 0 }: Head, toRunMs: number, silent: number): boolean =>
  lastAtMs < resumedAtMs || toRunMs - lastAtMs > silent;

interface RunnerQuestion<One extends Head> {
  assigned: AssignedRunner;
  head: One | undefined;
  times: JudgeTimes;
  /** The rates of tenant or host leave no room for it. */
  heldBack: boolean;
  ranAtMs: number | undefined;
  /** Since when the tenant has this runner. */
  hereSinceMs: number | undefined;
}

function judgeRunner<One extends Head>(
  test: Test,
  { assigned, head, times, heldBack, ranAtMs = 0, hereSinceMs = 0 }: RunnerQuestion<One>,
): JudgedRunner<One> {
  const none = idle(assigned, head) as JudgedRunner<One> | undefined;
  if (none) return none;
  const { id } = assigned;
  const silent = silenceMs(test, times);
  const silence: NotRunningReason = heldBack ? 'rate' : 'late';
  // What was resumed, changed or ran elsewhere a moment ago has had no time to run here, and a new runner none to run it.
  const toRunMs = Math.max(Date.parse(test.updated_at), ranAtMs, hereSinceMs);
  const begunMs = Math.max(head?.lastAtMs ?? 0, toRunMs);
  if (!head) {
    if (times.nowMs - begunMs <= silent) return { id, state: 'new', reason: undefined, sinceMs: undefined, head };
    return { id, state: 'not_running', reason: silence, sinceMs: begunMs, head };
  }
  if (head.lastFault && NOT_RUN_FAULTS.includes(head.lastFault) && !isPassing(head, silent, times.nowMs))
    return { id, state: 'not_running', reason: REASON_OF_FAULT[head.lastFault], sinceMs: head.lastAtMs, head };
  if (times.nowMs - begunMs > silent)
    return { id, state: 'not_running', reason: silence, sinceMs: Math.max(head.lastAtMs, ranAtMs), head };
  if (isOfFormerTimes(head, toRunMs, silent)) return { id, state: 'new', reason: undefined, sinceMs: undefined, head };
  return { id, state: head.failing ? 'failing' : 'passing', reason: undefined, sinceMs: head.sinceMs, head };
}

const earliest = (times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((ms) => ms !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
};

export interface JudgeFacts<One extends Head> {
  heads: readonly One[];
  runners: readonly KnownRunner[];
  times: JudgeTimes;
  heldBack: boolean;
}

/**
 * What a test comes to over its runners. It fails where as many of them fail as it names; silent runners count as not run. It is not running
 * where none of its runners runs it.
 */
export function judgeTest<One extends Head>(test: Test, { heads, runners, times, heldBack }: JudgeFacts<One>): Judgement<One> {
  const byRunner = new Map(heads.map((head) => [head.runnerId, head]));
  const ranAtMs =
    test.runners.mode === 'any' && heads.length > 0 ? Math.max(...heads.map(({ lastAtMs }) => lastAtMs)) : undefined;
  const judged = assignRunners(test, runners).map((assigned) => {
    const hereSinceMs = runners.find(({ id }) => id === assigned.id)?.sinceMs;
    return judgeRunner(test, { assigned, head: byRunner.get(assigned.id), times, heldBack, ranAtMs, hereSinceMs });
  });
  const rest = { runners: judged, ranAtMs };
  if (!test.enabled) return { state: 'paused', reason: 'paused', sinceMs: Date.parse(test.updated_at), ...rest };
  const failing = judged.filter(({ state }) => state === 'failing');
  if (failing.length >= test.fail_when)
    return { state: 'failing', reason: undefined, sinceMs: earliest(failing.map(({ sinceMs }) => sinceMs)), ...rest };
  if (judged.length === 0) return { state: 'not_running', reason: 'no_runner_chosen', sinceMs: undefined, ...rest };
  const running = judged.filter(({ state }) => state !== 'not_running');
  if (running.length === 0)
    return { state: 'not_running', reason: judged[0]?.reason, sinceMs: earliest(judged.map(({ sinceMs }) => sinceMs)), ...rest };
  if (running.every(({ state }) => state === 'new')) return { state: 'new', reason: undefined, sinceMs: undefined, ...rest };
  const passing = running.filter(({ state }) => state === 'passing');
  return { state: 'passing', reason: undefined, sinceMs: earliest(passing.map(({ sinceMs }) => sinceMs)), ...rest };
}
