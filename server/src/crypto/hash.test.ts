import { expect, test } from 'vitest';
import { constantTimeEqual, deriveKey, fromBase64Url, randomToken, sha256Hex, toBase64Url } from './hash.ts';
import { runCryptoSelfTest } from './self-test.ts';

test('the self-test passes here, and refuses when FIPS is asked for without a provider', async () => {
  await runCryptoSelfTest();
  await expect(runCryptoSelfTest({ fips: true })).rejects.toThrow(/FIPS was asked for and is off/);
});

test('comparison takes secrets of any length', () => {
  expect(constantTimeEqual('abc', Buffer.from('abc'))).toBe(true);
  expect(constantTimeEqual('abc', 'abcd')).toBe(false);
  expect(constantTimeEqual('', '')).toBe(true);
});

test('tokens are base64url and do not repeat', () => {
  const tokens = new Set(Array.from({ length: 1000 }, () => randomToken()));
  expect(tokens.size).toBe(1000);
  for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/);
});

test('base64url is read strictly', () => {
  expect(fromBase64Url(toBase64Url(Buffer.from([255, 254])))).toEqual(Buffer.from([255, 254]));
  for (const wrong of ['a', 'YQ==', 'Y+8', 'Y Q', 'YR']) expect(fromBase64Url(wrong), wrong).toBeUndefined();
});

test('keys of two purposes differ', () => {
  const key = Buffer.alloc(32, 1);
  expect(deriveKey(key, 'a').equals(deriveKey(key, 'b'))).toBe(false);
  expect(deriveKey(key, 'a')).toHaveLength(32);
  expect(sha256Hex('abc')).toHaveLength(64);
});
