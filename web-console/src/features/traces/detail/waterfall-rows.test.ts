import { expect, test } from 'vitest';
import { axisTicks, rowWindow, shapeOf, visibleRows } from './waterfall-rows.ts';

const span = (depth: number, [from, to]: [number, number], more: { critical?: number[]; error?: boolean } = {}) => ({
  depth,
  start_ns: from,
  duration_ns: to - from,
  critical: more.critical ?? [],
  status: more.error ? ('error' as const) : ('unset' as const),
});
/** a(b(c), d), then a root of its own. */
const SPANS = [
  span(0, [0, 100], { critical: [0, 10] }),
  span(1, [10, 60], { critical: [10, 60] }),
  span(2, [20, 30], { error: true }),
  span(1, [50, 90]),
  span(0, [40, 45]),
];

test('knows where a subtree ends, who is above and what no child covers', () => {
  const { end, parent, own } = shapeOf(SPANS);
  expect([...end]).toEqual([4, 3, 3, 4, 5]);
  expect([...parent]).toEqual([-1, 0, 1, 0, -1]);
  expect(own).toEqual([
    [0, 10, 90, 100],
    [10, 20, 30, 60],
    [20, 30],
    [50, 90],
    [40, 45],
  ]);
});

test('folds a subtree away and shows only what is asked for', () => {
  const shape = shapeOf(SPANS);
  const rows = (view: 'all' | 'critical' | 'errors', folded: number[] = []) =>
    visibleRows(SPANS, shape, { view, folded: new Set(folded) });
  expect(rows('all')).toEqual([0, 1, 2, 3, 4]);
  expect(rows('all', [1])).toEqual([0, 1, 3, 4]);
  expect(rows('all', [0])).toEqual([0, 4]);
  expect(rows('critical')).toEqual([0, 1]);
  expect(rows('errors')).toEqual([0, 1, 2]);
});

test('children that outlive their parent leave it no own time behind its end', () => {
  expect(shapeOf([span(0, [0, 10]), span(1, [5, 50])]).own).toEqual([
    [0, 5],
    [5, 50],
  ]);
});

test('marks are round and few', () => {
  expect(axisTicks(1_840)).toEqual([0, 500, 1000, 1500]);
  expect(axisTicks(0)).toEqual([0]);
});

test('draws what can be seen and a little more', () => {
  expect(rowWindow({ top: 2800, height: 560, row: 28 }, 10_000)).toEqual([88, 132]);
  expect(rowWindow({ top: 0, height: 560, row: 28 }, 5)).toEqual([0, 5]);
});
