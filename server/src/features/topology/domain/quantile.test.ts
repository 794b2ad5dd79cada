import { expect, test } from 'vitest';
import { addDurations, quantileMs } from './quantile.ts';

const bucketOf = (ms: number): number => Math.floor(8 * Math.log2(ms * 1e6));

test('is within a bucket of the exact quantile, from microseconds to hours', () => {
  for (const scale of [0.001, 1, 1000, 3_600_000]) {
    const values = Array.from({ length: 1000 }, (_, i) => scale * (1 + i / 100));
    const durations = new Map<number, number>();
    for (const value of values) addDurations(durations, new Map([[bucketOf(value), 1]]));
    for (const q of [0.5, 0.95]) {
      const exact = values[Math.ceil(q * values.length) - 1] ?? 0;
      expect(Math.abs((quantileMs(durations, q) ?? 0) / exact - 1)).toBeLessThan(0.05);
    }
  }
});

test('of nothing is nothing', () => {
  expect(quantileMs(new Map(), 0.5)).toBeNull();
});
