import { expect, test } from 'vitest';
import { createAttemptLimit } from './attempt-limit.ts';

test('the eleventh attempt within a minute waits until the first is a minute old', () => {
  const limit = createAttemptLimit({ max: 10, windowMs: 60_000 });
  for (let n = 0; n < 10; n++) expect(limit.count('a', n * 1000)).toBe(0);
  expect(limit.count('a', 20_000)).toBe(40);
  expect(limit.count('b', 20_000)).toBe(0);
  expect(limit.count('a', 60_001)).toBe(0);
  expect(limit.count('a', 60_002)).toBe(1);
});
