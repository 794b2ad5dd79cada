import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findInstalledBy, type InstalledBy } from './installed-by.ts';

/** How this program came here, and when it was last changed; Unix milliseconds. */
export interface Installation {
  by: InstalledBy;
  lastUpdateMs: number | null;
}

export interface InstalledProgram {
  /** The file that runs. */
  path: string;
  appImage: string | undefined;
  /** Its organisation's software puts newer versions in place. */
  isManaged: boolean;
}

const SETUP = join('scripts', 'setup.js');

/** Our own set-up lies somewhere above. */
async function isInCheckout(folder: string): Promise<boolean> {
  const found = await stat(join(folder, SETUP)).catch(() => undefined);
  if (found?.isFile()) return true;
  return dirname(folder) !== folder && (await isInCheckout(dirname(folder)));
}

/** Who puts newer versions of this program in place, and since when this one stands there; a checkout has neither. */
export async function readInstallation({ path, appImage, isManaged }: InstalledProgram): Promise<Installation> {
  const inCheckout = await isInCheckout(dirname(path));
  const { platform, execPath } = process;
  const by = await findInstalledBy({ platform, isPackaged: !inCheckout, execPath, appImage, isManaged });
  if (by === 'checkout') return { by, lastUpdateMs: null };
  const written = await stat(path).catch(() => undefined);
  return { by, lastUpdateMs: written ? Math.round(written.ctimeMs) : null };
}
