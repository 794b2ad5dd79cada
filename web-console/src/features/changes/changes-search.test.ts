import { expect, it } from 'vitest';
import { countFilters, isNetwork, queryOf } from './changes-query.ts';
import { decodeChangesSearch } from './changes-search.ts';

it('keeps what it knows of an address, and asks the server the same', () => {
  const search = decodeChangesSearch({
    text: 'shop',
    kind: ['deploy', 'party'],
    prefix: '10.0.0.0/8',
    untargeted: 'yes',
    range: '24h',
    other: 1,
  });
  expect(search).toEqual({ text: 'shop', kind: ['deploy'], prefix: '10.0.0.0/8', range: '24h' });
  expect(queryOf(search)).toEqual({ search: 'shop', kind: ['deploy'], prefix: '10.0.0.0/8' });
  expect(countFilters(search)).toBe(3);
});

it('asks for no network that is none', () => {
  expect(['10.0.0.0/8', '2001:db8::1', '203.0.113.9'].map(isNetwork)).toEqual([true, true, true]);
  expect(['shop', '10', '', '10.0.0.0/', 'a.b'].map(isNetwork)).toEqual([false, false, false, false, true]);
  expect(queryOf({ prefix: 'shop' })).toEqual({});
});
