import { expect, test } from 'vitest';
import { groupMinutes } from './group-minutes.ts';

test('puts neighbours together, up to a length, and what lies apart alone', () => {
  expect(groupMinutes([])).toEqual([]);
  expect(groupMinutes([9, 3, 4, 100])).toEqual([[3, 4, 9], [100]]);
  const many = groupMinutes(Array.from({ length: 45 }, (_, i) => i));
  expect(many.map((group) => group.length)).toEqual([20, 20, 5]);
});
