import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AppError } from '#kernel';
import { deriveKey, sha256 } from './hash.ts';

const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const OVERHEAD_BYTES = HEADER_BYTES + NONCE_BYTES + TAG_BYTES;

export interface Sealer {
  /** First bytes of every sealed value, hex: tells which key opens it. */
  keyId: string;
  /**
   * Encrypts for rest: version, key id, nonce, ciphertext, tag. `context` (for example `agent-ca/tenant-a`) is not stored but must
   * be the same at `open`, so that a sealed value cannot be moved to another row or tenant.
   */
  seal(plain: string | Uint8Array, context: string): Buffer;
  /** AppError `internal` when the value was changed, belongs to another context or was sealed by another key. */
  open(sealed: Uint8Array, context: string): Buffer;
}

interface SealKey {
  id: Buffer;
  key: Buffer;
}

function toSealKey(key: Uint8Array): SealKey {
  if (key.length !== 32) throw new AppError('internal', 'An envelope key has 32 bytes.');
  const derived = deriveKey(key, 'svc seal v1');
  return { id: sha256(derived).subarray(0, KEY_ID_BYTES), key: derived };
}

const additionalData = (header: Uint8Array, context: string): Buffer => Buffer.concat([header, Buffer.from(context, 'utf8')]);

/** AES-256-GCM with the first key; values of the older keys still open, so that a key can be rotated. */
export function createSealer(key: Uint8Array, olderKeys: readonly Uint8Array[] = []): Sealer {
  const current = toSealKey(key);
  const byId = new Map([...olderKeys.map(toSealKey), current].map((known) => [known.id.toString('hex'), known]));
  const header = Buffer.concat([Buffer.from([VERSION]), current.id]);
  return {
    keyId: current.id.toString('hex'),
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce);
      cipher.setAAD(additionalData(header, context));
      const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
      return Buffer.concat([header, nonce, body, cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, context) {
      if (sealed.length < OVERHEAD_BYTES || sealed[0] !== VERSION)
        throw new AppError('internal', 'Not a sealed value of a known version.');
      const bytes = Buffer.from(sealed);
      const known = byId.get(bytes.subarray(1, HEADER_BYTES).toString('hex'));
      if (!known)
        throw new AppError('internal', 'Sealed by another envelope key: SVC_ENVELOPE_KEY is not the one it was written with.');
      const decipher = createDecipheriv('aes-256-gcm', known.key, bytes.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(additionalData(bytes.subarray(0, HEADER_BYTES), context));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(HEADER_BYTES + NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
      } catch (error) {
        throw new AppError('internal', 'A sealed value was changed or belongs elsewhere.', { cause: error });
      }
    },
  };
}
