import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Topic } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import type { BatchBounds } from './message-bounds.ts';
import { backoffMs, type Pause, pause as realPause } from './pause.ts';
import { createGuard, type Guard, HandlerLate, isTransient, Unwitnessed, type Witness } from './poison.ts';
import type { BatchHandler, BusBatch, BusMessage, SubscribeOptions } from './port.ts';

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
/** Failures that may be a message's fault, in a row, until its batch is divided. */
const STRIKES = 3;
/** A handler that takes longer is told to end: more than all deadlines of a store together. */
const HANDLER_LIMIT_MS = 5 * 60_000;
/** Longest pause while others' messages may come that show whose fault it is. */
const UNWITNESSED_PAUSE_MS = 1000;

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

export interface Delivery extends Pick<SubscribeOptions, 'inFlight' | 'lent' | 'quarantine' | 'probe' | 'searchMs'> {
  handler: BatchHandler;
  bounds: BatchBounds;
  signal: AbortSignal;
  log: FastifyBaseLogger;
  /**
   * Told after every failed try with the number of failures in a row, and with 0 after the next success; not of what is about to be set aside,
   * or one tenant's messages would make the server look unwell.
   */
  onFailures: (failures: number) => void;
  /** Whether the last try failed. */
  hasFailed?: () => boolean;
  /** Five minutes unless told. */
  handlerLimitMs?: number;
  /** One for all partitions of a group in this process. */
  witness?: Witness;
  pause?: Pause | undefined;
}

/** A batch that is with its handler. */
interface Running {
  batch: Taken;
  done: Promise<void>;
}

/** A handler's own failure, as against one of reading the partition. */
class NotHandled extends Error {}

/** Batches that are with their handlers under one signal, which ends them all when one takes too long. */
function openRun({ handler, signal, handlerLimitMs = HANDLER_LIMIT_MS, onLate, log }: GuardedDelivery) {
  const run = new AbortController();
  const ends = AbortSignal.any([signal, run.signal]);
  return {
    ends,
    abort: () => run.abort(),
    async hand(batch: BusBatch): Promise<void> {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        log.error({ topic: batch.topic, partition: batch.partition }, 'bus: a handler takes too long and is told to end');
        onLate();
        run.abort();
      }, handlerLimitMs);
      try {
        await handler(batch, ends);
      } catch (cause) {
        throw new NotHandled('', { cause: isLate ? new HandlerLate(cause) : cause });
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

const placeOf = ({ topic, partition, isOurs }: PartitionCursor) => ({ topic, partition, ...(isOurs && { isOurs }) });

/** Reads ahead of what is running, hands over and commits in order, until aborted; throws at the first batch that was not handled. */
async function deliverInOrder(cursor: PartitionCursor, delivery: GuardedDelivery): Promise<void> {
  const { inFlight = 1, guard, onHandled } = delivery;
  const run = openRun(delivery);
  const signal = run.ends;
  const running: Running[] = [];
  let reading: Taken | undefined;
  const hand = (batch: Taken): Running => {
    const { messages } = batch;
    const setAside = guard && { setAside: guard.setAside };
    const done = run.hand({ ...placeOf(cursor), messages, release: () => release(batch), ...setAside });
    // It is waited for in its turn.
    done.catch(() => undefined);
    return { batch, done };
  };
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
        running.push(hand(batch));
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

/** One batch at a time, of which each message ends up handled or set aside, until aborted or until there is nothing left to watch. */
async function deliverSettled(cursor: PartitionCursor, delivery: GuardedDelivery, guard: Guard): Promise<void> {
  const { signal, lent, onHandled } = delivery;
  let run = openRun(delivery);
  const hand = async (messages: readonly BusMessage[]): Promise<void> => {
    if (run.ends.aborted && !signal.aborted) run = openRun(delivery);
    // They may be handed over several times, and a handler that borrowed nothing may change them.
    const own = lent ? messages : messages.map((message) => ({ ...message, value: Buffer.from(message.value) }));
    try {
      await run.hand({ ...placeOf(cursor), messages: own, setAside: guard.setAside });
    } catch (failure) {
      throw failure instanceof NotHandled ? failure.cause : failure;
    }
  };
  do {
    const batch: Taken = { messages: [], bytes: 0, next: cursor.position(), releases: [] };
    try {
      await fillBatch(cursor, batch, delivery);
      if (signal.aborted) return;
      if (batch.messages.length > 0) {
        await guard.settle(batch.messages, hand);
        cursor.commit(batch.next, batch.messages.length);
        onHandled();
      } else if (batch.next > cursor.position()) cursor.commit(batch.next, 0);
    } finally {
      release(batch);
    }
    if (batch.messages.length === 0) await cursor.waitForMore(batch.next, signal);
  } while (!signal.aborted && guard.isWatching());
}

interface GuardedDelivery extends Delivery {
  guard: Guard | undefined;
  onHandled: () => void;
  /** A handler takes too long. It is waited for all the same: another try beside it could store twice. */
  onLate: () => void;
}

function guardOf(cursor: PartitionCursor, witness: Witness, delivery: Delivery): Guard | undefined {
  const { quarantine, probe, searchMs, signal, log, pause } = delivery;
  const { topic, group, partition, isOurs } = cursor;
  return quarantine && createGuard({ topic, group, partition, quarantine, probe, searchMs, isOurs, witness, signal, log, pause });
}

/**
 * Hands one partition to its handler until aborted, a batch or as many as may be in flight at a time, and commits what was handled. A failed
 * batch comes again, and what was handed over behind it, after 100 ms doubling to 10 s; nothing else waits for it. With a quarantine, a batch
 * that goes on failing by what may be a message's fault is divided, and messages that fail alone are set aside (poison.ts).
 */
export async function deliverPartition(cursor: PartitionCursor, delivery: Delivery): Promise<void> {
  const { signal, onFailures, witness = { handledAt: 0 }, pause = realPause } = delivery;
  const guard = guardOf(cursor, witness, delivery);
  /** Failures in a row: all, those that health shows, and those that may be a message's fault. */
  let [failures, shown, strikes] = [0, 0, 0];
  const onHandled = (): void => {
    witness.handledAt = performance.now();
    if (shown > 0) onFailures(0);
    [failures, shown, strikes] = [0, 0, 0];
  };
  const onLate = (): void => {
    shown = Math.max(shown, STRIKES);
    onFailures(shown);
  };
  const guarded = { ...delivery, guard, onHandled, onLate, hasFailed: () => failures > 0 };
  while (!signal.aborted) {
    try {
      if (guard && (strikes >= STRIKES || guard.isWatching())) await deliverSettled(cursor, guarded, guard);
      else await deliverInOrder(cursor, guarded);
    } catch (failure) {
      // The handler gave up what is no longer for it.
      if (signal.aborted) return;
      if (guard?.hasProgressed()) failures = 0;
      failures++;
      const err = failure instanceof NotHandled ? failure.cause : failure;
      const isSuspect = guard !== undefined && failure instanceof NotHandled && !isTransient(err);
      if (isSuspect) {
        strikes++;
        guard.suspect();
      } else onFailures(++shown);
      const where = { topic: cursor.topic, group: cursor.group, partition: cursor.partition };
      delivery.log.error({ err, ...where, failures }, 'bus: a batch was not handled and will come again');
      await pause(
        Math.min(backoffMs(failures), err instanceof Unwitnessed ? UNWITNESSED_PAUSE_MS : Number.POSITIVE_INFINITY),
        signal,
      );
    }
  }
}
