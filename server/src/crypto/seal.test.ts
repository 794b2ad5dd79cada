import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSealer } from './seal.ts';

const key = randomBytes(32);
const sealer = createSealer(key);

test('what was sealed opens in its own context only', () => {
  const sealed = sealer.seal('geheim', 'agent-ca/tenant-a');
  expect(sealer.open(sealed, 'agent-ca/tenant-a').toString('utf8')).toBe('geheim');
  expect(sealed.includes('geheim')).toBe(false);
  expect(() => sealer.open(sealed, 'agent-ca/tenant-b')).toThrow(/changed or belongs elsewhere/);
});

test('every changed byte is noticed', () => {
  const sealed = sealer.seal('x', 'c');
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 0x40;
    expect(() => sealer.open(changed, 'c'), `byte ${index}`).toThrow();
  }
  for (let length = 0; length < sealed.length; length += 1) expect(() => sealer.open(sealed.subarray(0, length), 'c')).toThrow();
});

test('the same text sealed twice differs', () => {
  expect(sealer.seal('x', 'c').equals(sealer.seal('x', 'c'))).toBe(false);
});

test('another key is named as the reason, and an older key still opens after rotation', () => {
  const sealed = sealer.seal('x', 'c');
  const next = randomBytes(32);
  expect(() => createSealer(next).open(sealed, 'c')).toThrow(/SVC_ENVELOPE_KEY/);
  expect(createSealer(next, [key]).open(sealed, 'c').toString()).toBe('x');
  expect(createSealer(next, [key]).keyId).not.toBe(sealer.keyId);
});

test('a key of another size is refused', () => {
  expect(() => createSealer(randomBytes(16))).toThrow(/32 bytes/);
});
