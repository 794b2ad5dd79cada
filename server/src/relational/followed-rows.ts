import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Relational } from './port.ts';

/** Finds what a lost notification would have told. */
const SWEEP_MS = 15_000;
const RETRY_MS = 1000;

export interface FollowedRowsOptions {
  relational: Pick<Relational, 'listen'>;
  /** On which a change is told; what their payloads say is not read. */
  channels: readonly string[];
  load: () => Promise<void>;
  /** What is read, for the log: "the OTLP tokens". */
  what: string;
  log: Pick<FastifyBaseLogger, 'warn'>;
  /** Milliseconds; for tests. */
  sweepMs?: number;
  retryMs?: number;
}

export interface FollowedRows {
  /** Resolves when a read that began after this call is done; one at a time. Rejects with what that read threw. */
  refresh(): Promise<void>;
  /** Reads once, which must succeed, and then whenever a change is told. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Rows that every replica keeps a copy of: read again when one changes anywhere, and tried until the database answers, by one at a time. */
export function followRows({ relational, channels, load, what, log, ...times }: FollowedRowsOptions): FollowedRows {
  const { sweepMs = SWEEP_MS, retryMs = RETRY_MS } = times;
  let reading: Promise<void> = Promise.resolve();
  let catchingUp = false;
  let isTold = false;
  let sweep: NodeJS.Timeout | undefined;
  const stops: (() => Promise<void>)[] = [];
  let isClosed = false;

  const refresh = async (): Promise<void> => {
    reading = reading.catch(() => {}).then(load);
    await reading;
  };

  async function catchUp(): Promise<void> {
    if (catchingUp) return;
    catchingUp = true;
    while (isTold && !isClosed) {
      isTold = false;
      try {
        await refresh();
      } catch (error) {
        isTold = true;
        log.warn({ err: error }, `${what} could not be read; again in a second`);
        await sleep(retryMs, undefined, { ref: false });
      }
    }
    catchingUp = false;
  }

  const hear = (): void => {
    isTold = true;
    void catchUp();
  };

  return {
    refresh,
    async start() {
      for (const channel of channels) stops.push(await relational.listen(channel, hear));
      await refresh();
      sweep = setInterval(hear, sweepMs);
      sweep.unref();
    },
    async close() {
      isClosed = true;
      clearInterval(sweep);
      for (const stop of stops) await stop();
    },
  };
}
