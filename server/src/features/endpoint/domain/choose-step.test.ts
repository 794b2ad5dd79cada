import { expect, test } from 'vitest';
import { chooseStep } from './choose-step.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 500 * DAY;

test.each([
  ['a minute is shown by the second', 60_000, 1000],
  ['a day by whole seconds', DAY, 288_000],
  ['a week below the hour', 7 * DAY, 2_016_000],
  ['a fortnight by whole hours', 14 * DAY, 2 * HOUR],
  ['13 months by whole hours', 396 * DAY, 32 * HOUR],
])('%s', (_, length, step) => {
  expect(chooseStep({ fromMs: NOW - length, toMs: NOW }, 300, NOW)).toBe(step);
});

test('a short window that samples no longer reach is shown by the hour', () => {
  expect(chooseStep({ fromMs: NOW - 40 * DAY, toMs: NOW - 39 * DAY }, 300, NOW)).toBe(HOUR);
});
