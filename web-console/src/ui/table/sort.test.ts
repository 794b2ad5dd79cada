import { expect, it } from 'vitest';
import { toggleSort } from './sort.ts';

const click = { first: 'desc', add: false, most: 4 } as const;

it('turns round on a second click and lets go on a third', () => {
  const once = toggleSort([], { ...click, column: 'rtt' });
  const twice = toggleSort(once, { ...click, column: 'rtt' });
  expect([once, twice, toggleSort(twice, { ...click, column: 'rtt' })]).toEqual([
    [{ column: 'rtt', desc: true }],
    [{ column: 'rtt', desc: false }],
    [],
  ]);
});

it('adds with Shift, so many at most, and replaces without', () => {
  const many = ['name', 'site', 'os', 'owner'].map((column) => ({ column, desc: false }));
  expect(toggleSort(many, { column: 'verdict', first: 'asc', add: true, most: 4 })).toHaveLength(4);
  expect(toggleSort(many, { column: 'site', first: 'asc', add: false, most: 4 })).toEqual([{ column: 'site', desc: false }]);
});
