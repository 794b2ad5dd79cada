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
