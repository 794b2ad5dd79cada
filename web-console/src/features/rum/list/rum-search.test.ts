import { expect, it } from 'vitest';
import { countFilters, nextSort, sortOf, toQuery } from './rum-query.ts';
import { decodeRumSearch } from './rum-search.ts';

it('keeps of an address what the page knows, and drops the rest', () => {
  expect(decodeRumSearch({ search: 'shop', show: 'hurt', sort: '-views', other: '1' })).toEqual({
    ...{ search: 'shop', show: 'hurt', sort: '-views' },
  });
  expect(decodeRumSearch({ show: 'nothing', sort: 'constructor' })).toEqual({});
  expect(decodeRumSearch({ sort: 'verdict' })).toEqual({});
});

it('asks for the verdicts of a choice, the worst first where nothing else is said', () => {
  expect(toQuery({})).toEqual({ sort: 'verdict', descending: false });
  expect(toQuery({ show: 'unjudged', sort: '-p75_lcp' })).toEqual({
    ...{ state: ['too_few', 'quiet', 'waiting'], sort: 'p75_lcp', descending: true },
  });
  expect(countFilters({ search: 'x', show: 'healthy', sort: 'app' })).toBe(2);
});

it('sorts by a head that is clicked: trouble first, then the other way, then as usual', () => {
  expect(nextSort({}, 'views')).toBe('-views');
  expect(nextSort({ sort: '-views' }, 'views')).toBe('views');
  expect(nextSort({ sort: 'views' }, 'views')).toBeUndefined();
  expect(nextSort({}, 'verdict')).toBe('-verdict');
  expect(nextSort({ sort: '-verdict' }, 'verdict')).toBeUndefined();
  expect(sortOf({ sort: '-verdict' })).toEqual({ column: 'verdict', descending: true });
});
