import { expect, test } from 'vitest';
import { ByteSink, wordsOf } from './byte-sink.ts';

test('bytes are the same copied one by one and four at a time, of every length and place, also where the sink grows', () => {
  const from = Buffer.from(Array.from({ length: 200 }, (_, i) => (i * 37) % 256)).subarray(3);
  const words = wordsOf(from);
  const [one, four] = [new ByteSink(8), new ByteSink(8)];
  for (let length = 0; length <= 130; length++) {
    const start = length % 7;
    one.copy(from, start, start + length);
    four.copyWords(words, start, start + length);
    expect(four.view().equals(one.view())).toBe(true);
  }
});

test('what lies behind its end is not read, and a view of shared memory is as good', () => {
  const shared = Buffer.from(new SharedArrayBuffer(10), 2, 7);
  shared.write('seven!!');
  const sink = new ByteSink(4);
  sink.copyWords(wordsOf(shared), 0, 7);
  expect(sink.view().toString()).toBe('seven!!');
  expect(() => sink.copyWords(wordsOf(shared), 0, 8)).toThrow(RangeError);
});

test('a large sink that grows keeps what it holds and gives the former memory back at once', () => {
  const sink = new ByteSink(1 << 20);
  const former = sink.view().buffer;
  sink.raw(new Uint8Array(1 << 20).fill(7));
  sink.uint8(9);
  expect(former.byteLength).toBe(0);
  expect([sink.length, sink.bytes[0], sink.bytes[(1 << 20) - 1], sink.bytes[1 << 20]]).toEqual([(1 << 20) + 1, 7, 7, 9]);
});

test('a sink in memory that threads share grows as well', () => {
  const sink = new ByteSink(1);
  sink.bytes = Buffer.from(new SharedArrayBuffer(1 << 20));
  sink.words = wordsOf(sink.bytes);
  sink.raw(new Uint8Array(1 << 20).fill(7));
  sink.uint8(9);
  expect([sink.length, sink.bytes[(1 << 20) - 1], sink.bytes[1 << 20]]).toEqual([(1 << 20) + 1, 7, 9]);
});
