import { expect, test } from 'vitest';
import { hashPassword, PASSWORD_MAX_LENGTH, verifyPassword } from './password.ts';

test('a password matches its own hash only, whatever its Unicode form', async () => {
  const stored = await hashPassword('Stra\u00dfe \u00fc');
  expect(stored).toMatch(/^pbkdf2-sha256\$600000\$[\w-]{22}\$[\w-]{43}$/);
  expect(await verifyPassword('Stra\u00dfe u\u0308', stored)).toEqual({ ok: true, rehash: false });
  expect(await verifyPassword('Strasse \u00fc', stored)).toEqual({ ok: false, rehash: false });
});

test('a weaker count still verifies and asks to be hashed anew', async () => {
  const weak = 'pbkdf2-sha256$1000$c2FsdHNhbHRzYWx0c2FsdA$';
  const { pbkdf2Sync } = await import('node:crypto');
  const hash = pbkdf2Sync('pw', Buffer.from('c2FsdHNhbHRzYWx0c2FsdA', 'base64url'), 1000, 32, 'sha256').toString('base64url');
  expect(await verifyPassword('pw', weak + hash)).toEqual({ ok: true, rehash: true });
});

test('an unknown account, an unknown algorithm and an absurd count never match', async () => {
  for (const stored of [
    undefined,
    '',
    'x',
    'argon2$1$a$b',
    `pbkdf2-sha256$99999999999$AAAA$${'A'.repeat(43)}`,
    'pbkdf2-sha256$0$AA$AA',
  ])
    expect(await verifyPassword('', stored)).toEqual({ ok: false, rehash: false });
});

test('an endless password costs nothing', async () => {
  const long = 'x'.repeat(PASSWORD_MAX_LENGTH + 1);
  await expect(hashPassword(long)).rejects.toThrow(RangeError);
  expect(await verifyPassword(long, undefined)).toEqual({ ok: false, rehash: false });
});
