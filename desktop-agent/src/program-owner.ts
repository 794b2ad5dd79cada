import { lstat, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AgentError } from './agent-error.ts';

const ROOT = 0;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
/** In such a folder only owners rename what is theirs. */
const STICKY = 0o1000;

async function isOpen(path: string, uid: number): Promise<boolean> {
  const found = await lstat(path);
  if (found.uid !== ROOT && found.uid !== uid) return true;
  return (found.mode & (GROUP_WRITES | OTHERS_WRITE)) !== 0 && (found.mode & STICKY) === 0;
}

/** The first of these files, or of the folders above them, that somebody else than root and this user may replace. */
export async function findOpenPlace(files: readonly string[], uid: number): Promise<string | undefined> {
  for (const file of files) {
    for (let path = await realpath(file); ; path = dirname(path)) {
      if (await isOpen(path, uid)) return path;
      if (dirname(path) === path) break;
    }
  }
  return undefined;
}

/**
 * What runs with the rights of the machine must not lie where an ordinary user may put something else in its place. Throws AgentError where
 * it does. Windows guards its program folders itself.
 */
export async function refuseOpenPlace(files: readonly string[], uid = process.geteuid?.()): Promise<void> {
  if (uid === undefined) return;
  const open = await findOpenPlace(files, uid);
  if (open === undefined) return;
  const remedy = 'Install it where only root may write, or take the right to write from everybody else.';
  throw new AgentError('usage', `A service of the machine does not run from here: other users may write to ${open}. ${remedy}`);
}
