import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

const tryMkdir = (path: string): Promise<string | undefined> =>
  mkdir(path, { mode: 0o700 }).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return undefined;
      if (error.code === 'ENOENT') return 'no parent';
      throw error;
    },
  );

/** Makes a directory (0700) and those above it. Node's own recursive mkdir never returns below /proc (24.21): this throws ENOENT. */
export async function makeDirectory(path: string): Promise<void> {
  if ((await tryMkdir(path)) === undefined) return;
  if (dirname(path) !== path) await makeDirectory(dirname(path));
  if ((await tryMkdir(path)) !== undefined) {
    throw Object.assign(new Error(`ENOENT: ${path} cannot be made`), { code: 'ENOENT' });
  }
}
