import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Topic } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import type { BatchBounds } from './message-bounds.ts';
import type { BatchHandler, BusMessage } from './port.ts';

/** What one look into a partition found; `next` is where the following look begins. */
export interface Taken {
  messages: BusMessage[];
  bytes: number;
  next: number;
  /** To be called once the messages were handled or given up: what they lie in is used again. */
  releases: (() => void)[];
}

/** One partition as one group sees it. Positions are the adapter's own; they only rise. */
export interface PartitionCursor {
  topic: Topic;
  partition: number;
  group: string;
  /** The committed position. */
  position(): number;
  /** What is there now from `from` on, at most the bounds; empty when nothing is. `again`: some of it was not handled before. */
  take(from: number, bounds: { maxMessages: number; maxBytes: number; again?: boolean }): Promise<Taken>;
  /** Resolves when there may be something at or after `from`, or when aborted. */
  waitForMore(from: number, signal: AbortSignal): Promise<void>;
  commit(next: number, messages: number): void;
  /** As in BusBatch. */
  isOurs?: () => boolean;
}

/** Messages read in one go: about 2 ms. */
const LOOK = 500;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** Resolves after `ms`, or at once when aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** The pause before try number `failures` + 1: 100 ms doubling to 10 s. */
export const backoffMs = (failures: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20));

/** Fills `batch` with what is there, one short look after the other, so that requests get the event loop between them. */
async function takeWhatIsThere(cursor: PartitionCursor, batch: Taken, { bounds, hasFailed }: Delivery): Promise<void> {
  for (;;) {
    const maxMessages = Math.min(LOOK, bounds.maxMessages - batch.messages.length);
    const maxBytes = bounds.maxBytes - batch.bytes;
    if (maxMessages <= 0 || maxBytes <= 0) return;
    const more = await cursor.take(batch.next, { maxMessages, maxBytes, again: hasFailed?.() ?? false });
    for (const message of more.messages) batch.messages.push(message);
    batch.releases.push(...more.releases);
    batch.bytes += more.bytes;
    batch.next = more.next;
    if (more.messages.length < maxMessages) return;
    await yieldToOthers();
  }
}

async function fillBatch(cursor: PartitionCursor, batch: Taken, delivery: Delivery): Promise<void> {
  const { bounds, signal } = delivery;
  await takeWhatIsThere(cursor, batch, delivery);
  if (batch.messages.length === 0 || bounds.lingerMs === 0) return;
  const enough = new AbortController();
  const waits = AbortSignal.any([signal, enough.signal]);
  const timer = setTimeout(() => enough.abort(), bounds.lingerMs);
  try {
    while (batch.messages.length < bounds.maxMessages && batch.bytes < bounds.maxBytes && !waits.aborted) {
      await cursor.waitForMore(batch.next, waits);
      await takeWhatIsThere(cursor, batch, delivery);
    }
  } finally {
    clearTimeout(timer);
    enough.abort();
  }
}

const release = ({ releases }: Taken): void => {
  for (const free of releases.splice(0)) free();
};

export interface Delivery {
  handler: BatchHandler;
  bounds: BatchBounds;
  signal: AbortSignal;
  /** As in SubscribeOptions. */
  inFlight?: number;
  log: FastifyBaseLogger;
  /** Told after every failed try with the number of failures in a row, and with 0 after the next success. */
  onFailures: (failures: number) => void;
  /** Whether the last try failed. */
  hasFailed?: () => boolean;
}

/** A batch that is with its handler. */
interface Running {
  batch: Taken;
  done: Promise<void>;
}

function hand(cursor: PartitionCursor, batch: Taken, { handler, signal }: Pick<Delivery, 'handler' | 'signal'>): Running {
  const { topic, partition, isOurs } = cursor;
  const handed = { topic, partition, messages: batch.messages, release: () => release(batch), ...(isOurs && { isOurs }) };
  const done = handler(handed, signal);
  // It is waited for in its turn.
  done.catch(() => undefined);
  return { batch, done };
}

/** Reads ahead of what is running, hands over and commits in order, until aborted; throws at the first batch that was not handled. */
async function deliverInOrder(cursor: PartitionCursor, delivery: Delivery, onHandled: () => void): Promise<void> {
  const { handler, inFlight = 1 } = delivery;
  const run = new AbortController();
  const signal = AbortSignal.any([delivery.signal, run.signal]);
  const running: Running[] = [];
  let reading: Taken | undefined;
  const finishFirst = async (): Promise<void> => {
    const { batch, done } = running[0] as Running;
    await done;
    running.shift();
    release(batch);
    cursor.commit(batch.next, batch.messages.length);
    onHandled();
  };
  try {
    while (!signal.aborted) {
      const batch: Taken = { messages: [], bytes: 0, next: running.at(-1)?.batch.next ?? cursor.position(), releases: [] };
      reading = batch;
      await fillBatch(cursor, batch, delivery);
      if (signal.aborted) break;
      if (batch.messages.length > 0) {
        running.push(hand(cursor, batch, { handler, signal }));
        reading = undefined;
        if (running.length >= inFlight) await finishFirst();
      } else if (running.length > 0) await finishFirst();
      else {
        if (batch.next > cursor.position()) cursor.commit(batch.next, 0);
        await cursor.waitForMore(batch.next, signal);
      }
    }
    while (running.length > 0) await finishFirst();
  } finally {
    run.abort();
    await Promise.allSettled(running.map(({ done }) => done));
    for (const { batch } of running) release(batch);
    if (reading) release(reading);
  }
}

/**
 * Hands one partition to its handler until aborted, a batch or as many as may be in flight at a time, and commits what was handled. A failed
 * batch comes again, and what was handed over behind it, after 100 ms doubling to 10 s; nothing else waits for it.
 */
export async function deliverPartition(cursor: PartitionCursor, delivery: Delivery): Promise<void> {
  const { signal, onFailures } = delivery;
  let failures = 0;
  const onHandled = (): void => {
    if (failures > 0) onFailures(0);
    failures = 0;
  };
  while (!signal.aborted) {
    try {
      await deliverInOrder(cursor, { ...delivery, hasFailed: () => failures > 0 }, onHandled);
    } catch (err) {
      // The handler gave up what is no longer for it.
      if (signal.aborted) return;
      failures++;
      onFailures(failures);
      const where = { topic: cursor.topic, group: cursor.group, partition: cursor.partition };
      delivery.log.error({ err, ...where, failures }, 'bus: a batch was not handled and will come again');
      await pause(backoffMs(failures), signal);
    }
  }
}
