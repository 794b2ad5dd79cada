import { expect, it } from 'vitest';
import { rejectedOf } from './otlp.ts';

const answer = (rejected: readonly number[], words: number): Buffer => {
  const text = Buffer.alloc(words, 'x');
  const partial = Buffer.concat([Buffer.from([0x08, ...rejected, 0x12, (words & 0x7f) | 0x80, words >> 7]), text]);
  return Buffer.concat([Buffer.from([0x0a, (partial.length & 0x7f) | 0x80, partial.length >> 7]), partial]);
};

it('reads how many were rejected, however long the words are', () => {
  expect(rejectedOf(Buffer.alloc(0))).toBe(0);
  expect(rejectedOf(Buffer.from([0x0a, 0x02, 0x08, 0x05]))).toBe(5);
  expect(rejectedOf(answer([0xf5, 0x8f, 0x06], 200))).toBe(100_341);
  expect(rejectedOf(Buffer.from([0x0a, 0x02, 0x12, 0x00]))).toBe(0);
});
