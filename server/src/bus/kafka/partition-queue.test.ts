import { TOPICS } from '@svc/contracts/bus-topics';
import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createPartitionQueue } from './partition-queue.ts';

const tenant = parseTenantId('shop');

function open() {
  const committed: number[] = [];
  const paused: boolean[] = [];
  const hooks = {
    isOurs: () => true,
    committed: (next: number) => void committed.push(next),
    setPaused: (wanted: boolean) => void paused.push(wanted),
  };
  const queue = createPartitionQueue({ topic: TOPICS.otlpTraces, group: 'g', partition: 0 }, hooks);
  const push = (from: number, last: number, bytes = 10) => {
    const offsets = Array.from({ length: last - from + 1 }, (_, i) => BigInt(from + i));
    const messages = offsets.map((offset) => ({ tenant, value: Buffer.alloc(bytes), headers: {}, offset }));
    return queue.push({ messages, from, next: last + 1 });
  };
  const offsets = async () => {
    const { messages } = await queue.take(queue.position(), { maxMessages: 1000, maxBytes: 1e9 });
    return messages.map(({ offset }) => Number(offset));
  };
  return { queue, push, offsets, committed, paused };
}

test('what a former generation fetched, beyond what was handled, is not taken in before it', async () => {
  const { push, offsets } = open();
  expect(push(21, 23)).toBe(false);
  expect(push(16, 18)).toBe(false);
  expect(push(16, 18)).toBe(true);
  expect(push(21, 23)).toBe(false);
  expect(push(19, 20)).toBe(true);
  expect(push(21, 22)).toBe(true);
  expect(await offsets()).toEqual([16, 17, 18, 19, 20, 21, 22]);
});

test('fetched again from the committed position after a rebalance, each message is there once', async () => {
  const { queue, push, offsets, committed } = open();
  push(5, 9);
  expect(push(5, 9)).toBe(true);
  queue.commit(7, 2);
  expect(push(5, 11)).toBe(true);
  expect(await offsets()).toEqual([7, 8, 9, 10, 11]);
  expect(committed).toEqual([7]);
});

test('where messages are gone for good, the next ones are taken at the second try', async () => {
  const { push, offsets } = open();
  push(0, 1);
  push(0, 1);
  expect(push(50, 51)).toBe(false);
  expect(push(50, 51)).toBe(true);
  expect(await offsets()).toEqual([0, 1, 50, 51]);
});

test('a partition that was lost while it was paused is fetched again when it comes back', () => {
  const { push, paused } = open();
  push(0, 0);
  push(0, 0, 9 * 1024 * 1024);
  expect(paused).toEqual([false, true]);
  expect(open().paused).toEqual([false]);
});
