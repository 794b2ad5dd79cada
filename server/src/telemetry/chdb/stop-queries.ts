import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseClient } from '@clickhouse/client';

/** The engine may not list a query yet that was just handed to it. */
const AGAIN_MS = 100;

export interface Stops {
  /**
   * Runs a query that the engine lists with `name` as its log_comment, and stops it there once `ended` is aborted. Settles with the query and
   * not before: until then its session is not free.
   */
  follow<T>(query: { name: string; ended: AbortSignal | undefined }, run: () => Promise<T>): Promise<T>;
}

/** The engine is in this process: there is no connection whose end would stop what was asked over it. */
export function createStops(stopper: Pick<ClickHouseClient, 'exec'>): Stops {
  /** One after the other: a Session serialises its calls anyway. */
  let last: Promise<unknown> = Promise.resolve();

  const stop = (name: string): Promise<unknown> => {
    last = last
      .then(async () => {
        const { stream } = await stopper.exec({
          query: `KILL QUERY WHERE Settings['log_comment'] = '${name}' ASYNC FORMAT Null`,
        });
        await stream.toArray();
      })
      // It ends by its deadline then.
      .catch(() => undefined);
    return last;
  };

  return {
    async follow({ name, ended }, run) {
      if (!ended) return await run();
      ended.throwIfAborted();
      let settled = false;
      const stopUntilSettled = async (): Promise<void> => {
        for (; !settled; await sleep(AGAIN_MS, undefined, { ref: false })) await stop(name);
      };
      const onEnd = () => void stopUntilSettled();
      ended.addEventListener('abort', onEnd, { once: true });
      try {
        return await run();
      } finally {
        settled = true;
        ended.removeEventListener('abort', onEnd);
      }
    },
  };
}
