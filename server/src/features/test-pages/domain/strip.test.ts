import { describe, expect, it } from 'vitest';
import { countSlots, layStrip, type StripPlan } from './strip.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const plan = (more: Partial<StripPlan> = {}): StripPlan => ({
  ...{ fromMs: 0, toMs: 4 * HOUR_MS, stepMs: HOUR_MS, intervalMs: MINUTE_MS, pauses: [] },
  ...{ rhythms: [{ phaseMs: 10_000, sinceMs: 0 }], knownMs: 4 * HOUR_MS, nowMs: 4 * HOUR_MS },
  ...more,
});
const bar = (hour: number, passed: number, more: object = {}) => ({
  atMs: hour * HOUR_MS,
  passed,
  failed: 0,
  notRun: 0,
  ...more,
});
const missing = (bars: Parameters<typeof layStrip>[0], more: Partial<StripPlan> = {}) =>
  layStrip(bars, plan(more)).map(({ not_run }) => not_run);

describe('slots', () => {
  it.each([
    [0, 60_000, 1],
    [0, 10_000, 0],
    [10_000, 10_001, 1],
    [10_001, 70_000, 0],
    [0, 3_600_000, 60],
    [5, 5, 0],
    [9, 3, 0],
  ])('from %i to %i there are %i', (fromMs, toMs, count) => {
    expect(countSlots({ fromMs, toMs }, { phaseMs: 10_000, intervalMs: MINUTE_MS })).toBe(count);
  });
});

describe('runs that never came', () => {
  it('are counted to the single one', () => {
    expect(missing([bar(0, 60), bar(1, 59), bar(2, 57, { failed: 1, notRun: 1 }), bar(3, 0, { failed: 58 })])).toEqual([
      0, 1, 2, 2,
    ]);
    expect(missing([])).toEqual([60, 60, 60, 60]);
  });

  it('are of each runner, since it is there and since the rhythm is what it is', () => {
    const rhythms = [
      { phaseMs: 0, sinceMs: 2 * HOUR_MS },
      { phaseMs: 59_000, sinceMs: 3 * HOUR_MS + 30 * MINUTE_MS },
    ];
    expect(missing([bar(1, 20), bar(2, 60), bar(3, 60)], { rhythms })).toEqual([0, 0, 0, 30]);
  });

  it('are none of a pause, nor of what may still come', () => {
    const pauses = [{ fromMs: 30 * MINUTE_MS, toMs: 2 * HOUR_MS }];
    expect(missing([bar(0, 30), bar(2, 60), bar(3, 20)], { pauses, knownMs: 3 * HOUR_MS + 20 * MINUTE_MS })).toEqual([
      0, 0, 0, 0,
    ]);
    expect(layStrip([], plan({ pauses })).map(({ paused }) => paused)).toEqual([true, true, false, false]);
  });

  it('are not those that began before their time by a clock that is ahead, nor late, in the next bar', () => {
    expect(missing([bar(0, 61), bar(1, 59), bar(2, 60), bar(3, 60)])).toEqual([0, 0, 0, 0]);
    expect(missing([bar(0, 59), bar(1, 61), bar(2, 60), bar(3, 60)])).toEqual([0, 0, 0, 0]);
    // One that came late makes up for no other.
    expect(missing([bar(0, 58), bar(1, 61), bar(2, 60), bar(3, 60)])).toEqual([1, 0, 0, 0]);
    expect(missing([bar(0, 60), bar(1, 70), bar(2, 50), bar(3, 60)])).toEqual([0, 0, 9, 0]);
  });
});
