import { expect, test } from 'vitest';
import { findPasswordFault, isSameAddress, normaliseEmail } from './password-rules.ts';

test('a password has 12 characters, counted as people see them', () => {
  expect(findPasswordFault('short', 'ann@x.test')).toMatch('at least 12');
  expect(findPasswordFault('correct horse', 'ann@x.test')).toBeUndefined();
  expect(findPasswordFault('🐎🐎🐎🐎🐎🐎', 'ann@x.test')).toMatch('at least 12');
  expect(findPasswordFault('x'.repeat(300), 'ann@x.test')).toMatch('at most');
});

test('repetition and the own address are refused', () => {
  expect(findPasswordFault('aaaaaaaaaaaaab', 'ann@x.test')).toMatch('different');
  expect(findPasswordFault('Annabel@Firm.test', 'annabel@firm.test')).toMatch('other than');
});

test('an address that only looks like another is the same one or none, and a long one is none', () => {
  expect(normaliseEmail('\uff41nn@x.test')).toBe('ann@x.test');
  expect(normaliseEmail('\u212aim@x.test')).toBe('kim@x.test');
  for (const hidden of ['\u200b', '\u200d', '\u202e', '\u00ad', '\ufeff\u2060', '\u0000', '\ud800'])
    expect(normaliseEmail(`an${hidden}n@x.test`)).toBeUndefined();
  for (const long of ['x'.repeat(65), 'x'.repeat(100_000)]) expect(normaliseEmail(`${long}@x.test`)).toBeUndefined();
});

test('two addresses are one when only the case of A to Z differs', () => {
  expect(isSameAddress('Ann@X.test', 'ann@x.test')).toBe(true);
  for (const [one, other] of [
    ['', ''],
    ['\u212aim@x.test', 'kim@x.test'],
    ['\u0130nes@x.test', 'ines@x.test'],
    ['ann@x.test ', 'ann@x.test'],
  ])
    expect(isSameAddress(one ?? '', other ?? '')).toBe(false);
});

test('an e-mail address is trimmed and lower-cased, and what is none is refused', () => {
  expect(normaliseEmail(' Ann@X.test ')).toBe('ann@x.test');
  for (const bad of ['', 'ann', '@x', 'a b@x.test', 'a@b@c', '<a@b>']) expect(normaliseEmail(bad)).toBeUndefined();
});
