import { createCipheriv, createPublicKey, diffieHellman, generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto';
import { SEALED_SECRET } from '@svc/contracts/tests/sealed-secret';

/**
 * Seals a value so that only the holder of a P-256 key can open it, with an `info` that must be the same there (contracts/src/tests/sealed-secret.ts has
 * the form). `spki` is the public key, DER.
 */
export function sealToKey(spki: Uint8Array, value: string, info: string): Buffer {
  const recipient = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  // The last 65 bytes of a P-256 SubjectPublicKeyInfo are its uncompressed point.
  const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-SEALED_SECRET.pointBytes);
  const shared = diffieHellman({ privateKey, publicKey: recipient });
  const key = Buffer.from(hkdfSync('sha256', shared, point, info, 32));
  const nonce = randomBytes(SEALED_SECRET.nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const header = Buffer.concat([Buffer.from([SEALED_SECRET.version]), point]);
  cipher.setAAD(header);
  return Buffer.concat([header, nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}
