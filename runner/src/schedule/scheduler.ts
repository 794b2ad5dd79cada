import type { PlannedTest } from '@svc/contracts/tests/plan';
import type { PlanClock } from '../plan-clock.ts';
import { createDueHeap, type Due } from './due-heap.ts';
import type { Lanes } from './lanes.ts';
import { nextSlot, phaseOf } from './slots.ts';

/** A run as the plan had it. */
export interface DueRun {
  owner: string;
  planned: PlannedTest;
  plannedMs: number;
  /** Runs of the plan left out since the last one that was made, since it was still going on or waited for its turn. */
  leftOut: number;
  /** It began later since its owner was above its share of the CPU. */
  isHeld: boolean;
}

export interface SchedulerDeps {
  runnerId: string;
  clock: PlanClock;
  lanes: Lanes;
  /** Never rejects. */
  run: (due: DueRun, signal: AbortSignal) => Promise<void>;
}

interface Entry extends Due {
  owner: string;
  planned: PlannedTest;
  intervalMs: number;
  phaseMs: number;
  /** Waits for its turn or runs. */
  isBusy: boolean;
  leftOut: number;
  abort: AbortController | undefined;
  isGone: boolean;
}

/** However far the next run is: the clock is looked at this often. */
const LOOK_MS = 1000;

/** Calls `onDue` for each entry when it is due, and gives it its next instant before. */
function createDueQueue(clock: PlanClock, onDue: (entry: Entry, plannedMs: number) => void) {
  const heap = createDueHeap<Entry>();
  let timer: NodeJS.Timeout | undefined;

  const arm = (): void => {
    clearTimeout(timer);
    const next = heap.peek();
    if (next) timer = setTimeout(tick, Math.min(LOOK_MS, Math.max(0, next.dueMs - clock.now())));
  };

  function tick(): void {
    clock.look();
    const now = clock.now();
    for (let next = heap.peek(); next && next.dueMs <= now; next = heap.peek()) {
      heap.pop();
      if (next.isGone) continue;
      const plannedMs = next.dueMs;
      next.dueMs = nextSlot(now, next.phaseMs, next.intervalMs);
      // More than one where this process could not look for so long: one run tells of them.
      next.leftOut += Math.round((next.dueMs - plannedMs) / next.intervalMs) - 1;
      heap.push(next);
      onDue(next, plannedMs);
    }
    arm();
  }

  return {
    add: heap.push,
    /** To be called after changes. */
    arm,
    size: heap.size,
    /** Those that are left; with none it stops. */
    replace(living: Entry[]): void {
      heap.replace(living);
      arm();
    },
  };
}

/** Never two runs of one test at once. */
function createEntering({ lanes, run }: Pick<SchedulerDeps, 'lanes' | 'run'>) {
  return (entry: Entry, plannedMs: number): void => {
    if (entry.isBusy) {
      entry.leftOut += 1;
      return;
    }
    entry.isBusy = true;
    lanes.enter(entry.planned.test.type, entry.owner, async (isHeld) => {
      const { planned, owner, leftOut } = entry;
      entry.leftOut = 0;
      if (!entry.isGone) {
        entry.abort = new AbortController();
        await run({ owner, planned, plannedMs, leftOut, isHeld }, entry.abort.signal);
        entry.abort = undefined;
      }
      entry.isBusy = false;
    });
  };
}

/**
 * Runs tests at a fixed rate, each in its own place of its interval; never two runs of one test at once; what was missed is not made up for.
 * Its rhythm is a function of time alone, so that a restart changes nothing and needs no memory.
 */
export function createScheduler({ runnerId, clock, lanes, run }: SchedulerDeps) {
  const entries = new Map<string, Entry>();
  const queue = createDueQueue(clock, createEntering({ lanes, run }));

  clock.onJump(() => {
    const now = clock.now();
    const living = [...entries.values()];
    for (const entry of living) entry.dueMs = nextSlot(now, entry.phaseMs, entry.intervalMs);
    queue.replace(living);
  });

  const remove = (id: string): void => {
    const entry = entries.get(id);
    if (!entry) return;
    entries.delete(id);
    entry.isGone = true;
    entry.abort?.abort();
  };

  const put = (owner: string, planned: PlannedTest, now: number): void => {
    const { id, interval_seconds } = planned.test;
    const intervalMs = interval_seconds * 1000;
    const known = entries.get(id);
    if (known && known.intervalMs === intervalMs && known.owner === owner) {
      known.planned = planned;
      return;
    }
    remove(id);
    const phaseMs = phaseOf(runnerId, id, intervalMs);
    const dueMs = nextSlot(now, phaseMs, intervalMs);
    const fresh = { isBusy: false, leftOut: 0, abort: undefined, isGone: false };
    const entry: Entry = { owner, planned, intervalMs, phaseMs, dueMs, ...fresh };
    entries.set(id, entry);
    queue.add(entry);
  };

  return {
    /** Puts or replaces these tests and takes those out, whose runs end at once without a report. */
    change(owner: string, { put: tests, remove: gone }: { put: readonly PlannedTest[]; remove: readonly string[] }): void {
      const now = clock.now();
      for (const id of gone) if (entries.get(id)?.owner === owner) remove(id);
      for (const planned of tests) put(owner, planned, now);
      // Those taken out stay in the queue until they are due.
      if (queue.size() > 2 * entries.size + 100) queue.replace([...entries.values()]);
      else queue.arm();
    },
    idsOf: (owner: string): string[] =>
      [...entries.values()].filter((entry) => entry.owner === owner).map(({ planned }) => planned.test.id),
    find: (id: string): PlannedTest | undefined => entries.get(id)?.planned,
    size: (): number => entries.size,
    /** Ends all runs at once. */
    close(): void {
      for (const id of [...entries.keys()]) remove(id);
      queue.replace([]);
    },
  };
}

export type Scheduler = ReturnType<typeof createScheduler>;
