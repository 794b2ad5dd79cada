import { expect, test } from 'vitest';
import { orderPoints } from './order-points.ts';

/** Values are ten times their times, so that a mix-up shows. */
const order = (times: readonly number[]) => {
  const { at, value } = orderPoints({
    at: Float64Array.from(times),
    value: Float64Array.from(times, (time) => time * 10),
  });
  expect(Array.from(value)).toEqual(Array.from(at, (time) => time * 10));
  return Array.from(at);
};

test('runs of several parts become one, in whatever order they come', () => {
  expect(order([])).toEqual([]);
  expect(order([1, 2, 3])).toEqual([1, 2, 3]);
  expect(order([7, 8, 9, 1, 2, 3, 4, 5, 6])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(order([1, 4, 9, 2, 3, 5, 0])).toEqual([0, 1, 2, 3, 4, 5, 9]);
});

test('a time that comes twice stays once', () => {
  expect(order([1, 1, 2, 2, 3])).toEqual([1, 2, 3]);
  expect(order([3, 4, 5, 1, 2, 3])).toEqual([1, 2, 3, 4, 5]);
});

test('of equal times the first stays', () => {
  const { value } = orderPoints({ at: Float64Array.of(5, 3, 5, 3), value: Float64Array.of(10, 20, 30, 40) });
  expect(Array.from(value)).toEqual([20, 10]);
});

test('many short runs keep their values', () => {
  const times = Array.from({ length: 50_000 }, (_, i) => 1_795_000_000_000 + ((i * 7919) % 49_999));
  expect(order(times)).toEqual([...new Set(times)].sort((a, b) => a - b));
});
