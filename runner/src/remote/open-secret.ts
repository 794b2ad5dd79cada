import { createDecipheriv, createPrivateKey, createPublicKey, diffieHellman, hkdfSync } from 'node:crypto';
import { SEALED_SECRET } from '@svc/contracts/tests/sealed-secret';

const { version, pointBytes, nonceBytes, tagBytes } = SEALED_SECRET;
const OVERHEAD = 1 + pointBytes + nonceBytes + tagBytes;
/** SubjectPublicKeyInfo of a P-256 key up to its point. */
const SPKI_HEAD = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');

/** A value that was sealed to this key with the same `info`; throws for any other. */
export function openSecret(keyPem: string, sealed: Uint8Array, info: string): string {
  const bytes = Buffer.from(sealed);
  if (bytes.length < OVERHEAD || bytes[0] !== version) throw new Error('not a sealed secret of a known version');
  const point = bytes.subarray(1, 1 + pointBytes);
  const nonce = bytes.subarray(1 + pointBytes, 1 + pointBytes + nonceBytes);
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI_HEAD, point]), format: 'der', type: 'spki' });
  const shared = diffieHellman({ privateKey: createPrivateKey(keyPem), publicKey });
  const key = Buffer.from(hkdfSync('sha256', shared, point, info, 32));
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(bytes.subarray(0, 1 + pointBytes));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  const body = bytes.subarray(1 + pointBytes + nonceBytes, -tagBytes);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
}
