import { cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** A copy of the program that runs, from before an update; one at most. */
export interface ProgramCopy {
  /** Replaces an earlier copy. Rejects with the file system's error; then there is none. */
  keep(): Promise<void>;
  /** Puts it in place of the program, which is replaced as a whole. Rejects where there is none or it cannot be placed. */
  restore(): Promise<void>;
  drop(): Promise<void>;
}

/** Inside of Electron an .asar would be looked into and copied as a folder; here it is a file like any other. */
async function withPlainFiles<T>(work: () => Promise<T>): Promise<T> {
  const electron = process as { noAsar?: boolean };
  const before = electron.noAsar;
  electron.noAsar = true;
  try {
    return await work();
  } finally {
    electron.noAsar = before ?? false;
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * Keeps a program that is one file (an AppImage) or one folder (a Mac's .app) in `folder`. Where that lies on another disk it is
 * copied beside the program first, so that at no moment half of a program is in place.
 */
export function createProgramCopy({ program, folder }: { program: string; folder: string }): ProgramCopy {
  // An AppImage's name may tell its version, and then changes with it.
  const kept = join(folder, 'program');
  const drop = (): Promise<void> => rm(folder, { recursive: true, force: true });
  async function keep(): Promise<void> {
    await drop();
    const half = `${kept}.part`;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await cp(program, half, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      await rename(half, kept);
    } catch (error) {
      await drop();
      throw error;
    }
  }
  async function restore(): Promise<void> {
    const fresh = join(dirname(program), `.${basename(program)}.earlier`);
    const failed = join(dirname(program), `.${basename(program)}.failed`);
    await rm(fresh, { recursive: true, force: true });
    await rm(failed, { recursive: true, force: true });
    await cp(kept, fresh, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    // A folder is not replaced by a rename: the failed one steps aside, and back where the other does not get its place.
    if (await isThere(program)) await rename(program, failed);
    try {
      await rename(fresh, program);
    } catch (error) {
      await rename(failed, program).catch(() => undefined);
      throw error;
    }
    await rm(failed, { recursive: true, force: true });
  }
  return {
    keep: () => withPlainFiles(keep),
    restore: () => withPlainFiles(restore),
    drop: () => withPlainFiles(drop),
  };
}
