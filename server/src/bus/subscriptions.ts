import type { Topic } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import { endsWithin } from './deadline.ts';
import { deliverPartition, type PartitionCursor } from './deliver.ts';
import { createFailures, type Failures } from './failures.ts';
import { batchBounds } from './message-bounds.ts';
import type { Pause } from './pause.ts';
import type { BatchHandler, SubscribeOptions, Subscription } from './port.ts';

/** A closing subscription waits this long for a handler that ignores its signal; its batch comes again at the next start. */
const CLOSE_TIMEOUT_MS = 30_000;

export interface SubscriptionParts {
  cursors: readonly PartitionCursor[];
  lag: () => number;
  /** Called once the loops have ended. */
  closed: () => Promise<void>;
}

/** The subscriptions of a bus in this process, and which of them fail. */
export interface Subscriptions {
  open(options: SubscribeOptions, handler: BatchHandler, parts: () => Promise<SubscriptionParts>): Promise<Subscription>;
  readonly failures: Failures;
  closeAll(): Promise<void>;
}

export type Guards = Pick<SubscribeOptions, 'quarantine' | 'probe' | 'searchMs'>;

/** What of a subscription is for messages on which its handler always fails. */
export const guards = ({ quarantine, probe, searchMs }: Guards): Guards => ({
  ...(quarantine && { quarantine }),
  ...(probe && { probe }),
  ...(searchMs !== undefined && { searchMs }),
});

export function createSubscriptions({ log, pause }: { log: FastifyBaseLogger; pause?: Pause | undefined }): Subscriptions {
  const live = new Set<Subscription>();
  const failures = createFailures();

  function run(options: SubscribeOptions, handler: BatchHandler, parts: SubscriptionParts): Subscription {
    const stop = new AbortController();
    const bounds = batchBounds(options);
    const name = (topic: Topic, partition: number) => `${options.group} on ${topic}/${partition}`;
    const witness = { handledAt: 0 };
    const loops = parts.cursors.map((cursor) =>
      deliverPartition(cursor, {
        handler,
        bounds,
        inFlight: options.inFlight ?? 1,
        lent: options.lent ?? false,
        ...guards(options),
        witness,
        pause,
        signal: stop.signal,
        log,
        onFailures: (count) => failures.note(name(cursor.topic, cursor.partition), count),
      }),
    );
    let closing: Promise<void> | undefined;
    const subscription: Subscription = {
      lag: async () => parts.lag(),
      close() {
        closing ??= (async () => {
          stop.abort();
          const ended = await endsWithin(Promise.all(loops), CLOSE_TIMEOUT_MS);
          if (!ended)
            log.warn({ topic: options.topic, group: options.group }, 'bus: a handler did not end in time and is left behind');
          for (const cursor of parts.cursors) failures.forget(name(cursor.topic, cursor.partition));
          live.delete(subscription);
          await parts.closed();
        })();
        return closing;
      },
    };
    live.add(subscription);
    return subscription;
  }

  return {
    async open(options, handler, parts) {
      batchBounds(options);
      return run(options, handler, await parts());
    },
    failures,
    async closeAll() {
      await Promise.all([...live].map((subscription) => subscription.close()));
    },
  };
}
