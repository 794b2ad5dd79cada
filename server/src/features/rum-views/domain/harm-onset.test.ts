import { expect, test } from 'vitest';
import { harmOnset, type MinuteOfViews } from './harm-onset.ts';

const MINUTE_MS = 60_000;
const minutes = (...affected: number[]): MinuteOfViews[] =>
  affected.map((count, place) => ({ atMs: place * MINUTE_MS, views: 10, affected: count }));

test('the harm begins with the first minute that is as bad as half of the worst', () => {
  expect(harmOnset(minutes(0, 0, 1, 0, 6, 7, 8, 7), 0.01)).toBe(4 * MINUTE_MS);
  expect(harmOnset(minutes(5, 6, 5), 0)).toBe(0);
});

test('one view that fails now and then is no harm, and neither is what is usual', () => {
  expect(harmOnset(minutes(0, 1, 0, 0, 0, 0, 1, 0), 0)).toBeUndefined();
  expect(harmOnset(minutes(2, 3, 2, 3, 2), 0.2)).toBeUndefined();
  expect(harmOnset([], 0)).toBeUndefined();
});

test('a view that fails as usual a minute before is not its beginning', () => {
  const noisy = [1, 1, 0, 1, 1, 12, 14, 15].map((affected, place) => ({ atMs: place * MINUTE_MS, views: 20, affected }));
  expect(harmOnset(noisy, 0.05)).toBe(5 * MINUTE_MS);
});
