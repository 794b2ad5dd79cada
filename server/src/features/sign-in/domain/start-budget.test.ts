import { expect, test } from 'vitest';
import { createStartBudget } from './start-budget.ts';

function open(most = 100) {
  let now = 1000;
  const budget = createStartBudget({ nowMs: () => now, most });
  const takeMany = (sites: readonly string[]) => sites.filter((site) => budget.take(site) === 0).length;
  const wait = (ms: number): void => {
    now += ms;
  };
  return { budget, takeMany, wait };
}
const sites = (length: number) => Array.from({ length }, (_, n) => `site-${n}`);

test('all sites together begin so many a minute, and as many again the next', () => {
  const { budget, takeMany, wait } = open();
  expect(takeMany(Array.from({ length: 500 }, () => 'loud'))).toBe(100);
  wait(20_000);
  expect(budget.take('loud')).toBe(40_000);
  wait(40_000);
  expect(budget.take('loud')).toBe(0);
});

test('a site that took little begins although others took all there is', () => {
  const { budget, takeMany } = open();
  takeMany(Array.from({ length: 500 }, (_, n) => `loud-${n % 4}`));
  expect(budget.take('quiet')).toBe(0);
  expect(budget.take('loud-1')).toBeGreaterThan(0);
});

test('however many sites there are, they begin no more than twice as many', () => {
  const { takeMany } = open();
  expect(takeMany(sites(10_000))).toBeLessThanOrEqual(200);
});

test('a site from which somebody signed in begins although strangers of more sites than there is room for took theirs', () => {
  const { budget, takeMany } = open();
  budget.know('office');
  takeMany(sites(10_000));
  expect(takeMany(Array.from({ length: 50 }, () => 'office'))).toBe(50);
});

test('a clock that was set back locks nobody out', () => {
  const { budget, takeMany, wait } = open();
  takeMany(Array.from({ length: 100 }, () => 'loud'));
  wait(-3_600_000);
  expect(budget.take('loud')).toBe(0);
});
