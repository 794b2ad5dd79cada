import { createHash, getFips } from 'node:crypto';
import { AppError } from '#kernel';
import { hmacSha256, sha256Hex } from './hash.ts';
import { createSealer } from './seal.ts';
import { newKeys } from './x509.ts';

const SHA256_ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
/** RFC 4231, test case 2. */
const HMAC_JEFE = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';

const fail = (what: string, cause?: unknown): AppError =>
  new AppError('internal', `The cryptographic self-test failed: ${what}. The service does not start.`, { cause });

/**
 * Power-on self-test: known answers for what everything stands on, before anything uses it. When FIPS is asked for, MD5 must be
 * refused, because Node says "FIPS" also where no such provider is loaded. Throws AppError `internal`.
 */
export async function runCryptoSelfTest(options: { fips?: boolean } = {}): Promise<void> {
  try {
    if (sha256Hex('abc') !== SHA256_ABC) throw fail('SHA-256');
    if (hmacSha256('Jefe', 'what do ya want for nothing?').toString('hex') !== HMAC_JEFE) throw fail('HMAC');
    const sealer = createSealer(Buffer.alloc(32, 7));
    const sealed = sealer.seal('known text', 'self-test');
    if (sealer.open(sealed, 'self-test').toString('utf8') !== 'known text') throw fail('AES-256-GCM');
    sealed[sealed.length - 1] = (sealed[sealed.length - 1] ?? 0) ^ 1;
    if (opens(() => sealer.open(sealed, 'self-test'))) throw fail('AES-256-GCM accepts a changed value');
    await newKeys();
  } catch (error) {
    throw error instanceof AppError ? error : fail('a primitive is missing', error);
  }
  if (!options.fips) return;
  if (getFips() !== 1) throw fail('FIPS was asked for and is off');
  if (opens(() => createHash('md5').update('x').digest())) throw fail('FIPS was asked for, yet MD5 works');
}

function opens(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
