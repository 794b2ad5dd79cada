import type { Topic } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import type { Consumer } from 'kafkajs';
import { endsWithin } from '../deadline.ts';

/** Tells the group how far each partition is handled; one request at a time, the newest positions win. */
export interface Committer {
  note(partition: number, next: number): void;
  forget(owns: (partition: number) => boolean): void;
  /** Resolves when all is told, or after the time given. */
  flush(timeoutMs: number): Promise<void>;
}

const RETRY_MS = 300;

export function createCommitter(options: {
  topic: Topic;
  consumer: () => Consumer | undefined;
  log: FastifyBaseLogger;
}): Committer {
  const waiting = new Map<number, number>();
  let running: Promise<void> | undefined;
  let closing = false;

  async function commitOnce(): Promise<void> {
    const sent = [...waiting];
    const offsets = sent.map(([partition, next]) => ({ topic: options.topic, partition, offset: String(next) }));
    await options.consumer()?.commitOffsets(offsets);
    for (const [partition, next] of sent) if (waiting.get(partition) === next) waiting.delete(partition);
  }

  async function commitAll(): Promise<void> {
    while (waiting.size > 0) {
      try {
        await commitOnce();
      } catch (err) {
        // During a rebalance the group takes none; what is not told is only read again.
        options.log.debug({ err, topic: options.topic }, 'bus: a position was not committed and is tried again');
        if (closing) break;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    running = undefined;
  }

  return {
    note(partition, next) {
      waiting.set(partition, next);
      running ??= commitAll();
    },
    forget(owns) {
      for (const partition of waiting.keys()) if (!owns(partition)) waiting.delete(partition);
    },
    async flush(timeoutMs) {
      closing = true;
      await endsWithin(running ?? Promise.resolve(), timeoutMs);
      waiting.clear();
    },
  };
}
