import { generateKeyPairSync } from 'node:crypto';
import { sealedSecretInfo } from '@svc/contracts/tests/sealed-secret';
import { openSecret } from '@svc/runner/remote/open-secret';
import { expect, it } from 'vitest';
import { sealToKey } from './seal-to-key.ts';

const makeKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { pem, spki: publicKey.export({ type: 'spki', format: 'der' }) };
};
const info = sealedSecretInfo({ tenant: 'acme', runnerId: 'r', name: 'key' });

it('is opened by the key that it was sealed to and by no other, for the same tenant, runner and name alone', () => {
  const [own, other] = [makeKey(), makeKey()];
  const sealed = sealToKey(own.spki, 'öpen sesame', info);
  expect(openSecret(own.pem, sealed, info)).toBe('öpen sesame');
  expect(sealed.toString('latin1')).not.toContain('sesame');
  expect(() => openSecret(other.pem, sealed, info)).toThrow();
  expect(() => openSecret(own.pem, sealed, sealedSecretInfo({ tenant: 'other', runnerId: 'r', name: 'key' }))).toThrow();
  for (let at = 0; at < sealed.length; at += 7) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => openSecret(own.pem, changed, info)).toThrow();
  }
  expect(sealToKey(own.spki, 'öpen sesame', info).equals(sealed)).toBe(false);
  expect(() => openSecret(own.pem, sealed.subarray(0, 50), info)).toThrow();
});
