import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';

/** A private key for signatures (ECDSA P-256 with SHA-256), PKCS #8 in DER. Whoever keeps it seals it. */
export const newSigningKey = (): Buffer =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'der', type: 'pkcs8' });

/** 64 bytes, r and s. */
export const signText = (pkcs8: Uint8Array, text: string): Buffer =>
  sign('sha256', Buffer.from(text, 'utf8'), {
    key: createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' }),
    dsaEncoding: 'ieee-p1363',
  });

/** SubjectPublicKeyInfo in DER, for whoever checks a signature elsewhere. */
export const publicKeyOf = (pkcs8: Uint8Array): Buffer =>
  createPublicKey(createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' })).export({
    format: 'der',
    type: 'spki',
  });

/** False for a changed text, a changed signature and one that is none. */
export const isSignedBy = (spki: Uint8Array, text: string, signature: Uint8Array): boolean =>
  verify(
    'sha256',
    Buffer.from(text, 'utf8'),
    { key: createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' }), dsaEncoding: 'ieee-p1363' },
    signature,
  );
