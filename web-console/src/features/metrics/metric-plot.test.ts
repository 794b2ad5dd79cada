import { expect, test } from 'vitest';
import { alignLines, valueRange } from './metric-plot.ts';

const line = (ts: number[], values = ts) => ({ labels: {}, ts, values });

test('a line sent less often than a step is one line; a longer silence breaks it', () => {
  const grid = { from: 0, to: 12, stepMs: 1 };
  const [at, ...columns] = alignLines([line([0, 2, 4, 6, 12]), line([3])], grid);
  expect(at).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(columns[0]).toEqual([0, undefined, 2, undefined, 4, undefined, 6, null, null, null, null, null]);
  expect(columns[1]).toEqual([null, null, null, 3, ...new Array(8).fill(null)]);
});

test('the axis begins at zero where that leaves the lines most of its height', () => {
  expect(valueRange([line([1, 10])])).toEqual([0, 10]);
  expect(valueRange([line([90, 100])])).toEqual([90, 100]);
  expect(valueRange([line([-5, 5])])).toEqual([-5, 5]);
  expect(valueRange([line([7])])).toEqual([0, 7]);
  expect(valueRange([line([0])])).toEqual([0, 1]);
  expect(valueRange([])).toEqual([0, 1]);
});
