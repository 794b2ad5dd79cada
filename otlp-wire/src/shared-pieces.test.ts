import { expect, test } from 'vitest';
import { createSharedPieces } from './shared-pieces.ts';

const KB = 1024;
const create = () => createSharedPieces({ smallestBytes: 64 * KB, sizes: 7, mostBytes: 16 * KB * KB });
const sharedOf = (buffers: readonly Buffer[]) =>
  buffers.flatMap(({ buffer }) =>
    (buffer as ArrayBufferLike) instanceof SharedArrayBuffer ? [buffer as unknown as SharedArrayBuffer] : [],
  );

test('lends the same pieces again, each to one at a time', () => {
  const memory = create();
  const first = memory.lend(300 * KB);
  const second = memory.lend(300 * KB);
  expect(first.length).toBe(300 * KB);
  expect(first.buffer).not.toBe(second.buffer);
  memory.giveBack(sharedOf([first]));
  const third = memory.lend(257 * KB);
  expect(third.buffer).toBe(first.buffer);
  expect(third.length).toBe(257 * KB);
  expect(memory.lend(65 * KB).buffer.byteLength).toBe(128 * KB);
});

test.each([0, 1, 64 * KB, 64 * KB + 1, 4096 * KB])('a piece of %i bytes is found again', (bytes) => {
  const memory = create();
  const lent = memory.lend(bytes);
  expect(lent.length).toBe(bytes);
  memory.giveBack(sharedOf([lent]));
  expect(memory.lend(bytes).buffer).toBe(lent.buffer);
});

test('makes no more shared memory than it keeps, however much is asked for', () => {
  const memory = create();
  const lent = Array.from({ length: 100 }, () => memory.lend(1000 * KB));
  const shared = sharedOf(lent);
  expect(shared.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBe(16 * KB * KB);
  expect(lent.every(({ length }) => length === 1000 * KB)).toBe(true);
  memory.giveBack(shared);
  expect(sharedOf(Array.from({ length: 100 }, () => memory.lend(1000 * KB)))).toHaveLength(shared.length);
  expect(sharedOf([memory.lend(5000 * KB)])).toEqual([]);
});

test('lends a larger piece where no more are made, and that one as large again', () => {
  const memory = create();
  const large = Array.from({ length: 4 }, () => memory.lend(4096 * KB));
  expect(sharedOf([memory.lend(10 * KB)])).toEqual([]);
  memory.giveBack(sharedOf(large));
  const small = memory.lend(10 * KB);
  expect(small.length).toBe(10 * KB);
  expect(large.map(({ buffer }) => buffer)).toContain(small.buffer);
  memory.giveBack(sharedOf([small]));
  expect(sharedOf(Array.from({ length: 5 }, () => memory.lend(4000 * KB)))).toHaveLength(4);
});
