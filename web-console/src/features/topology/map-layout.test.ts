import { expect, test } from 'vitest';
import type { MapEdge, MapNode } from '../../api-types.ts';
import { layOutMap, MOST_NODES, NODE_HEIGHT } from './map-layout.ts';

const measures = { calls: 1, errors: 0, rate: 1, error_ratio: 0, p50_ms: 1, p95_ms: 1 };
const node = (id: string, calls = 1): MapNode => ({
  ...measures,
  id,
  name: id,
  kind: 'service',
  calls,
  bytes_in: 0,
  bytes_out: 0,
});
const edge = (source: string, target: string): MapEdge => ({ ...measures, source, target, kind: 'call', bytes: 0 });

const columnsOf = (names: string, pairs: string): string[][] => {
  const { nodes } = layOutMap(
    names.split('').map((id) => node(id)),
    pairs
      .split(' ')
      .filter(Boolean)
      .map((pair) => edge(pair[0] ?? '', pair[1] ?? '')),
  );
  const columns = Map.groupBy(nodes, ({ x }) => x);
  return [...columns.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, column]) => column.toSorted((a, b) => a.y - b.y).map(({ node: { id } }) => id));
};

test('puts callers left of whom they call', () => {
  expect(columnsOf('abcd', 'ab bc ac cd')).toEqual([['a'], ['b'], ['c'], ['d']]);
  expect(columnsOf('abc', 'ab ac').map((column) => column.sort())).toEqual([['a'], ['b', 'c']]);
});

test('ends with circles, and begins them where nobody calls', () => {
  expect(columnsOf('abc', 'ab bc cb')).toEqual([['a'], ['b'], ['c']]);
  expect(columnsOf('ab', 'ab ba').flat().sort()).toEqual(['a', 'b']);
});

test('orders columns so that edges do not cross without need', () => {
  expect(columnsOf('abxy', 'ay bx')).toEqual([
    ['a', 'b'],
    ['y', 'x'],
  ]);
});

test('leads a long edge through free places of the columns between', () => {
  const { edges, nodes } = layOutMap(
    'abc'.split('').map((id) => node(id)),
    [edge('a', 'b'), edge('b', 'c'), edge('a', 'c')],
  );
  const long = edges.find(({ edge: { source, target } }) => source === 'a' && target === 'c');
  const between = nodes.find(({ node: { id } }) => id === 'b');
  expect(long?.via).toHaveLength(1);
  expect(Math.abs((long?.via[0]?.y ?? 0) - ((between?.y ?? 0) + NODE_HEIGHT / 2))).toBeGreaterThan(NODE_HEIGHT / 2);
});

test('never puts two nodes onto each other', () => {
  const names = Array.from({ length: 40 }, (_, i) => `n${i}`);
  const edges = names.flatMap((name, i) => [edge(name, `n${(i * 7 + 3) % 40}`), edge(name, `n${(i * 3 + 1) % 40}`)]);
  const { nodes, height } = layOutMap(
    names.map((name) => node(name)),
    edges,
  );
  for (const [, column] of Map.groupBy(nodes, ({ x }) => x)) {
    const ys = column.map(({ y }) => y).sort((a, b) => a - b);
    for (const [i, y] of ys.entries()) if (i > 0) expect(y - (ys[i - 1] ?? 0)).toBeGreaterThan(NODE_HEIGHT);
    expect((ys.at(-1) ?? 0) + NODE_HEIGHT).toBeLessThanOrEqual(height);
  }
});

test('draws the busiest of very many and tells how many it left out', () => {
  const names = Array.from({ length: 500 }, (_, i) => node(`n${i}`, i));
  const { nodes, hidden } = layOutMap(names, []);
  expect({ drawn: nodes.length, hidden }).toEqual({ drawn: MOST_NODES, hidden: 500 - MOST_NODES });
  expect(nodes.every(({ node: { calls } }) => calls >= 500 - MOST_NODES)).toBe(true);
});
