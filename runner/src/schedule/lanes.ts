import type { TestType } from '@svc/contracts/tests/test-types';
import { type CpuShares, ONE_OWNER } from './cpu-shares.ts';

/** Runs at once by type (docs/limits.md). */
export const LANE_CAPS: Readonly<Record<TestType, number>> = {
  http: 256,
  https: 256,
  dns: 256,
  icmp: 64,
  tcp: 256,
  udp: 128,
  browser: 2,
};

/** `isHeld`: it waited for its owner's share of the CPU. Never rejects. */
type Start = (isHeld: boolean) => Promise<void>;

interface Lane {
  running: number;
  /** By owner, in the order of their turns. */
  waiting: Map<string, Start[]>;
  ofOwner: Map<string, number>;
  /** Owners that wait for their share. */
  held: Set<string>;
  again: NodeJS.Timeout | undefined;
}

/** Of a lane, for one owner while several share the runner. */
const OWNER_PART = 0.75;

export interface LanesOptions {
  caps?: Readonly<Record<TestType, number>>;
  /** Several owners have tests here. */
  shared: boolean;
  /** Until an owner may begin a run. */
  shares?: Pick<CpuShares, 'waitMs'>;
}

/**
 * Bounds how many runs of a type go on at once. Those that wait are let in by turns of their owners, and no owner of a shared runner may hold
 * a lane alone: tests of one tenant whose targets all hang, or that take all of the CPU, must not stop those of another.
 */
export function createLanes({ caps = LANE_CAPS, shared, shares = ONE_OWNER }: LanesOptions) {
  const lanes = new Map<TestType, Lane>();
  const laneOf = (type: TestType): Lane => {
    const lane = lanes.get(type) ?? { running: 0, waiting: new Map(), ofOwner: new Map(), held: new Set(), again: undefined };
    lanes.set(type, lane);
    return lane;
  };
  const ownerMax = (type: TestType): number => (shared ? Math.max(1, Math.floor(caps[type] * OWNER_PART)) : caps[type]);

  const count = (lane: Lane, owner: string, by: 1 | -1): void => {
    lane.running += by;
    const left = (lane.ofOwner.get(owner) ?? 0) + by;
    if (left === 0) lane.ofOwner.delete(owner);
    else lane.ofOwner.set(owner, left);
  };

  /** The first in turn that may begin now; those that wait for their share are asked for again. */
  const findNext = (type: TestType, lane: Lane): string | undefined => {
    let soonestMs = Number.POSITIVE_INFINITY;
    for (const owner of lane.waiting.keys()) {
      if ((lane.ofOwner.get(owner) ?? 0) >= ownerMax(type)) continue;
      const waitMs = shares.waitMs(owner);
      if (waitMs === 0) return owner;
      lane.held.add(owner);
      soonestMs = Math.min(soonestMs, waitMs);
    }
    if (soonestMs === Number.POSITIVE_INFINITY) return undefined;
    // Anew each time: one that came later may have less to wait for.
    clearTimeout(lane.again);
    lane.again = setTimeout(() => pump(type, lane), soonestMs).unref();
    return undefined;
  };

  function pump(type: TestType, lane: Lane): void {
    while (lane.running < caps[type]) {
      const next = findNext(type, lane);
      if (next === undefined) return;
      const starts = lane.waiting.get(next) as Start[];
      const start = starts.shift() as Start;
      const isHeld = lane.held.has(next);
      lane.waiting.delete(next);
      // Behind the others: its turn is over.
      if (starts.length > 0) lane.waiting.set(next, starts);
      else lane.held.delete(next);
      begin(type, next, () => start(isHeld));
    }
  }

  const begin = (type: TestType, owner: string, start: () => Promise<void>): void => {
    const lane = laneOf(type);
    count(lane, owner, 1);
    void start().finally(() => {
      count(lane, owner, -1);
      if (lane.waiting.size > 0) pump(type, lane);
    });
  };

  return {
    /** Starts at once or when there is room and its owner may. */
    enter(type: TestType, owner: string, start: Start): void {
      const lane = laneOf(type);
      const starts = lane.waiting.get(owner) ?? [];
      starts.push(start);
      lane.waiting.set(owner, starts);
      pump(type, lane);
    },
    /** Runs going on now. */
    running: (): number => [...lanes.values()].reduce((sum, lane) => sum + lane.running, 0),
  };
}

export type Lanes = ReturnType<typeof createLanes>;
