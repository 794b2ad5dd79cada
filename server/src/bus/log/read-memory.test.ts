import { expect, test } from 'vitest';
import { createReadMemory, READ_BYTES } from './read-memory.ts';

const isShared = ({ buffer }: Buffer): boolean => (buffer as ArrayBufferLike) instanceof SharedArrayBuffer;

test('puts short reads side by side, and uses a piece again when all of it was given back', () => {
  const memory = createReadMemory();
  const [first, second] = [memory.lend(1000), memory.lend(2000)];
  expect(second.buffer).toBe(first.buffer);
  first.fill(1);
  second.fill(2);
  expect(first.every((byte) => byte === 1)).toBe(true);
  const whole = memory.lend(READ_BYTES);
  expect(whole.buffer).not.toBe(first.buffer);
  memory.giveBack(first);
  expect(memory.lend(READ_BYTES).buffer).not.toBe(first.buffer);
  memory.giveBack(second);
  expect(memory.lend(READ_BYTES).buffer).toBe(first.buffer);
});

test('has so many pieces and then fresh memory, and shared memory again when some was given back', () => {
  const memory = createReadMemory();
  const lent = Array.from({ length: 200 }, () => memory.lend(READ_BYTES / 4));
  const shared = lent.filter(isShared);
  expect(shared.length).toBe(96);
  expect(new Set(shared.map(({ buffer }) => buffer)).size).toBe(24);
  for (const one of lent) memory.giveBack(one);
  expect(isShared(memory.lend(READ_BYTES))).toBe(true);
  expect(isShared(memory.lend(READ_BYTES + 1))).toBe(false);
});
