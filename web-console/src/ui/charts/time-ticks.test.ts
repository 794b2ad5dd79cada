import { expect, it } from 'vitest';
import { timeTicks, valueTicks } from './time-ticks.ts';

it('gives round local times, never more than asked for', () => {
  const from = new Date(2026, 10, 21, 8, 3).getTime();
  const ticks = timeTicks(from, from + 6 * 3_600_000, 7);
  expect(ticks.map((at) => new Date(at).getMinutes())).toEqual([0, 0, 0, 0, 0, 0]);
  expect(timeTicks(from, from + 7 * 86_400_000, 8).length).toBeLessThanOrEqual(8);
});

it('covers the data in a few round steps', () => {
  expect(valueTicks(-85, -55)).toEqual([-90, -80, -70, -60, -50]);
  expect(valueTicks(0, 40)).toEqual([0, 10, 20, 30, 40]);
  for (const max of [3, 77, 812, 5400]) {
    const ticks = valueTicks(0, max);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
    expect(ticks.length).toBeLessThanOrEqual(6);
  }
});
