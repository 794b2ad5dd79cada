import { expect, test } from 'vitest';
import { BLOCK_BYTES } from './files.ts';
import { createReadMemory, READ_BYTES } from './read-memory.ts';
import { createTail, type Tail } from './tail.ts';

function keep(tail: Tail, base: number, text: string): Buffer {
  const memory = tail.room(text.length, 0) as Buffer;
  memory.write(text);
  tail.keep(memory, base);
  return memory;
}

test('finds what it keeps by any position in it, and where the next begins', () => {
  const tail = createTail(createReadMemory());
  keep(tail, 100, 'first');
  keep(tail, 105, 'second');
  keep(tail, 200, 'after a gap');
  const textAt = (position: number) => tail.hold(position)?.chunk.buffer.toString();
  expect([99, 100, 104, 105, 110, 111, 199, 200, 211].map(textAt)).toEqual([
    undefined,
    'first',
    'first',
    'second',
    'second',
    undefined,
    undefined,
    'after a gap',
    undefined,
  ]);
  expect([0, 111, 211].map(tail.baseAfter)).toEqual([100, 200, Number.POSITIVE_INFINITY]);
});

test('what was dropped stays as it is for who holds it, and is used again once nobody does', () => {
  const memory = createReadMemory();
  const tail = createTail(memory);
  const kept = keep(tail, 0, 'held');
  const [one, other] = [tail.hold(0), tail.hold(3)];
  tail.dropBelow(4);
  expect(tail.hold(0)).toBeUndefined();
  const next = keep(tail, 4, 'next');
  expect(next.byteOffset).toBe(kept.byteOffset + BLOCK_BYTES);
  one?.free();
  expect(other?.chunk.buffer.toString()).toBe('held');
  other?.free();
  tail.dropBelow(8);
  expect(memory.lend(READ_BYTES).byteOffset).toBe(kept.byteOffset);
});

test('leaves memory for those who have to read', () => {
  const memory = createReadMemory();
  const tail = createTail(memory);
  const kept = Array.from({ length: 100 }, () => tail.room(READ_BYTES / 2, 0)).filter((room) => room !== undefined);
  expect(kept.length).toBe(32);
  expect(memory.lend(READ_BYTES).buffer).toBeInstanceOf(SharedArrayBuffer);
  for (const room of kept) tail.giveBack(room);
  expect(tail.room(READ_BYTES + 1, 0)).toBeUndefined();
  expect(tail.room(READ_BYTES, 0)).toBeDefined();
});
