import { expect, test } from 'vitest';
import { buildParts } from './build-parts.ts';
import type { BatchToBuild, BuiltBatch } from './thread.ts';

const message = (offset: number) => ({ tenant: 'acme', value: Buffer.alloc(1), at: 1, offset: BigInt(offset), large: true });

/** A thread that holds `room` messages at a time and refuses those with an odd offset from 3 on, of all that it is given. */
function threadOf(room: number) {
  const asked: bigint[][] = [];
  return {
    asked,
    async build({ messages }: BatchToBuild): Promise<BuiltBatch> {
      asked.push(messages.map(({ offset }) => offset));
      const refused = messages.flatMap(({ offset }, i) => (offset > 2n && offset % 2n === 1n ? [i] : []));
      return { blocks: [], counts: new Map(), taken: Math.min(room, messages.length), refused, done: () => undefined };
    },
  };
}

async function collect(thread: ReturnType<typeof threadOf>, count: number) {
  const batch: BatchToBuild = { signal: 'logs', partition: 0, messages: Array.from({ length: count }, (_, i) => message(i)) };
  const parts = [];
  for await (const { refused, isLast } of buildParts(thread, batch)) parts.push({ refused, isLast });
  return parts;
}

test('a batch that the builder holds is built at once', async () => {
  const thread = threadOf(10);
  expect(await collect(thread, 3)).toEqual([{ refused: [], isLast: true }]);
  expect(thread.asked).toEqual([[0n, 1n, 2n]]);
});

test('the rest of a larger one is asked for again, without what was refused, which is reported by its place in the batch once', async () => {
  const thread = threadOf(2);
  const parts = await collect(thread, 8);
  expect(thread.asked).toEqual([[0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n], [2n, 4n, 6n], [6n]]);
  expect(parts).toEqual([
    { refused: [3, 5, 7], isLast: false },
    { refused: [], isLast: false },
    { refused: [], isLast: true },
  ]);
});

test('a batch without messages is built once', async () => {
  expect(await collect(threadOf(2), 0)).toEqual([{ refused: [], isLast: true }]);
});
