import { expect, test } from 'vitest';
import { formatNs, parseNs } from './instants.ts';

test('keeps nanoseconds, whichever zone they were written in', () => {
  expect(parseNs('2026-11-21T10:00:00.123456789Z')).toBe(1_795_255_200_123_456_789n);
  expect(parseNs('2026-11-21T11:00:00.123456789+01:00')).toBe(1_795_255_200_123_456_789n);
  expect(parseNs('2026-11-21T10:00:00Z')).toBe(1_795_255_200_000_000_000n);
  expect(parseNs('2026-11-21T10:00:00.5Z')).toBe(1_795_255_200_500_000_000n);
  expect(formatNs(1_795_255_200_000_000_001n)).toBe('2026-11-21T10:00:00.000000001Z');
  for (const ns of [0n, 1n, 999_999_999n, 1_795_255_200_123_456_789n]) expect(parseNs(formatNs(ns))).toBe(ns);
});
