import { expect, test } from 'vitest';
import { createBest } from './best.ts';

test('keeps the first of ten thousand, whatever their order, and of equal ones the earliest', () => {
  const best = createBest<[value: number, at: number]>(3, ([a], [b]) => b - a);
  for (let i = 0; i < 10_000; i++) best.add([(i * 7919) % 5000, i]);
  expect(best.list().map(([value]) => value)).toEqual([4999, 4999, 4998]);
  const equal = createBest<[number, number]>(2, () => 0);
  for (let i = 0; i < 100; i++) equal.add([1, i]);
  expect(equal.list()).toEqual([
    [1, 0],
    [1, 1],
  ]);
});

test('keeps none of none, and all where there are fewer', () => {
  const best = createBest<number>(5, (a, b) => a - b);
  expect(best.list()).toEqual([]);
  best.add(2);
  best.add(1);
  expect(best.list()).toEqual([1, 2]);
  best.add(0);
  expect(best.list()).toEqual([0, 1, 2]);
});
