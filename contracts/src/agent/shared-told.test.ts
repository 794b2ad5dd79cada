import { expect, it } from 'vitest';
import { decodeShared, encodeShared } from './shared-told.ts';

it('is read as it was written, and as nothing where nothing is shared', () => {
  const shared = { cause: 'wifi', others: 8, sinceMs: 1_795_000_000_000 } as const;
  expect(decodeShared(encodeShared(shared))).toEqual(shared);
  expect(decodeShared(encodeShared(null))).toBeNull();
});

it.each([
  '',
  'no JSON',
  'null',
  '[]',
  '{"cause":"moon","others":8}',
  '{"cause":"wifi","others":2}',
  '{"cause":"wifi","others":"8"}',
])('says nothing of %j', (text) => {
  expect(decodeShared(text)).toBeNull();
});

it.each([9e15, 8.64e15 + 1, 2e12, 1.5, -1, '1e12'])('does not say since %j, which nothing can show as a time', (sinceMs) => {
  const text = JSON.stringify({ cause: 'wifi', others: 8, sinceMs });
  expect(decodeShared(text, Date.parse('2026-11-25'))).toEqual({ cause: 'wifi', others: 8, sinceMs: null });
});

it('takes a time from a control plane whose clock is ahead of this device', () => {
  const nowMs = Date.parse('2026-11-25');
  const text = encodeShared({ cause: 'wifi', others: 8, sinceMs: nowMs + 3_600_000 });
  expect(decodeShared(text, nowMs)?.sinceMs).toBe(nowMs + 3_600_000);
});
