import { expect, it } from 'vitest';
import { createRateCounter } from './rate-counter.ts';

it('counts weights over a sliding window and refuses without counting', () => {
  let now = 0;
  const counter = createRateCounter({ max: 10, windowMs: 1000 }, () => now);
  expect(counter.take('a', 8)).toBe(0);
  expect(counter.take('a', 3)).toBeGreaterThan(0);
  expect(counter.take('a', 2)).toBe(0);
  expect(counter.take('b')).toBe(0);
  now = 1000;
  // All of the window before still counts.
  const wait = counter.take('a', 5);
  expect(wait).toBe(500);
  now += wait;
  expect(counter.take('a', 5)).toBe(0);
  now = 5000;
  expect(counter.take('a', 10)).toBe(0);
});

it('gives nobody a fresh budget because of a hundred thousand other keys, and takes none from a newcomer', () => {
  const counter = createRateCounter({ max: 100, windowMs: 60_000 }, () => 0);
  expect(counter.take('attacker', 100)).toBe(0);
  for (let i = 0; i < 100_000; i += 1) counter.take(`address ${i}`);
  expect(counter.take('attacker')).toBeGreaterThan(0);
  expect(counter.take('newcomer', 50)).toBe(0);
});
