import { expect, test } from 'vitest';
import { orderPoints } from './order-points.ts';

/** Values are ten times their times, so that a mix-up shows. */
const order = (times: readonly number[]) => {
  const { at, value } = orderPoints(
    Float64Array.from(times),
    Float64Array.from(times, (time) => time * 10),
  );
  expect(Array.from(value)).toEqual(Array.from(at, (time) => time * 10));
  return Array.from(at);
};

test('runs of several parts become one, in whatever order they come', () => {
  expect(order([])).toEqual([]);
  expect(order([1, 2, 3])).toEqual([1, 2, 3]);
  expect(order([7, 8, 9, 1, 2, 3, 4, 5, 6])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('runs that overlap are put together point by point', () => {
  expect(order([1, 4, 9, 2, 3, 5, 0])).toEqual([0, 1, 2, 3, 4, 5, 9]);
});

test('a time that comes twice stays once, within a run and between two', () => {
  expect(order([1, 1, 2, 2, 3])).toEqual([1, 2, 3]);
  expect(order([3, 4, 5, 1, 2, 3])).toEqual([1, 2, 3, 4, 5]);
  expect(order([1, 3, 5, 1, 2, 3])).toEqual([1, 2, 3, 5]);
});
