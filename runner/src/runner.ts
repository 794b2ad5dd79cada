import { performance } from 'node:perf_hooks';
import type { PlannedTest } from '@svc/contracts/tests/plan';
import type { Phase, RunReport } from '@svc/contracts/tests/run-report';
import type { Capabilities } from '@svc/contracts/tests/runner';
import type { TestType } from '@svc/contracts/tests/test-types';
import { createMakeRun } from './make-run.ts';
import { createPlanClock, type PlanClock } from './plan-clock.ts';
import type { Prober } from './run-test.ts';
import { type CpuShares, createCpuShares, ONE_OWNER } from './schedule/cpu-shares.ts';
import { createLanes } from './schedule/lanes.ts';
import { createScheduler } from './schedule/scheduler.ts';
import { createTurns, type Turns } from './schedule/turns.ts';

/** Runs on demand at once; a person waits for them, so that they do not queue behind the schedule. */
const ON_DEMAND_AT_ONCE = 8;
/** Those that wait for one of them; more are refused. */
const ON_DEMAND_WAITING = 100;
const LACKS_EVERY_MS = 60_000;

export interface RunnerDeps {
  id: string;
  prober: Prober;
  /** Takes what a run of the schedule brought; never blocks and never throws. */
  report: (owner: string, report: RunReport) => void;
  /** Several owners (tenants) have tests here. */
  shared: boolean;
  clock?: PlanClock;
  caps?: Readonly<Record<TestType, number>>;
}

export class TooManyRuns extends Error {
  constructor() {
    super('Too many runs on demand wait on this runner. Try again in a minute.');
  }
}

const SHARE_EVERY_MS = 1000;
/** How long this thread was busy, by the clock: where the machine is short of CPU, a share of it is shared, not one of a core that nobody gets. */
const busyMs = (): number => performance.eventLoopUtilization().active;

/**
 * Parts of runs that can be long are charged to their owners as they are done; what else this thread does, such as handshakes, all pay who
 * began runs meanwhile, by their number.
 */
function startSharing() {
  const shares = createCpuShares();
  let charged = 0;
  let begun = new Map<string, number>();
  let sinceMs = busyMs();
  const timer = setInterval(() => {
    const nowMs = busyMs();
    const restMs = nowMs - sinceMs - charged;
    [sinceMs, charged] = [nowMs, 0];
    const runs = [...begun.values()].reduce((sum, count) => sum + count, 0);
    for (const [owner, count] of begun) shares.spend(owner, (Math.max(0, restMs) * count) / runs);
    begun = new Map();
  }, SHARE_EVERY_MS).unref();
  const charge: CpuShares = {
    waitMs: shares.waitMs,
    spend(owner, ms) {
      charged += ms;
      shares.spend(owner, ms);
    },
  };
  return {
    shares: charge,
    noteRun: (owner: string): void => void begun.set(owner, (begun.get(owner) ?? 0) + 1),
    stop: (): void => clearInterval(timer),
  };
}

/** Pieces of an owner that may wait: with more of them it begins nothing, as each holds what its target sent. */
const MAX_PIECES = 8;
const PIECES_AGAIN_MS = 50;

/** When an owner may begin a run; where the machine itself is short of CPU, pieces pile up before any share is used. */
const holdBehind = (turns: Pick<Turns, 'waiting'>, shares: Pick<CpuShares, 'waitMs'>): Pick<CpuShares, 'waitMs'> => ({
  waitMs: (owner) => Math.max(shares.waitMs(owner), turns.waiting(owner) >= MAX_PIECES ? PIECES_AGAIN_MS : 0),
});

const NO_SHARING: ReturnType<typeof startSharing> = { shares: ONE_OWNER, noteRun: () => undefined, stop: () => undefined };

/** One runner: what is in its plan runs by schedule, whatever else is asked for runs at once. */
export async function createRunner({ id, prober, report, shared, clock = createPlanClock(), caps }: RunnerDeps) {
  let lacks: Capabilities = await prober.lacksOf();
  const { shares, noteRun, stop } = shared ? startSharing() : NO_SHARING;
  const turns = createTurns(shares);
  const makeRun = createMakeRun({ runnerId: id, runTest: prober.runTest, clock, lacks: () => lacks, shares, turns });
  const lanes = createLanes({ shared, shares: shared ? holdBehind(turns, shares) : ONE_OWNER, ...(caps ? { caps } : {}) });
  const scheduler = createScheduler({
    runnerId: id,
    clock,
    lanes,
    async run({ planned, ...due }, signal) {
      const { owner } = due;
      noteRun(owner);
      const made = await makeRun({ ...planned, ...due, onDemand: false }, signal);
      if (made) report(owner, made);
    },
  });
  const onLacks = new Set<(lacks: Capabilities) => void>();
  const lookAgain = setInterval(async () => {
    const next = await prober.lacksOf().catch(() => lacks);
    const changed = JSON.stringify(next) !== JSON.stringify(lacks);
    lacks = next;
    if (changed) for (const listener of onLacks) listener(lacks);
  }, LACKS_EVERY_MS);
  lookAgain.unref();

  const closing = new AbortController();
  const queue: (() => void)[] = [];
  let onDemand = 0;
  const takeTurn = async (): Promise<void> => {
    if (onDemand >= ON_DEMAND_AT_ONCE) {
      if (queue.length >= ON_DEMAND_WAITING) throw new TooManyRuns();
      const turn = Promise.withResolvers<void>();
      queue.push(turn.resolve);
      await turn.promise;
    } else onDemand += 1;
  };
  const giveTurn = (): void => {
    const next = queue.shift();
    if (next) next();
    else onDemand -= 1;
  };

  return {
    id,
    clock,
    lacks: (): Capabilities => lacks,
    onLacks: (listener: (lacks: Capabilities) => void): void => void onLacks.add(listener),
    change: scheduler.change,
    idsOf: scheduler.idsOf,
    find: scheduler.find,
    tests: scheduler.size,
    running: lanes.running,
    /** Runs a test now, whether it is in the plan or not; its report goes to the caller alone. `TooManyRuns` beyond the bound; undefined at the end of the runner. */
    async runOnce(
      owner: string,
      { test, secrets }: PlannedTest,
      onProgress?: (phase: Phase, ms: number) => void,
    ): Promise<RunReport | undefined> {
      await takeTurn();
      try {
        noteRun(owner);
        const now = { plannedMs: clock.now(), leftOut: 0, isHeld: false };
        return await makeRun({ owner, test, secrets, ...now, onDemand: true, onProgress }, closing.signal);
      } finally {
        giveTurn();
      }
    },
    /** Ends all runs; what they would have said is lost. */
    close(): void {
      clearInterval(lookAgain);
      stop();
      closing.abort();
      scheduler.close();
    },
  };
}

export type Runner = Awaited<ReturnType<typeof createRunner>>;
