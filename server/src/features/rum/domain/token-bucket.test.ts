import { expect, test } from 'vitest';
import { createTokenBucket } from './token-bucket.ts';

test('a minute’s worth may come at once, then it refills evenly', () => {
  const bucket = createTokenBucket();
  for (let i = 0; i < 300; i++) expect(bucket.take(300, 1000)).toBe(0);
  expect(bucket.take(300, 1000)).toBe(200);
  expect(bucket.take(300, 1199)).toBeGreaterThan(0);
  expect(bucket.take(300, 1200)).toBe(0);
  // Never more than a minute's worth, however long it was quiet.
  for (let i = 0; i < 300; i++) expect(bucket.take(300, 10_000_000)).toBe(0);
  expect(bucket.take(300, 10_000_000)).toBeGreaterThan(0);
});

test('a bound that is lowered holds at once, and 0 is none', () => {
  const bucket = createTokenBucket();
  expect(bucket.take(300, 0)).toBe(0);
  expect(bucket.take(1, 0)).toBe(0);
  expect(bucket.take(1, 0)).toBe(60_000);
  for (let i = 0; i < 1000; i++) expect(bucket.take(0, 0)).toBe(0);
});

test('a clock that goes back gives nothing', () => {
  const bucket = createTokenBucket();
  bucket.take(1, 50_000);
  expect(bucket.take(1, 10_000)).toBe(60_000);
});
