import { expect, test } from 'vitest';
import type { MapEdge, MapNode } from '../../api-types.ts';
import { curvesOf, pathOf, pointAt } from './map-edge-path.ts';
import { placeLabels } from './map-labels.ts';
import { layOutMap, NODE_HEIGHT, NODE_WIDTH } from './map-layout.ts';

const measures = { calls: 1, errors: 0, rate: 1, error_ratio: 0, p50_ms: 1, p95_ms: 1 };
const node = (id: string): MapNode => ({ ...measures, id, name: id, kind: 'service', bytes_in: 0, bytes_out: 0 });
const edge = (source: string, target: string): MapEdge => ({ ...measures, source, target, kind: 'call', bytes: 0 });

/** A label's letters at the width that they have on screen (11 px Inter, tabular figures), and its line. */
const rectangle = ({ x, y }: { x: number; y: number }, text: string) => ({
  ...{ left: x - text.length * 2.9, right: x + text.length * 2.9, top: y - 9, bottom: y + 2 },
});
type Rectangle = ReturnType<typeof rectangle>;
const overlap = (a: Rectangle, b: Rectangle): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Where each label stood before: at one share of its edge's last stretch, whatever else is there. */
const MAPS = {
  'many callers of one': ['abcdefgh'.split('').map((id) => node(id)), 'abcdefg'.split('').map((id) => edge(id, 'h'))],
  'one caller of many': ['abcdefgh'.split('').map((id) => node(id)), 'bcdefgh'.split('').map((id) => edge('a', id))],
  'three of each between two columns': [
    'abcxyz'.split('').map((id) => node(id)),
    [...'abc'].flatMap((a) => [...'xyz'].map((b) => edge(a, b))),
  ],
  'forty nodes with circles': [
    Array.from({ length: 40 }, (_, i) => node(`n${i}`)),
    Array.from({ length: 40 }, (_, i) => [edge(`n${i}`, `n${(i * 7 + 3) % 40}`), edge(`n${i}`, `n${(i * 3 + 1) % 40}`)]).flat(),
  ],
} as const satisfies Record<string, readonly [readonly MapNode[], readonly MapEdge[]]>;

test.each(Object.entries(MAPS))('no label covers another or a node: %s', (_, [nodes, edges]) => {
  const layout = layOutMap(nodes, edges);
  const text = '1,204/min';
  const places = placeLabels(
    layout,
    layout.edges.map((placed) => ({ placed, text })),
  );
  const labels = [...places.values()].map((place) => rectangle(place, text));
  const boxes = layout.nodes.map(({ x, y }) => ({ left: x, right: x + NODE_WIDTH, top: y, bottom: y + NODE_HEIGHT }));
  for (const [i, label] of labels.entries()) {
    for (const other of labels.slice(i + 1)) expect(overlap(label, other)).toBe(false);
    for (const box of boxes) expect(overlap(label, box)).toBe(false);
    expect(label.left).toBeGreaterThanOrEqual(0);
    expect(label.right).toBeLessThanOrEqual(layout.width);
  }
});

test('all labels of an ordinary map have a place, and the first ones in any', () => {
  for (const name of ['many callers of one', 'one caller of many'] as const) {
    const layout = layOutMap(...MAPS[name]);
    const labels = layout.edges.map((placed) => ({ placed, text: '12% fail' }));
    expect(placeLabels(layout, labels).size).toBe(labels.length);
  }
  const crowded = layOutMap(...MAPS['three of each between two columns']);
  const labels = crowded.edges.map((placed) => ({ placed, text: '12% fail' })).toReversed();
  const [first] = labels;
  expect(first && placeLabels(crowded, labels).has(first.placed)).toBe(true);
});

test('a label stands on no other line where its own has room apart from them', () => {
  // Four callers of one, two of them a column further away: all lines meet before it, each is alone before that.
  const nodes = 'abcdz'.split('').map((id) => node(id));
  const layout = layOutMap(nodes, [
    edge('a', 'b'),
    edge('a', 'c'),
    edge('b', 'z'),
    edge('c', 'z'),
    edge('a', 'z'),
    edge('d', 'z'),
  ]);
  const text = '37/min';
  const places = placeLabels(
    layout,
    layout.edges.map((placed) => ({ placed, text })),
  );
  const shares = Array.from({ length: 101 }, (_, i) => i / 100);
  for (const [own, place] of places) {
    const label = rectangle(place, text);
    const others = layout.edges.filter((placed) => placed !== own).flatMap((placed) => curvesOf(placed));
    const points = others.flatMap((curve) => shares.map((share) => pointAt(curve, share)));
    expect(points.filter(({ x, y }) => x > label.left && x < label.right && y > label.top && y < label.bottom)).toEqual([]);
  }
  expect(places.size).toBe(layout.edges.length);
});

test('a label stands at its own edge, also at one that leads back', () => {
  const layout = layOutMap([node('a'), node('b')], [edge('a', 'b'), edge('b', 'a')]);
  const places = placeLabels(
    layout,
    layout.edges.map((placed) => ({ placed, text: '3/s' })),
  );
  for (const placed of layout.edges) {
    const path = pathOf(curvesOf(placed));
    expect(path).toMatch(/^M[\d.]+ [\d.]+(C[-\d. ]+)+$/);
    expect(places.has(placed)).toBe(true);
  }
  expect(new Set([...places.values()].map(({ y }) => y)).size).toBe(2);
});
