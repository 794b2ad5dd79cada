import type { Topic } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import { endsWithin } from '../deadline.ts';
import { deliverPartition } from '../deliver.ts';
import type { Failures } from '../failures.ts';
import type { BatchBounds } from '../message-bounds.ts';
import type { BatchHandler } from '../port.ts';
import { type Guards, guards } from '../subscriptions.ts';
import { createPartitionQueue, type PartitionQueue, type QueueHooks } from './partition-queue.ts';

interface Owned {
  queue: PartitionQueue;
  stop: AbortController;
  loop: Promise<void>;
}

export interface AssignmentOptions extends Guards {
  topic: Topic;
  group: string;
  bounds: BatchBounds;
  handler: BatchHandler;
  failures: Failures;
  log: FastifyBaseLogger;
  hooksOf: (partition: number) => Omit<QueueHooks, 'isOurs'>;
  /** Whether the group cannot have given our partitions to others. */
  isMember: () => boolean;
}

/** The partitions that the group has given to this process, each with its queue and its handler's loop. */
export interface Assignment {
  /** The new generation's partitions: lost ones stop, new ones begin, kept ones go on. */
  set(partitions: readonly number[]): void;
  owns(partition: number): boolean;
  queueOf(partition: number): PartitionQueue | undefined;
  /** Stops all loops after their running handlers; false when some did not end in time. */
  end(timeoutMs: number): Promise<boolean>;
}

export function createAssignment(options: AssignmentOptions): Assignment {
  const owned = new Map<number, Owned>();
  const loops = new Map<number, Promise<void>>();
  const witness = { handledAt: 0 };
  const readerOf = (partition: number) => `${options.group} on ${options.topic}/${partition}`;

  function lose(partition: number): void {
    owned.get(partition)?.stop.abort();
    owned.delete(partition);
    options.failures.forget(readerOf(partition));
  }

  function gain(partition: number): void {
    const { topic, group, bounds, handler, failures, log } = options;
    const stop = new AbortController();
    const isOurs = () => !stop.signal.aborted && options.isMember();
    const queue = createPartitionQueue({ topic, group, partition }, { ...options.hooksOf(partition), isOurs });
    const onFailures = (count: number) => {
      if (!stop.signal.aborted) failures.note(readerOf(partition), count);
    };
    // A handler that still works on an earlier ownership ends first: one batch of a partition at a time.
    const before = loops.get(partition) ?? Promise.resolve();
    const delivery = { handler, bounds, log, onFailures, signal: stop.signal, ...guards(options), witness };
    const loop = before.then(() => deliverPartition(queue, delivery));
    loops.set(partition, loop);
    owned.set(partition, { queue, stop, loop });
  }

  return {
    set(partitions) {
      for (const partition of [...owned.keys()]) if (!partitions.includes(partition)) lose(partition);
      for (const partition of partitions) if (!owned.has(partition)) gain(partition);
    },
    owns: (partition) => owned.has(partition),
    queueOf: (partition) => owned.get(partition)?.queue,
    async end(timeoutMs) {
      for (const { stop } of owned.values()) stop.abort();
      return endsWithin(Promise.all(loops.values()), timeoutMs);
    },
  };
}
