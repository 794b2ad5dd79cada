import { expect, test } from 'vitest';
import { parseSearch, stringifySearch } from '../../ui/address/search-params.ts';
import { countFilters, decodeTracesSearch, filterOf, type TracesSearch, toggled, windowOf } from './traces-search.ts';

const SEARCH: TracesSearch = {
  service: ['web', 'orders & co'],
  status: ['error'],
  min_ms: 250,
  attribute: ['http.route=/a?b=c', '!user.id'],
  from: '2026-11-21T10:00:00.000Z',
  to: '2026-11-21T11:00:00.000Z',
  sort: 'duration',
  view: 'spans',
};

test('a link holds everything', () => {
  expect(decodeTracesSearch(parseSearch(stringifySearch({ ...SEARCH })))).toEqual(SEARCH);
});

test('what a link cannot mean is dropped', () => {
  const raw = {
    status: ['bad', 'ok'],
    min_ms: '-1',
    range: '3y',
    from: '2026-11-21T11:00:00Z',
    to: '2026-11-21T10:00:00Z',
    sort: 'x',
  };
  expect(decodeTracesSearch(raw)).toEqual({ status: ['ok'] });
  expect(decodeTracesSearch({ attribute: ['!', '=x', 'a>b', 'a=~b', 'a=b'], service: 's'.repeat(257) })).toEqual({
    attribute: ['a=b'],
  });
});

test('counts what is asked of a span', () => {
  expect(countFilters(SEARCH)).toBe(5);
  expect(filterOf({ range: '6h', sort: 'duration' })).toEqual({});
});

test('the window is the one of the link, else the range up to now', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  expect(windowOf(SEARCH, now)).toEqual({ from: SEARCH.from, to: SEARCH.to });
  expect(windowOf({ range: '15m' }, now)).toEqual({ from: '2026-11-21T11:45:00.000Z', to: '2026-11-21T12:00:00.000Z' });
});

test('a value is added once and taken away again', () => {
  expect(toggled(undefined, 'a')).toEqual(['a']);
  expect(toggled(['a', 'b'], 'a')).toEqual(['b']);
  expect(toggled(['a'], 'a')).toBeUndefined();
});
