import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimes,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { AppError } from '#kernel';

/** Version of the directory's layout; a newer one than ours was written by a newer release and is not touched. */
const FORMAT = 1;
/** A holder on another host touches its lock six times in this while. */
const FOREIGN_LOCK_MS = 60_000;
const FOLDERS = ['run', 'keys', 'tls'] as const;

/** The data directory of one running server or command. Nothing else may open its stores until `release`. */
export interface DataDir {
  path: string;
  /** Path of a file or folder inside. */
  join(...parts: string[]): string;
  /** Lets go of the lock; call it last, after every store is closed. */
  release(): void;
}

const codeOf = (error: unknown): string => String(Reflect.get(Object(error), 'code') ?? '');

/** A file is written beside its place and renamed: a crash leaves the old or the new one, never a part. */
export function writePrivateFile(path: string, content: string): void {
  const beside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(beside, content, { mode: 0o600, flush: true });
  renameSync(beside, path);
}

function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function makeDirectory(path: string): void {
  try {
    // Never recursive for the last step: Node loops for ever where a mkdir answers ENOENT in an existing folder (/proc).
    if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true });
    makeOne(path);
    if (!statSync(path).isDirectory()) throw new AppError('unavailable', `The data directory ${path} is not a directory.`);
    chmodSync(path, 0o700);
    for (const folder of FOLDERS) makeOne(join(path, folder));
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError(
      'unavailable',
      `The data directory ${path} cannot be created or written (${codeOf(error)}). Make this user its owner, or set SVC_DATA_DIR to another place.`,
      { cause: error },
    );
  }
}

function checkFormat(path: string): void {
  const file = join(path, 'FORMAT');
  if (!existsSync(file)) {
    writePrivateFile(file, `${FORMAT}\n`);
    return;
  }
  const found = Number.parseInt(readFileSync(file, 'utf8'), 10);
  if (found >= 1 && found <= FORMAT) return;
  const why =
    found > FORMAT
      ? `has format ${found}, newer than this release knows (${FORMAT}): start the release that wrote it`
      : 'has an unreadable FORMAT file';
  throw new AppError('conflict', `The data directory ${path} ${why}.`);
}

interface LockHolder {
  pid: number;
  /** Boot id and clock ticks since then at which the holder began: tells a process from a later one with the same number. */
  began: string;
  host: string;
}

/** Field 22 of /proc/<pid>/stat behind the boot id; empty where there is no /proc. */
function beginOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return '';
  }
}

/** Of another host (a container that was made anew, a shared volume) only the age of the lock tells; its holder touches it. */
function holdsStill(holder: LockHolder, file: string): boolean {
  if (holder.host !== hostname()) return Date.now() - statSync(file).mtimeMs < FOREIGN_LOCK_MS;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  return beginOf(holder.pid) === holder.began;
}

function readHolder(file: string): LockHolder | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const { pid, began, host } = found as Partial<LockHolder>;
    return typeof pid === 'number' && typeof began === 'string' && typeof host === 'string' ? { pid, began, host } : undefined;
  } catch {
    return undefined;
  }
}

/** Who holds the directory now; undefined when nobody does. */
export function findLockHolder(path: string): number | undefined {
  const file = join(path, 'lock');
  const holder = readHolder(file);
  return holder && holdsStill(holder, file) ? holder.pid : undefined;
}

/** link(2) fails when the name exists, so exactly one of several starts gets the lock; one of a dead process is moved away first. */
function takeLock(path: string): void {
  const file = join(path, 'lock');
  const own = join(path, `lock.${process.pid}`);
  const holder: LockHolder = { pid: process.pid, began: beginOf(process.pid), host: hostname() };
  writeFileSync(own, JSON.stringify(holder), { mode: 0o600, flush: true });
  try {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      try {
        linkSync(own, file);
        return;
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      }
      const other = readHolder(file);
      if (other && holdsStill(other, file)) {
        throw new AppError(
          'conflict',
          `The data directory ${path} is in use by process ${other.pid} on ${other.host}. Stop that one first.`,
        );
      }
      const stale = join(path, `lock.stale.${process.pid}`);
      renameSync(file, stale);
      // Another start may have taken the lock between our look and our move: then it gets it back.
      if (readHolder(stale)?.began !== other?.began) linkSync(stale, file);
      rmSync(stale, { force: true });
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('unavailable', `The lock of the data directory ${path} cannot be taken (${codeOf(error)}).`, {
      cause: error,
    });
  } finally {
    rmSync(own, { force: true });
  }
  throw new AppError('conflict', `The data directory ${path} is being taken by another process. Try again.`);
}

/**
 * Makes the directory (0700), checks its format and takes its lock. AppError `unavailable` when it cannot be written, `conflict`
 * when it belongs to a newer release or to a running process; the message names which.
 */
export function openDataDir(path: string): DataDir {
  makeDirectory(path);
  checkFormat(path);
  takeLock(path);
  const lock = join(path, 'lock');
  const touch = setInterval(() => {
    const now = new Date();
    utimes(lock, now, now, () => {});
  }, FOREIGN_LOCK_MS / 6).unref();
  let held = true;
  return {
    path,
    join: (...parts) => join(path, ...parts),
    release: () => {
      clearInterval(touch);
      if (held && readHolder(lock)?.pid === process.pid) rmSync(lock, { force: true });
      held = false;
    },
  };
}

/** The key that was given, else the one in keys/envelope.key, made on the first start with mode 0600. */
export function resolveEnvelopeKey(dataDir: Pick<DataDir, 'join'>, given: Buffer | undefined): Buffer {
  if (given) return given;
  const file = dataDir.join('keys', 'envelope.key');
  try {
    if (!existsSync(file)) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writePrivateFile(file, `${randomBytes(32).toString('base64')}\n`);
    }
    const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
    if (key.length === 32) return key;
  } catch (error) {
    throw new AppError('unavailable', `The envelope key ${file} cannot be read or written (${codeOf(error)}).`, { cause: error });
  }
  throw new AppError('unavailable', `The envelope key ${file} is damaged: restore it from a backup or set SVC_ENVELOPE_KEY.`);
}
