import { pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(pbkdf2);

/** PBKDF2, because scrypt and argon2 fail under FIPS; the count is OWASP's of 2023. */
const ALGORITHM = 'pbkdf2-sha256';
const ITERATIONS = 600_000;
const MAX_ITERATIONS = 10_000_000;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Longer input is refused before any work; in UTF-16 units. */
export const PASSWORD_MAX_LENGTH = 1024;

const normalise = (password: string): string => password.normalize('NFKC');

/** `pbkdf2-sha256$<iterations>$<salt>$<hash>`, base64url parts. Takes some 150 ms in the thread pool; only tests give a smaller count. */
export async function hashPassword(password: string, iterations = ITERATIONS): Promise<string> {
  if (password.length > PASSWORD_MAX_LENGTH) throw new RangeError('password too long');
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(normalise(password), salt, iterations, HASH_BYTES, 'sha256');
  return [ALGORITHM, iterations, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

const NO_HASH = `AAAAAAAAAAAAAAAAAAAAAA$${Buffer.alloc(HASH_BYTES).toString('base64url')}`;

/**
 * Whether the password is the stored one. Give undefined for an account that does not exist: it takes as long as a wrong password.
 * `rehash` says that the stored one is weaker than today's, so the caller may store a new hash.
 */
export async function verifyPassword(
  password: string,
  stored: string | undefined,
  today = ITERATIONS,
): Promise<{ ok: boolean; rehash: boolean }> {
  if (password.length > PASSWORD_MAX_LENGTH) return { ok: false, rehash: false };
  const [algorithm, count, salt, hash] = (stored ?? `${ALGORITHM}$${today}$${NO_HASH}`).split('$');
  const iterations = Number(count);
  const usable = algorithm === ALGORITHM && Number.isInteger(iterations) && iterations > 0 && iterations <= MAX_ITERATIONS;
  if (!usable || !salt || !hash) return { ok: false, rehash: false };
  const expected = Buffer.from(hash, 'base64url');
  if (expected.length !== HASH_BYTES) return { ok: false, rehash: false };
  const actual = await derive(normalise(password), Buffer.from(salt, 'base64url'), iterations, HASH_BYTES, 'sha256');
  const ok = timingSafeEqual(actual, expected) && stored !== undefined;
  return { ok, rehash: ok && iterations < today };
}
