import { cp, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncDirectory } from '../sync-directory.ts';

/** A copy of the program that runs, from before an update; one at most. */
export interface ProgramCopy {
  /** Replaces an earlier copy. Rejects with the file system's error; then there is none. */
  keep(): Promise<void>;
  /** Puts it in place of the program, which is replaced as a whole. Rejects where there is none or it cannot be placed. */
  restore(): Promise<void>;
  /** Ends what a `restore` began that was cut off: the program is in its place, and nothing beside it. */
  recover(): Promise<void>;
  drop(): Promise<void>;
}

export interface ProgramPlace {
  program: string;
  /** Where the copy is kept. */
  folder: string;
  /** Lets two folders change places in one step; false where this disk cannot. */
  exchange?: (one: string, other: string) => boolean;
}

/** Names beside the program while it is replaced: what comes, and what steps aside. */
const COMES = 'earlier';
const GOES = 'failed';
const beside = (program: string, what: string): string => join(dirname(program), `.${basename(program)}.${what}`);

/** Where a program belongs that was started from beside its place, because a `restore` was cut off. */
export function placeOf(program: string): string {
  const [, name] = new RegExp(`^\\.(.+)\\.(?:${COMES}|${GOES})$`).exec(basename(program)) ?? [];
  return name === undefined ? program : join(dirname(program), name);
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

const kindOf = (path: string): Promise<'file' | 'folder' | 'none'> =>
  lstat(path).then(
    (found) => (found.isDirectory() ? 'folder' : 'file'),
    () => 'none',
  );

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  await file.sync().finally(() => file.close());
}

/** Everything in it, before a name leads to it: a power cut may else leave the name and forget the content. */
async function syncTree(path: string): Promise<void> {
  const found = await lstat(path);
  if (found.isFile()) return await syncFile(path);
  if (!found.isDirectory()) return;
  for (const name of await readdir(path)) await syncTree(join(path, name));
  await syncDirectory(path);
}

async function copyDurably(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  await syncTree(to);
}

const removeTree = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

/** A file takes the other's place in one step, and so do folders where the disk can; else the program steps aside for a moment. */
async function replace({ program, exchange }: ProgramPlace, fresh: string): Promise<void> {
  const failed = beside(program, GOES);
  const kind = await kindOf(program);
  if (kind !== 'folder') await rename(fresh, program);
  else if (exchange?.(fresh, program) === true) await rename(fresh, failed);
  else {
    await rename(program, failed);
    try {
      await rename(fresh, program);
    } catch (error) {
      await rename(failed, program).catch(() => undefined);
      throw error;
    }
  }
  await syncDirectory(dirname(program));
}

/**
 * Keeps a program that is one file (an AppImage) or one folder (a Mac's .app) in `folder`. Where that lies on another disk it is
 * copied beside the program first, so that at no moment half of a program is in place.
 */
export function createProgramCopy(place: ProgramPlace): ProgramCopy {
  const { program, folder } = place;
  // An AppImage's name may tell its version, and then changes with it.
  const kept = join(folder, 'program');
  const [fresh, failed] = [beside(program, COMES), beside(program, GOES)];
  const half = `${fresh}.part`;
  const drop = (): Promise<void> => removeTree(folder);
  async function keep(): Promise<void> {
    await drop();
    const part = `${kept}.part`;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await copyDurably(program, part);
      await rename(part, kept);
      await syncDirectory(folder);
    } catch (error) {
      await drop();
      throw error;
    }
  }
  async function recover(): Promise<void> {
    // The program steps aside only for one that is whole. Without either there is nothing to put there.
    if ((await kindOf(program)) === 'none') {
      const whole = (await kindOf(failed)) === 'none' ? undefined : (await kindOf(fresh)) === 'none' ? failed : fresh;
      if (whole === undefined) return;
      await rename(whole, program);
      await syncDirectory(dirname(program));
    }
    await Promise.all([fresh, failed, half].map(removeTree));
  }
  async function restore(): Promise<void> {
    await recover();
    // Under its name only once it is whole: that is what `recover` may put in place.
    await copyDurably(kept, half);
    await rename(half, fresh);
    await replace(place, fresh);
    await removeTree(failed);
  }
  return {
    keep: () => withPlainFiles(keep),
    restore: () => withPlainFiles(restore),
    recover: () => withPlainFiles(recover),
    drop: () => withPlainFiles(drop),
  };
}
