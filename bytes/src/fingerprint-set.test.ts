import { expect, test } from 'vitest';
import { FingerprintSet, RecentFingerprints } from './fingerprint-set.ts';

test('holds what was added, once, also zero and while it grows', () => {
  const set = new FingerprintSet();
  expect(set.has(0, 0)).toBe(false);
  const numbers = Array.from({ length: 20_000 }, (_, i) => i);
  expect(numbers.every((i) => set.add(i, i * 7))).toBe(true);
  expect(numbers.some((i) => set.add(i, i * 7))).toBe(false);
  expect(set.size).toBe(20_000);
  expect(set.has(19_999, 19_999 * 7)).toBe(true);
  expect(set.has(19_999, 19_999 * 7 + 1)).toBe(false);
  expect(set.has(0, 5)).toBe(false);
  expect(set.add(0, 5)).toBe(true);
  expect(set.has(0, 5)).toBe(true);
});

test('forgets what was not asked for longest, and keeps what is in use', () => {
  const recent = new RecentFingerprints(100);
  recent.add(1, 1);
  for (let i = 1000; i < 1400; i++) {
    recent.add(i, i);
    expect(recent.has(1, 1)).toBe(true);
  }
  expect(recent.has(1000, 1000)).toBe(false);
  expect(recent.has(1399, 1399)).toBe(true);
});
