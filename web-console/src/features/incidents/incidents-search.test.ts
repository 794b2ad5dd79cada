import { expect, it } from 'vitest';
import { countFilters, decodeIncidentsSearch, queryOf, spanOf } from './incidents-search.ts';

it('knows what the address asks for and leaves the rest out', () => {
  const raw = { status: 'resolved', severity: 'critical', plane: 'rum', text: 94, sort: 'newest', page: '3' };
  const known = { status: 'resolved', severity: 'critical', plane: 'rum', text: '94', sort: 'newest' };
  expect(decodeIncidentsSearch(raw)).toEqual(known);
  expect(decodeIncidentsSearch({ status: 'closed', severity: 1, plane: null, text: '  ', sort: ['newest'] })).toEqual({});
});

it('asks for what is open where no state is named, and for every state by "all"', () => {
  expect(queryOf({})).toEqual({ sort: 'open_first', status: ['open', 'acknowledged'] });
  expect(queryOf({ status: 'all', plane: 'tests' })).toEqual({ sort: 'open_first', plane: ['tests'] });
  expect(queryOf({ status: 'unacknowledged' }).status).toEqual(['open']);
});

it('counts filters without the state', () => {
  expect(countFilters({ status: 'all' })).toBe(0);
  expect(countFilters({ status: 'all', text: 'shop', severity: 'info' })).toBe(2);
});

it('asks for a time only where one is chosen, up to now without an end', () => {
  const now = Date.parse('2026-11-26T15:00:00.000Z');
  const window = { from: '2026-11-26T14:00:00Z', to: '2026-11-26T14:10:00Z' };
  expect(decodeIncidentsSearch({ range: '6h', ...window })).toEqual({ range: '6h', ...window });
  expect(decodeIncidentsSearch({ range: '15m', from: window.to, to: window.from })).toEqual({});
  expect(spanOf({}, now)).toEqual({});
  expect(spanOf({ range: '6h' }, now)).toEqual({ from: '2026-11-26T09:00:00.000Z' });
  expect(spanOf({ range: '6h', ...window }, now)).toEqual(window);
  expect([countFilters({ range: '6h' }), countFilters({ ...window, plane: 'rum' }), countFilters({})]).toEqual([1, 2, 0]);
});
