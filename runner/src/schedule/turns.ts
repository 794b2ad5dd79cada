import type { CpuShares } from './cpu-shares.ts';

/** Work that takes long is done one piece after the other, and everything else of the runner goes on in between. */
export interface Turns {
  /** Resolves when it is the owner's turn, what follows at once is its piece: with true where it waited since its owner had taken its part. */
  take(owner: string): Promise<boolean>;
  /** Pieces of an owner that wait. */
  waiting(owner: string): number;
}

const LOOK_MS = 1000;

/** What is known of an owner while it has pieces that wait. */
interface Queue {
  turns: ((isHeld: boolean) => void)[];
  isHeld: boolean;
}

/** After a piece its owner waits as long as that took: runs of others need several rounds of the loop, and not a piece before each. */
function createRests() {
  const until = new Map<string, number>();
  return {
    waitMs(owner: string): number {
      const leftMs = Math.ceil((until.get(owner) ?? 0) - performance.now());
      if (leftMs > 0) return leftMs;
      until.delete(owner);
      return 0;
    },
    /** To be called right before the piece. */
    begin(owner: string): void {
      const sinceMs = performance.now();
      setImmediate(() => until.set(owner, 2 * performance.now() - sinceMs));
    },
  };
}

/** Owners take turns; one that is above its share waits for it. */
export function createTurns(shares: Pick<CpuShares, 'waitMs'>): Turns {
  const waiting = new Map<string, Queue>();
  const rests = createRests();
  let armed: 'soon' | NodeJS.Timeout | undefined;

  /** One piece a round of the loop: what has come in is looked at before the next. */
  const arm = (afterMs: number): void => {
    if (armed === 'soon' || (armed && afterMs > 0)) return;
    clearTimeout(armed);
    if (afterMs === 0) {
      armed = 'soon';
      setImmediate(pump);
    } else armed = setTimeout(pump, Math.min(LOOK_MS, afterMs)).unref();
  };

  function pump(): void {
    armed = undefined;
    let soonestMs = LOOK_MS;
    for (const [owner, queue] of waiting) {
      const waitMs = Math.max(shares.waitMs(owner), rests.waitMs(owner));
      soonestMs = Math.min(soonestMs, waitMs);
      if (waitMs > 0) {
        queue.isHeld = true;
        continue;
      }
      waiting.delete(owner);
      rests.begin(owner);
      queue.turns.shift()?.(queue.isHeld);
      // Behind the others: its turn is over.
      if (queue.turns.length > 0) waiting.set(owner, queue);
      break;
    }
    if (waiting.size > 0) arm(soonestMs);
  }

  return {
    take: (owner) =>
      new Promise((resolve) => {
        const queue = waiting.get(owner) ?? { turns: [], isHeld: false };
        queue.turns.push(resolve);
        waiting.set(owner, queue);
        arm(Math.max(shares.waitMs(owner), rests.waitMs(owner)));
      }),
    waiting: (owner) => waiting.get(owner)?.turns.length ?? 0,
  };
}
