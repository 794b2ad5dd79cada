import { describe, expect, it } from 'vitest';
import { alignTraces, findGaps, nearestIndex, tracePoints, usualStep } from './chart-data.ts';

const MIN = 60_000;
const flat = (ts: number[], value = 1) => ({ ts, avg: ts.map(() => value), min: ts.map(() => value), max: ts.map(() => value) });

describe('gaps', () => {
  const window = { from: 0, to: 20 * MIN, stepMs: MIN };

  it('finds silence inside and at both ends, and nothing where readings follow each other', () => {
    const ts = [5, 6, 7, 12, 13].map((minute) => minute * MIN);
    expect(findGaps(ts, window)).toEqual([
      { from: 0, to: 5 * MIN },
      { from: 7.5 * MIN, to: 12 * MIN },
      { from: 13.5 * MIN, to: 20 * MIN },
    ]);
  });

  it('calls a window without any reading one gap', () => {
    expect(findGaps([], window)).toEqual([{ from: 0, to: 20 * MIN }]);
  });

  it('does not take the usual rhythm of a slow series for silence', () => {
    const ts = [0, 5, 10, 15, 20].map((minute) => minute * MIN);
    expect(usualStep(ts, MIN)).toBe(5 * MIN);
    expect(findGaps(ts, window)).toEqual([]);
  });
});

describe('lines', () => {
  it('break at a gap instead of crossing it', () => {
    const points = tracePoints(flat([0, MIN, 2 * MIN, 10 * MIN]), MIN, MIN);
    expect(points.map((point) => point.value)).toEqual([1, 1, 1, null, 1]);
  });

  it('keep the peak and the trough of a bucket that holds several readings', () => {
    const points = tracePoints({ ts: [0, 5 * MIN], avg: [10, 20], min: [8, 12], max: [15, 90] }, 5 * MIN, MIN);
    expect(points.map((point) => point.value).toSorted((a, b) => Number(a) - Number(b))).toEqual([8, 12, 15, 90]);
  });

  it('share one axis: undefined where a series has no point of its own, null where it breaks', () => {
    const { at, values } = alignTraces([
      [
        { at: 0, value: 1 },
        { at: 2, value: null },
      ],
      [{ at: 1, value: 7 }],
    ]);
    expect(at).toEqual([0, 1, 2]);
    expect(values).toEqual([
      [1, undefined, null],
      [undefined, 7, undefined],
    ]);
  });
});

it('finds the nearest reading, but none that is too far away', () => {
  const ts = [0, 10, 20];
  expect(nearestIndex(ts, 14, 100)).toBe(1);
  expect(nearestIndex(ts, 16, 100)).toBe(2);
  expect(nearestIndex(ts, 400, 100)).toBe(-1);
  expect(nearestIndex([], 4, 100)).toBe(-1);
});
