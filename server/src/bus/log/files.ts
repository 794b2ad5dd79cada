import { constants, fdatasync, fsync, ftruncate, read, writev } from 'node:fs';
import { mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';

const readAt = promisify(read);
const writeAt = promisify(writev);
const syncFile = promisify(fsync);
const syncBytes = promisify(fdatasync);
const truncateAt = promisify(ftruncate);

/** An open file. A name is durable only after `LogFiles.syncFolder` of its folder. */
export interface LogFile {
  /** Writes all buffers, one behind the other from `position` on, durably when it resolves, or throws. */
  write(buffers: readonly Buffer[], position: number): Promise<void>;
  /** Fills `buffer` from `position` as far as the file goes; the number of bytes read. */
  read(buffer: Buffer, position: number): Promise<number>;
  /** fdatasync: content and length, after `truncate`. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

/** All that the log does to a disk, so that a test can pull the plug. Paths are absolute. */
export interface LogFiles {
  makeFolder(path: string): Promise<void>;
  list(folder: string): Promise<string[]>;
  /** `create` makes the file when it is missing; `truncate` empties it. */
  open(path: string, mode: 'existing' | 'create' | 'truncate'): Promise<LogFile>;
  remove(path: string): Promise<void>;
  /** Within one folder. */
  rename(from: string, to: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
}

/** Linux syncs what is written in the same call: a commit changes threads twice instead of four times. macOS' flag leaves the drive's cache out. */
const SYNCS_ITSELF = process.platform === 'linux';
const OPENS = constants.O_RDWR | (SYNCS_ITSELF ? constants.O_DSYNC : 0);
const FLAGS = {
  existing: OPENS,
  create: OPENS | constants.O_CREAT,
  truncate: OPENS | constants.O_CREAT | constants.O_TRUNC,
} as const;

/** What is left of the buffers behind their first `bytes`. */
function behind(buffers: readonly Buffer[], bytes: number): Buffer[] {
  let skip = bytes;
  const whole = buffers.findIndex((buffer) => {
    if (buffer.length > skip) return true;
    skip -= buffer.length;
    return false;
  });
  if (whole < 0) return [];
  const [first, ...rest] = buffers.slice(whole) as [Buffer, ...Buffer[]];
  return [first.subarray(skip), ...rest];
}

async function writeAll(fd: number, buffers: readonly Buffer[], position: number): Promise<void> {
  let at = position;
  let left = behind(buffers, 0);
  while (left.length > 0) {
    const { bytesWritten } = await writeAt(fd, left, at);
    if (bytesWritten === 0) throw new Error('the disk took no byte');
    at += bytesWritten;
    left = behind(left, bytesWritten);
  }
  if (!SYNCS_ITSELF) await syncBytes(fd);
}

async function readAll(fd: number, buffer: Buffer, position: number): Promise<number> {
  let done = 0;
  while (done < buffer.length) {
    const { bytesRead } = await readAt(fd, buffer, done, buffer.length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

async function openFile(path: string, mode: keyof typeof FLAGS): Promise<LogFile> {
  const handle = await open(path, FLAGS[mode], 0o600);
  return {
    write: (buffers, position) => writeAll(handle.fd, buffers, position),
    read: (buffer, position) => readAll(handle.fd, buffer, position),
    sync: () => syncBytes(handle.fd),
    truncate: (length) => truncateAt(handle.fd, length),
    size: async () => (await handle.stat()).size,
    close: () => handle.close(),
  };
}

/** Windows cannot open a folder; NTFS journals the names by itself. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, constants.O_RDONLY);
  try {
    await syncFile(handle.fd);
  } finally {
    await handle.close();
  }
}

/** The real disk. */
export const diskFiles: LogFiles = {
  makeFolder: async (path) => void (await mkdir(path, { recursive: true, mode: 0o700 })),
  list: (folder) => readdir(folder),
  open: openFile,
  remove: (path) => unlink(path),
  rename,
  syncFolder,
};
