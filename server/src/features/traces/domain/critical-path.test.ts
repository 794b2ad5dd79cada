import { expect, test } from 'vitest';
import { buildTree, type TreeSpan } from './build-tree.ts';
import { findCriticalPath, findMainRoot, findOwnTime, lengthOf } from './critical-path.ts';

/** Spans as `id < parent start duration`. */
const trace = (...lines: string[]): TreeSpan[] =>
  lines.map((line) => {
    const [id = '', parent = '', start, duration] = line.split(' ');
    return { id, parent: parent === '-' ? '' : parent, start: Number(start), duration: Number(duration) };
  });

function pathOf(spans: readonly TreeSpan[]): Record<string, number[]> {
  const tree = buildTree(spans);
  const path = findCriticalPath(spans, findMainRoot(spans, tree));
  return Object.fromEntries([...path].map(([node, stretches]) => [spans[node.index]?.id ?? '', stretches]));
}

const shapeOf = (spans: readonly TreeSpan[]) =>
  buildTree(spans).order.map(
    ({ index, depth, parentMissing }) => `${depth} ${spans[index]?.id}${parentMissing ? ' missing' : ''}`,
  );

test('parents come before children and siblings by their start', () => {
  expect(shapeOf(trace('c a 60 10', 'b a 10 40', 'a - 0 100', 'd b 20 5'))).toEqual(['0 a', '1 b', '2 d', '1 c']);
});

test('a missing parent, a ring and a span that is its own parent each begin a tree', () => {
  expect(shapeOf(trace('a gone 0 10', 'x y 5 1', 'y x 6 1', 'me me 8 1'))).toEqual([
    '0 a missing',
    '0 me missing',
    '0 x missing',
    '1 y',
  ]);
});

test('two spans of one id are both there', () => {
  expect(shapeOf(trace('a - 0 10', 'a - 2 10', 'b a 3 1'))).toEqual(['0 a', '1 b', '0 a']);
});

test('the path follows the child that ended last and covers the root once', () => {
  const spans = trace('a - 0 100', 'b a 10 40', 'c a 20 60', 'd c 30 20');
  expect(pathOf(spans)).toEqual({ a: [0, 20, 80, 100], c: [20, 30, 50, 80], d: [30, 50] });
  expect(Object.values(pathOf(spans)).reduce((sum, stretches) => sum + lengthOf(stretches), 0)).toBe(100);
});

test('of children one after the other all are on the path', () => {
  expect(pathOf(trace('a - 0 100', 'b a 0 40', 'c a 40 50'))).toEqual({ a: [90, 100], b: [0, 40], c: [40, 90] });
});

test('work that goes on after its parent, or begins after it, does not lengthen the path', () => {
  expect(pathOf(trace('a - 0 100', 'late a 90 50', 'after a 120 30', 'early a -5 10'))).toEqual({
    a: [5, 90],
    late: [90, 100],
    early: [0, 5],
  });
});

test('without a root the longest span of those that lost their parent stands for the trace', () => {
  expect(pathOf(trace('a gone 0 10', 'b gone 20 30'))).toEqual({ b: [20, 50] });
});

test('own time is what no child covers', () => {
  const spans = trace('a - 0 100', 'b a 10 40', 'c a 20 60', 'd a 95 50');
  const [root] = buildTree(spans).order;
  expect(root && findOwnTime(spans, root)).toEqual([0, 10, 80, 95]);
});

test('ten thousand spans in one line, and as many under one parent, are no trouble', () => {
  const deep = Array.from({ length: 10_000 }, (_, i) => `s${i} ${i === 0 ? '-' : `s${i - 1}`} ${i} ${20_000 - 2 * i}`);
  expect(Object.keys(pathOf(trace(...deep)))).toHaveLength(10_000);
  const wide = ['r - 0 10000', ...Array.from({ length: 10_000 }, (_, i) => `s${i} r ${i} 1`)];
  const begun = performance.now();
  expect(Object.keys(pathOf(trace(...wide)))).toHaveLength(10_001);
  expect(performance.now() - begun).toBeLessThan(1000);
});
