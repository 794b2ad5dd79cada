import { setTimeout as sleep } from 'node:timers/promises';
import type { Topic } from '@svc/contracts/bus-topics';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { TenantId } from '#kernel';
import { deliverPartition, type PartitionCursor, type Taken } from './deliver.ts';
import type { BatchHandler, SetAsideMessage } from './port.ts';

/** A partition of messages of one byte at the positions 0 to `count` - 1; tells what is lent of it and what was committed. */
function partitionOf(count: number, ends: AbortController) {
  const state = { position: 0, lent: 0, commits: [] as number[] };
  const cursor: PartitionCursor = {
    topic: 'test' as Topic,
    partition: 0,
    group: 'g',
    position: () => state.position,
    async take(from, { maxMessages }): Promise<Taken> {
      const places = Array.from({ length: Math.min(maxMessages, count - from) }, (_, i) => from + i);
      if (places.length > 0) state.lent++;
      return {
        messages: places.map((at) => ({ tenant: 'a' as TenantId, value: Buffer.of(at), headers: {}, offset: BigInt(at) })),
        bytes: places.length,
        next: from + places.length,
        releases: places.length > 0 ? [() => void state.lent--] : [],
      };
    },
    async waitForMore() {
      ends.abort();
    },
    commit(next) {
      state.position = next;
      state.commits.push(next);
    },
  };
  return { cursor, state };
}

const bounds = { maxMessages: 3, maxBytes: 1000, lingerMs: 0 };
const log = pino({ level: 'silent' });

test('commits in order what was in flight at the same time, whichever ends first', async () => {
  const ends = new AbortController();
  const { cursor, state } = partitionOf(12, ends);
  const begun: number[] = [];
  let [now, most] = [0, 0];
  const handler = async ({ messages }: { messages: readonly { offset: bigint }[] }): Promise<void> => {
    const first = Number(messages[0]?.offset);
    begun.push(first);
    most = Math.max(most, ++now);
    await sleep(first % 2 === 0 ? 30 : 1);
    now--;
  };
  await deliverPartition(cursor, { handler, bounds, signal: ends.signal, inFlight: 2, log, onFailures: () => {} });
  expect(begun).toEqual([0, 3, 6, 9]);
  expect(state.commits).toEqual([3, 6, 9, 12]);
  expect(most).toBe(2);
  expect(state.lent).toBe(0);
});

test('aborts what stands behind a batch that failed, and begins with it again', async () => {
  const ends = new AbortController();
  const { cursor, state } = partitionOf(9, ends);
  const begun: number[] = [];
  const aborted: number[] = [];
  const failures: number[] = [];
  const handler = async ({ messages }: { messages: readonly { offset: bigint }[] }, signal: AbortSignal): Promise<void> => {
    const first = Number(messages[0]?.offset);
    begun.push(first);
    if (first === 0 && begun.length === 1) {
      await sleep(20);
      throw new Error('the store stumbles');
    }
    await sleep(50, undefined, { signal }).catch((cause) => {
      aborted.push(first);
      throw cause;
    });
  };
  await deliverPartition(cursor, { handler, bounds, signal: ends.signal, inFlight: 2, log, onFailures: (n) => failures.push(n) });
  expect(begun).toEqual([0, 3, 0, 3, 6]);
  expect(aborted).toEqual([3]);
  expect(failures).toEqual([1, 0]);
  expect(state.commits).toEqual([3, 6, 9]);
  expect(state.lent).toBe(0);
});

test('one at a time unless told otherwise', async () => {
  const ends = new AbortController();
  const { cursor } = partitionOf(9, ends);
  let [now, most] = [0, 0];
  const handler = async (): Promise<void> => {
    most = Math.max(most, ++now);
    await sleep(5);
    now--;
  };
  await deliverPartition(cursor, { handler, bounds, signal: ends.signal, log, onFailures: () => {} });
  expect(most).toBe(1);
});

test('gives memory back as soon as the handler has no more need of it, also of a batch that comes again', async () => {
  const ends = new AbortController();
  const { cursor, state } = partitionOf(6, ends);
  const lent: number[] = [];
  let failed = false;
  const handler = async ({ release }: { release?: () => void }): Promise<void> => {
    release?.();
    lent.push(state.lent);
    if (!failed) {
      failed = true;
      throw new Error('the store stumbles');
    }
  };
  await deliverPartition(cursor, { handler, bounds, signal: ends.signal, log, onFailures: () => {} });
  expect(lent).toEqual([0, 0, 0]);
  expect(state.commits).toEqual([3, 6]);
  expect(state.lent).toBe(0);
});

test('a handler that takes too long is told to end, and what it always takes too long for is set aside', async () => {
  const ends = new AbortController();
  const { cursor, state } = partitionOf(6, ends);
  const aside: SetAsideMessage[] = [];
  const shown: number[] = [];
  const handled: number[] = [];
  let [now, most] = [0, 0];
  const handler: BatchHandler = async ({ messages }, signal) => {
    most = Math.max(most, ++now);
    try {
      // Not at once: nobody may begin another try meanwhile.
      if (messages.some(({ offset }) => offset === 4n)) {
        while (!signal.aborted) await sleep(2);
        await sleep(20);
        signal.throwIfAborted();
      }
      handled.push(...messages.map(({ offset }) => Number(offset)));
    } finally {
      now--;
    }
  };
  const quarantine = { put: async (messages: readonly SetAsideMessage[]) => void aside.push(...messages) };
  const onFailures = (n: number) => shown.push(n);
  await deliverPartition(cursor, { handler, bounds, signal: ends.signal, log, onFailures, quarantine, handlerLimitMs: 50 });
  expect(aside.map(({ offset, reason }) => [offset, reason])).toEqual([[4n, 'timed_out']]);
  expect(handled).toEqual([0, 1, 2, 3, 5]);
  expect(most).toBe(1);
  expect(state.position).toBe(6);
  expect([Math.max(...shown), shown.at(-1)]).toEqual([3, 0]);
});
