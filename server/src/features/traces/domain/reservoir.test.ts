import { expect, test } from 'vitest';
import { createReservoir } from './reservoir.ts';

test('quantiles are exact while all values fit, and lie between neighbours', () => {
  const reservoir = createReservoir(10);
  for (const value of [40, 10, 30, 20]) reservoir.add(value);
  expect(reservoir.quantiles([0, 0.5, 0.95, 1])).toEqual([10, 25, 38.5, 40]);
  expect(createReservoir(10).quantiles([0.5])).toEqual([undefined]);
});

test('of very many the sample is fair', () => {
  const reservoir = createReservoir(2000);
  for (let i = 0; i < 200_000; i++) reservoir.add(i);
  const [median = 0, high = 0] = reservoir.quantiles([0.5, 0.95]);
  expect(reservoir.count).toBe(200_000);
  expect(Math.abs(median - 100_000)).toBeLessThan(8000);
  expect(Math.abs(high - 190_000)).toBeLessThan(4000);
});
