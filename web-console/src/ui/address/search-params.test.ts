import { expect, it } from 'vitest';
import { listOf, membersOf, numberOf, parseSearch, stringifySearch } from './search-params.ts';

it('keeps every value through the address bar, commas, ampersands and plus signs included', () => {
  const search = { site: ['Lisbon, floor 3', 'A&B + C'], search: 'x=1', page: 2 };
  expect(parseSearch(stringifySearch(search).slice(1))).toEqual({
    site: ['Lisbon, floor 3', 'A&B + C'],
    search: 'x=1',
    page: '2',
  });
});

it('leaves no trace of what is not set', () => {
  expect(stringifySearch({ a: undefined, b: '', c: [], d: null })).toBe('');
});

it('takes one value as a list of one and bounds a long list', () => {
  expect(listOf('Toulouse')).toEqual(['Toulouse']);
  expect(listOf(Array.from({ length: 80 }, (_, index) => `s${index}`))).toHaveLength(50);
  expect(listOf(['a', 'a', ''])).toEqual(['a']);
});

it('drops what is outside its bounds or its list', () => {
  expect(numberOf('7', [1, 5])).toBeUndefined();
  expect(numberOf('abc', [1, 5])).toBeUndefined();
  expect(numberOf('-75', [-120, 0])).toBe(-75);
  expect(membersOf(['wifi', 'nonsense'], ['wifi', 'isp'])).toEqual(['wifi']);
  expect(membersOf('nonsense', ['wifi'])).toBeUndefined();
});
