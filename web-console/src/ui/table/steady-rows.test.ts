import { expect, it } from 'vitest';
import { holdOrder } from './steady-rows.ts';

const row = (id: string, name: string) => ({ id, name });

it('renews values without moving a row while the table is held', () => {
  const before = [row('a', 'one'), row('b', 'two'), row('c', 'three')];
  const next = [row('c', 'THREE'), row('a', 'ONE'), row('d', 'four')];
  expect(holdOrder(before, next).map((item) => item.name)).toEqual(['ONE', 'two', 'THREE']);
});
