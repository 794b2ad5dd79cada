import { describe, expect, test } from 'vitest';
import { NumberCells, type NumberQuestion } from './number-rows.ts';

const STEP = 60_000;
const FROM = 1_795_366_800_000;
const ASKED: NumberQuestion = {
  fromMs: FROM,
  toMs: FROM + 10 * STEP,
  stepMs: STEP,
  aliveMs: 5 * STEP,
  function: 'increase',
  aggregate: 'sum',
  delta: false,
};

type Series = readonly (readonly [step: number, value: number])[];

/** Values of the first group by step, of series whose points lie so many steps behind the beginning. */
function ask(asked: Partial<NumberQuestion>, ...series: Series[]): Record<number, number | undefined> {
  const cells = new NumberCells({ ...ASKED, ...asked });
  for (const points of series)
    cells.add(0, { at: points.map(([step]) => FROM + step * STEP), value: points.map(([, value]) => value) });
  const [row] = cells.rows();
  return Object.fromEntries((row?.ts ?? []).map((ts, i) => [(ts - FROM) / STEP, row?.values[i]]));
}

describe('what a counter grew', () => {
  test('is told in the steps of its points, from the last point before each', () => {
    const counter: Series = [
      [-0.5, 100],
      [0.5, 110],
      [1, 111],
      [1.5, 113],
      [4, 120],
    ];
    expect(ask({}, counter)).toEqual({ 0: 10, 1: 3, 4: 7 });
  });

  test('is spread over steps without a point as a rate, as long as the series is alive', () => {
    const counter: Series = [
      [0, 0],
      [3, 360],
      [9, 720],
    ];
    // 360 in three minutes; six minutes are too long.
    expect(ask({ function: 'rate' }, counter)).toEqual({ 1: 2, 2: 2, 3: 2, 9: 1 });
  });

  test('counts from nothing where it fell', () => {
    const counter: Series = [
      [0, 50],
      [1, 60],
      [2, 7],
      [3, 7],
    ];
    expect(ask({}, counter)).toEqual({ 1: 10, 2: 7, 3: 0 });
  });

  test('is not told of one point, nor outside of the window', () => {
    expect(ask({}, [[1, 5]])).toEqual({});
    const counter: Series = [
      [-3, 1],
      [-2, 2],
      [9.5, 3],
    ];
    expect(ask({}, counter)).toEqual({ 9: 1 });
  });

  test('is put together as was asked', () => {
    const one: Series = [
      [0, 0],
      [1, 10],
    ];
    const other: Series = [
      [0, 0],
      [1, 30],
      [2, 31],
    ];
    const told = { sum: 40, avg: 20, min: 10, max: 30, count: 2 } as const;
    for (const [aggregate, value] of Object.entries(told))
      expect(ask({ aggregate: aggregate as keyof typeof told }, one, other)[1], aggregate).toBe(value);
    expect(ask({}, one, other)).toEqual({ 1: 40, 2: 1 });
  });
});

test('a gauge stands until its next point, or as long as it is alive', () => {
  const gauge: Series = [
    [0, 4],
    [0.5, 8],
    [2, 1],
  ];
  expect(ask({ function: 'avg' }, gauge)).toEqual({ 0: 6, 1: 6, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1 });
});
