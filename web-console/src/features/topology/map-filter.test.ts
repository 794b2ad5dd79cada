import { expect, test } from 'vitest';
import type { MapEdge, MapNode, Topology } from '../../api-types.ts';
import { filterMap } from './map-filter.ts';
import { decodeMapSearch } from './map-search.ts';

const measures = { calls: 100, rate: 1, p50_ms: 1, p95_ms: 1 };
const node = (name: string, errors = 0): MapNode => ({
  ...{ ...measures, id: name, name, kind: 'service', errors, error_ratio: errors / 100, bytes_in: 0, bytes_out: 0 },
});
const edge = (source: string, target: string, errors = 0): MapEdge => ({
  ...{ ...measures, source, target, kind: 'call', errors, error_ratio: errors / 100, bytes: 0 },
});
const map: Topology = {
  ...{ from: '', to: '', computed_to: null, spans: 1, gaps: [] },
  nodes: [node('web'), node('Cart'), node('cart-db'), node('payment', 9), node('bank.example', 9), node('mail')],
  edges: [edge('web', 'Cart'), edge('Cart', 'cart-db'), edge('web', 'payment', 9), edge('payment', 'bank.example', 9)],
};
const namesOf = ({ nodes, edges }: Topology): string[][] => [
  nodes.map(({ name }) => name),
  edges.map(({ source, target }) => `${source} ${target}`),
];

test('a text shows whom it names, whatever the case, and their neighbours', () => {
  expect(namesOf(filterMap(map, { find: ' CART ' }))).toEqual([
    ['web', 'Cart', 'cart-db'],
    ['web Cart', 'Cart cart-db'],
  ]);
  expect(namesOf(filterMap(map, { find: 'mail' }))).toEqual([['mail'], []]);
  expect(namesOf(filterMap(map, { find: 'nobody' }))).toEqual([[], []]);
});

test('failing alone shows failing connections with both their ends', () => {
  expect(namesOf(filterMap(map, { only: 'failing' }))).toEqual([
    ['web', 'payment', 'bank.example'],
    ['web payment', 'payment bank.example'],
  ]);
  expect(namesOf(filterMap(map, { find: 'bank', only: 'failing' }))[1]).toEqual(['payment bank.example']);
  expect(namesOf(filterMap(map, { find: 'mail', only: 'failing' }))).toEqual([[], []]);
});

test('without a filter the map is the same object', () => {
  expect(filterMap(map, {})).toBe(map);
});

test('the address carries the filter, and nothing that nobody could have chosen', () => {
  expect(decodeMapSearch({ find: 'cart db', only: 'failing' })).toEqual({ find: 'cart db', only: 'failing' });
  expect(decodeMapSearch({ find: ' ', only: 'slow' })).toEqual({});
  expect(decodeMapSearch({ find: 'x'.repeat(500) }).find).toHaveLength(200);
});
