import { expect, it } from 'vitest';
import { nextDrawn } from './drawn-rows.ts';

const rows = Array.from({ length: 200 }, (_, i) => i);
const whole = { view: 'first', rows, count: Number.POSITIVE_INFINITY };

it('draws the rows of another view by and by, once they are there', () => {
  const asked = nextDrawn(whole, { view: 'second', rows });
  expect(asked.count).toBe(Number.POSITIVE_INFINITY);
  expect(nextDrawn(asked, { view: 'answered', rows: [...rows] }).count).toBe(30);
});

it('draws new values of the same view as far as the old ones were, and the first answer whole', () => {
  expect(nextDrawn(whole, { view: 'first', rows: [...rows] }).count).toBe(Number.POSITIVE_INFINITY);
  expect(nextDrawn({ ...whole, count: 100 }, { view: 'first', rows: [...rows] }).count).toBe(100);
  expect(nextDrawn({ ...whole, rows: undefined }, { view: 'second', rows }).count).toBe(Number.POSITIVE_INFINITY);
  expect(nextDrawn(whole, { view: 'first', rows })).toBe(whole);
});
