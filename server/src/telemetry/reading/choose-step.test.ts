import { expect, test } from 'vitest';
import { chooseStepMs } from './choose-step.ts';

const HOUR = 3_600_000;

test('takes the shortest round step that gives no more than was asked for', () => {
  expect(chooseStepMs(24 * HOUR, 300)).toBe(5 * 60_000);
  expect(chooseStepMs(HOUR, 300)).toBe(15_000);
  expect(chooseStepMs(2 * HOUR, 120)).toBe(60_000);
  expect(chooseStepMs(1, 300)).toBe(10);
});

test('takes whole days beyond its longest', () => {
  expect(chooseStepMs(100 * 24 * HOUR, 30)).toBe(4 * 24 * HOUR);
});
