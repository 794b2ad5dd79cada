import { expect, test } from 'vitest';
import { isSignedBy, newSigningKey, publicKeyOf, signText } from './signing.ts';

test('a signature holds for its text and its key alone', () => {
  const key = newSigningKey();
  const signature = signText(key, 'text');
  expect(isSignedBy(publicKeyOf(key), 'text', signature)).toBe(true);
  expect(isSignedBy(publicKeyOf(key), 'Text', signature)).toBe(false);
  expect(isSignedBy(publicKeyOf(newSigningKey()), 'text', signature)).toBe(false);
});

test('a changed signature, or bytes that are none, do not hold', () => {
  const key = newSigningKey();
  const signature = signText(key, 'text');
  expect(signature).toHaveLength(64);
  const changed = Buffer.from(signature);
  changed[10] = (changed[10] ?? 0) ^ 1;
  for (const wrong of [changed, Buffer.alloc(0), Buffer.from('not a signature')])
    expect(isSignedBy(publicKeyOf(key), 'text', wrong)).toBe(false);
});
