import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

export const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();

export const sha256Hex = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

export const hmacSha256 = (key: string | Uint8Array, data: string | Uint8Array): Buffer =>
  createHmac('sha256', key).update(data).digest();

/** Compares secrets without telling by time where they differ, also when their lengths do. */
export const constantTimeEqual = (a: string | Uint8Array, b: string | Uint8Array): boolean =>
  timingSafeEqual(sha256(a), sha256(b));

/** Unguessable text of `bytes` random bytes, base64url (32 bytes give 43 characters). */
export const randomToken = (bytes = 32): string => randomBytes(bytes).toString('base64url');

/** A key of 32 bytes for one purpose, out of the envelope key (HKDF-SHA256): no two uses share a key. */
export const deriveKey = (key: Uint8Array, purpose: string): Buffer => Buffer.from(hkdfSync('sha256', key, '', purpose, 32));

export const toBase64Url = (data: Uint8Array): string => Buffer.from(data).toString('base64url');

/** The bytes of strict base64url without padding; undefined for anything else. */
export function fromBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
