import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { RELEASE_ALGORITHM, RELEASE_BOUNDS, ReleaseSignature } from './release-feed.ts';

/** Signing and checking the bytes of a release feed. Nothing here parses the feed: that comes after a true `isReleaseSigned`. */

/** A pinned or configured public key: SubjectPublicKeyInfo in DER as base64. Throws on what is no P-256 public key. */
export function readReleaseKey(spki: string): KeyObject {
  const key = createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' });
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error('A release key is an ECDSA key on P-256.');
  return key;
}

/** Base64url SHA-256 of the key's SubjectPublicKeyInfo. */
export const releaseKeyId = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('base64url');

/** The text of `<feed>.sig`. `pem` is a PKCS #8 private key on P-256. */
export function signRelease(bytes: Uint8Array, pem: string): string {
  const key = createPrivateKey(pem);
  const keyId = releaseKeyId(readReleaseKey(createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64')));
  const signature = sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  return JSON.stringify({ alg: RELEASE_ALGORITHM, keyId, signature } satisfies ReleaseSignature);
}

/** True only where one of `keys` signed exactly these bytes; false for everything else, whatever is in either. Never throws. */
export function isReleaseSigned(bytes: Uint8Array, signatureFile: Uint8Array, keys: readonly KeyObject[]): boolean {
  if (bytes.byteLength > RELEASE_BOUNDS.feedBytes || signatureFile.byteLength > RELEASE_BOUNDS.signatureBytes) return false;
  try {
    const { keyId, signature } = ReleaseSignature.parse(JSON.parse(Buffer.from(signatureFile).toString('utf8')));
    const key = keys.find((one) => releaseKeyId(one) === keyId);
    return key !== undefined && verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
