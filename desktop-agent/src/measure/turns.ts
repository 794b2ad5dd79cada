/**
 * One at a time, with silence in between. Routers answer probes that expire at them about once a second after a burst of six: two
 * measurements at once would take each other's answers and see loss where there is none.
 */
export interface Turns {
  /** Waits for its turn and at most `longestQuietMs` of silence. Rejects with the reason where measuring was ended meanwhile. */
  take<T>(work: () => Promise<T>, longestQuietMs?: number): Promise<T>;
}

export interface TurnsOptions {
  /** From the end of one turn to the begin of the next, milliseconds. */
  quietMs(): number;
  steady(): number;
  /** Asked when a turn is asked for: one that waits is given up with those that are under way. */
  signal(): AbortSignal;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export function createTurns({ quietMs, steady, signal, sleep }: TurnsOptions): Turns {
  let queue: Promise<unknown> = Promise.resolve();
  let endedMs = Number.NEGATIVE_INFINITY;
  return {
    take<T>(work: () => Promise<T>, longestQuietMs = Number.POSITIVE_INFINITY): Promise<T> {
      const wanted = signal();
      const turn = queue.then(async () => {
        wanted.throwIfAborted();
        const waitMs = Math.min(endedMs + quietMs() - steady(), longestQuietMs);
        if (waitMs > 0) await sleep(waitMs, wanted);
        try {
          return await work();
        } finally {
          endedMs = steady();
        }
      });
      queue = turn.catch(() => undefined);
      return turn;
    },
  };
}
