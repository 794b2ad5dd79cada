import { constants, fdatasync, fsync, ftruncate, read, writev } from 'node:fs';
import { mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';

const readAt = promisify(read);
const writeAt = promisify(writev);
const syncFile = promisify(fsync);
const syncBytes = promisify(fdatasync);
const truncateAt = promisify(ftruncate);

/** What `openDirect` reads and writes in: a page of the processor, and a multiple of every disk's sector. */
export const BLOCK_BYTES = 4096;

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

export type OpenMode = 'existing' | 'create' | 'truncate';

/** All that the log does to a disk, so that a test can pull the plug. Paths are absolute. */
export interface LogFiles {
  makeFolder(path: string): Promise<void>;
  list(folder: string): Promise<string[]>;
  /** `create` makes the file when it is missing; `truncate` empties it. */
  open(path: string, mode: OpenMode): Promise<LogFile>;
  /** Past the kernel's page cache: places, lengths and memory have to be in blocks. Throws where there is no such thing, perhaps only at a write. */
  openDirect(path: string, mode: OpenMode): Promise<LogFile>;
  remove(path: string): Promise<void>;
  /** Within one folder. */
  rename(from: string, to: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
}

/** Linux syncs what is written in the same call: a commit changes threads twice instead of four times. macOS' flag leaves the drive's cache out. */
const SYNCS_ITSELF = process.platform === 'linux';
const OPENS = constants.O_RDWR | (SYNCS_ITSELF ? constants.O_DSYNC : 0);
const DIRECT = SYNCS_ITSELF ? constants.O_DIRECT : 0;
const FLAGS = {
  existing: OPENS,
  create: OPENS | constants.O_CREAT,
  truncate: OPENS | constants.O_CREAT | constants.O_TRUNC,
} as const;

interface ReadPlace {
  position: number;
  isDirect: boolean;
}

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

/** Nothing can be asked of a direct file behind its end, which is seldom at a block. */
async function readAll(fd: number, buffer: Buffer, { position, isDirect }: ReadPlace): Promise<number> {
  let done = 0;
  while (done < buffer.length) {
    const { bytesRead } = await readAt(fd, buffer, done, buffer.length - done, position + done);
    done += bytesRead;
    if (bytesRead === 0 || (isDirect && bytesRead % BLOCK_BYTES !== 0)) break;
  }
  return done;
}

async function openFile(path: string, flags: number): Promise<LogFile> {
  const handle = await open(path, flags, 0o600);
  const isDirect = (flags & DIRECT) !== 0;
  return {
    write: (buffers, position) => writeAll(handle.fd, buffers, position),
    read: (buffer, position) => readAll(handle.fd, buffer, { position, isDirect }),
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
  open: (path, mode) => openFile(path, FLAGS[mode]),
  async openDirect(path, mode) {
    if (!SYNCS_ITSELF) throw Object.assign(new Error('no direct files here'), { code: 'ENOTSUP' });
    return await openFile(path, FLAGS[mode] | DIRECT);
  },
  remove: (path) => unlink(path),
  rename,
  syncFolder,
};
