import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readReleaseKey } from '@svc/contracts/releases/release-signature';
import { z } from 'zod';

/** What the package pins: written beside main.cjs when it is built, inside the archive whose integrity Electron checks. */
export const RELEASE_PINS_FILE = 'release-pins.json';

const Pins = z.strictObject({
  /** SubjectPublicKeyInfo of P-256 keys, DER as base64. Empty: this build neither updates itself nor tells of a newer version. */
  keys: z.array(z.string().refine((key) => isKey(key), 'is no P-256 public key')).max(4),
  /** Unix milliseconds. */
  builtAtMs: z.int().nonnegative(),
});
export type ReleasePins = z.infer<typeof Pins>;

function isKey(spki: string): boolean {
  try {
    return readReleaseKey(spki) !== undefined;
  } catch {
    return false;
  }
}

/** The pins of the program in `folder`; none where it was built without. Throws where the file is there and is damaged. */
export async function readReleasePins(folder: string): Promise<ReleasePins> {
  let text: string;
  try {
    text = await readFile(join(folder, RELEASE_PINS_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { keys: [], builtAtMs: 0 };
    throw error;
  }
  return Pins.parse(JSON.parse(text));
}
