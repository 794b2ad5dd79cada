import type { Topic } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import type { Health } from '#kernel';
import { deliverPartition, type PartitionCursor } from './deliver.ts';
import { batchBounds } from './message-bounds.ts';
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
  /** Groups whose batch failed at least three times in a row, as "group on topic". */
  failing(): string[];
  closeAll(): Promise<void>;
}

const FAILURES_TO_SHOW = 3;

function withTimeout(work: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  work.finally(() => {
    clearTimeout(timer);
    resolve(true);
  });
  return promise;
}

export function createSubscriptions(log: FastifyBaseLogger): Subscriptions {
  const live = new Set<Subscription>();
  const failures = new Map<string, number>();

  function run(options: SubscribeOptions, handler: BatchHandler, parts: SubscriptionParts): Subscription {
    const stop = new AbortController();
    const bounds = batchBounds(options);
    const name = (topic: Topic, partition: number) => `${options.group} on ${topic}/${partition}`;
    const loops = parts.cursors.map((cursor) =>
      deliverPartition(cursor, {
        handler,
        bounds,
        signal: stop.signal,
        log,
        onFailures: (count) => failures.set(name(cursor.topic, cursor.partition), count),
      }),
    );
    let closing: Promise<void> | undefined;
    const subscription: Subscription = {
      lag: async () => parts.lag(),
      close() {
        closing ??= (async () => {
          stop.abort();
          const ended = await withTimeout(Promise.all(loops), CLOSE_TIMEOUT_MS);
          if (!ended)
            log.warn({ topic: options.topic, group: options.group }, 'bus: a handler did not end in time and is left behind');
          for (const cursor of parts.cursors) failures.delete(name(cursor.topic, cursor.partition));
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
    failing: () => [...failures].filter(([, count]) => count >= FAILURES_TO_SHOW).map(([where]) => where),
    async closeAll() {
      await Promise.all([...live].map((subscription) => subscription.close()));
    },
  };
}

/** `degraded`, naming the groups, while handlers fail again and again. */
export function healthOfHandlers(subscriptions: Subscriptions): Health {
  const failing = subscriptions.failing();
  if (failing.length === 0) return { status: 'ok' };
  return { status: 'degraded', detail: `Handlers fail again and again, their messages wait: ${failing.join(', ')}.` };
}
