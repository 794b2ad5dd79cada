import { expect, test } from 'vitest';
import { findPasswordFault, normaliseEmail } from './password-rules.ts';

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

test('an e-mail address is trimmed and lower-cased, and what is none is refused', () => {
  expect(normaliseEmail(' Ann@X.test ')).toBe('ann@x.test');
  for (const bad of ['', 'ann', '@x', 'a b@x.test', 'a@b@c', '<a@b>']) expect(normaliseEmail(bad)).toBeUndefined();
});
