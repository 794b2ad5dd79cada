import { expect, it } from 'vitest';
import { countWithin } from './count-within.ts';

const weigh = (bytes: number): number => bytes;

it('counts what fits, and one that is too heavy alone', () => {
  expect(countWithin([], weigh, 10)).toBe(0);
  expect(countWithin([4, 6, 1], weigh, 10)).toBe(2);
  expect(countWithin([4, 6], weigh, 10)).toBe(2);
  expect(countWithin([40, 1], weigh, 10)).toBe(1);
});
