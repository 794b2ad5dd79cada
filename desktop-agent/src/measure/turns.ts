/**
 * One at a time, with silence in between. Routers answer probes that expire at them about once a second after a burst of six: two
 * measurements at once would take each other's answers and see loss where there is none.
 */
export interface Turns {
  take<T>(work: () => Promise<T>): Promise<T>;
}

export interface TurnsOptions {
  /** From the end of one turn to the begin of the next, milliseconds. */
  quietMs(): number;
  steady(): number;
  sleep(ms: number): Promise<void>;
}

export function createTurns({ quietMs, steady, sleep }: TurnsOptions): Turns {
  let queue: Promise<unknown> = Promise.resolve();
  let endedMs = Number.NEGATIVE_INFINITY;
  return {
    take<T>(work: () => Promise<T>): Promise<T> {
      const turn = queue.then(async () => {
        const waitMs = endedMs + quietMs() - steady();
        if (waitMs > 0) await sleep(waitMs);
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
