import { expect, it } from 'vitest';
import { gatherRows, refill } from './pace.ts';

const MINUTE_MS = 60_000;

it('a bucket fills by its rate and never beyond its burst', () => {
  const pace = { perMinute: 60, burst: 5 };
  expect(refill({ tokens: null, atMs: null }, pace, 0)).toBe(5);
  expect(refill({ tokens: 1, atMs: 0 }, pace, 2500)).toBe(3.5);
  expect(refill({ tokens: 1, atMs: 0 }, pace, MINUTE_MS)).toBe(5);
  expect(refill({ tokens: 1, atMs: 9000 }, pace, 0)).toBe(1);
});

it('beyond the calls that may be made opens are put together, and nothing else is', () => {
  const row = (id: number, verb = 'open', inDoubt = false) => ({ id, verb, in_doubt: inDoubt, state: 'waiting' });
  const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);
  const of = (rows: ReturnType<typeof row>[], calls: number, gathers: number) => {
    const { groups, left } = gatherRows(rows, { calls, gathers });
    return [groups.map(ids), ids(left)];
  };
  expect(of([row(1), row(2)], 2, 3)).toEqual([[[1], [2]], []]);
  expect(of([row(1), row(2), row(3)], 1, 1)).toEqual([[[1]], [2, 3]]);
  expect(of([row(1), row(2), row(3), row(4)], 1, 3)).toEqual([[[1, 2, 3]], [4]]);
  expect(of([row(1), row(2, 'resolve'), row(3), row(4, 'open', true)], 2, 3)).toEqual([[[2], [1, 3]], [4]]);
  expect(of([row(1, 'resolve'), row(2, 'resolve')], 1, 3)).toEqual([[[1]], [2]]);
});
