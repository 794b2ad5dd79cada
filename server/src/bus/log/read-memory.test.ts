import { expect, test } from 'vitest';
import { BLOCK_BYTES } from './files.ts';
import { createReadMemory, READ_BYTES } from './read-memory.ts';

const PIECE_BYTES = READ_BYTES + 2 * BLOCK_BYTES;
const pieceOf = ({ byteOffset }: Buffer): number => Math.floor(byteOffset / PIECE_BYTES);
const isShared = ({ buffer }: Buffer): boolean => (buffer as ArrayBufferLike) instanceof SharedArrayBuffer;

test('puts short reads side by side, and uses a piece again when all of it was given back', () => {
  const memory = createReadMemory();
  const [first, second] = [memory.lend(5000), memory.lend(6000)];
  expect(pieceOf(second)).toBe(pieceOf(first));
  first.fill(1);
  second.fill(2);
  expect(first.every((byte) => byte === 1)).toBe(true);
  const whole = memory.lend(READ_BYTES);
  expect(pieceOf(whole)).not.toBe(pieceOf(first));
  memory.giveBack(first);
  expect(pieceOf(memory.lend(READ_BYTES))).not.toBe(pieceOf(first));
  memory.giveBack(second);
  expect(pieceOf(memory.lend(READ_BYTES))).toBe(pieceOf(first));
});

test('has so many pieces and then fresh memory, and shared memory again when some was given back', () => {
  const memory = createReadMemory();
  const lent = Array.from({ length: 200 }, (_, number) => memory.lend(READ_BYTES / 4 - BLOCK_BYTES, number));
  const shared = lent.filter(isShared);
  expect(shared.length).toBe(96);
  expect(new Set(shared.map(pieceOf)).size).toBe(24);
  for (const one of lent) memory.giveBack(one);
  expect(isShared(memory.lend(READ_BYTES))).toBe(true);
  expect(isShared(memory.lend(READ_BYTES + 1))).toBe(false);
});

test('lends as many whole blocks as the bytes take in a file, to one alone', () => {
  const memory = createReadMemory();
  expect(memory.isAligned).toBe(true);
  const places = [
    [1, 0],
    [10, 4095],
    [8192, 4096],
    [9000, 12_345],
    [READ_BYTES, 5],
  ] as const;
  const taken: [number, number][] = [];
  for (const [bytes, place] of places) {
    const lent = memory.lend(bytes, place);
    const blocks = memory.blocksAround(lent, place) as Buffer;
    expect(lent.byteOffset % BLOCK_BYTES).toBe(place % BLOCK_BYTES);
    expect([blocks.byteOffset % BLOCK_BYTES, blocks.length % BLOCK_BYTES]).toEqual([0, 0]);
    expect(lent.byteOffset - blocks.byteOffset).toBe(place % BLOCK_BYTES);
    expect(blocks.byteOffset + blocks.length).toBeGreaterThanOrEqual(lent.byteOffset + bytes);
    taken.push([blocks.byteOffset, blocks.byteOffset + blocks.length]);
    expect(memory.blocksAround(lent, place + 1)).toBeUndefined();
  }
  taken.sort(([a], [b]) => a - b);
  for (const [i, [start]] of taken.entries()) expect(start).toBeGreaterThanOrEqual(taken[i - 1]?.[1] ?? 0);
  expect(memory.blocksAround(Buffer.alloc(10), 0)).toBeUndefined();
});

test('blocks are borrowed by one after the other, also after one that failed', async () => {
  const memory = createReadMemory();
  const steps: string[] = [];
  const use = (name: string) =>
    memory.borrow(async (blocks) => {
      blocks.write(name);
      await Promise.resolve();
      steps.push(blocks.toString('latin1', 0, 1));
      if (name === 'b') throw new Error('b fails');
    });
  await Promise.allSettled(['a', 'b', 'c'].map(use));
  expect(steps).toEqual(['a', 'b', 'c']);
});

test('no bytes behind a piece that is full are none of the next one, which would be lent twice', () => {
  const memory = createReadMemory();
  // The first piece to its last block, which is what a read of READ_BYTES within a block leaves.
  const [whole, rest] = [memory.lend(READ_BYTES, 1), memory.lend(1)];
  const nothing = memory.lend(0);
  const next = memory.lend(READ_BYTES);
  memory.giveBack(nothing);
  const other = memory.lend(READ_BYTES);
  expect([whole, rest, next].some((lent) => lent.buffer === other.buffer && lent.byteOffset === other.byteOffset)).toBe(false);
});
