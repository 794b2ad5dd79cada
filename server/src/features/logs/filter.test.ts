import { expect, test } from 'vitest';
import { LogFilter, windowOf } from './filter.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const HOUR = 3_600_000_000_000n;

test('a window is the last hour, at most 31 days, and never outside of what the store can hold', () => {
  const { from, to } = windowOf({}, NOW);
  expect(to - from).toBe(HOUR);
  const long = windowOf({ from: '1990-01-01T00:00:00Z' }, NOW);
  expect(long.to - long.from).toBe(31n * 24n * HOUR);
  const far = windowOf({ from: '2026-11-01T00:00:00Z', to: '9999-12-31T23:59:59Z' }, NOW);
  expect(far.to).toBeLessThan(2n ** 63n);
  expect(windowOf({ from: '0001-01-01T00:00:00Z', to: '1970-01-01T00:00:01Z' }, NOW)).toEqual({ from: 0n, to: 1_000_000_000n });
  expect(() => windowOf({ from: '2026-11-21T11:00:00Z', to: '2026-11-21T10:00:00Z' }, NOW)).toThrow('must end after it begins');
});

test.each(['a=b', 'a!=b', 'a', '!a', 'a=', 'a==', 'a=line\nbreak', 'ключ=значение'])(
  'takes the attribute test %j',
  (attribute) => {
    expect(LogFilter.safeParse({ attribute: [attribute] }).success).toBe(true);
  },
);

test.each(['', '=b', '!', '!a=b', ' a=b', `a=${'x'.repeat(5000)}`])('refuses %j', (attribute) => {
  expect(LogFilter.safeParse({ attribute: [attribute] }).success).toBe(false);
});
