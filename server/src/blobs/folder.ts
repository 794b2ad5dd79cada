import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '#kernel';
import { type BlobInfo, type BlobStore, type ByteRange, isBlobKey } from './port.ts';

/** Parts that are being written begin so; no key does. */
const INCOMING = '.incoming-';
const READ = constants.O_RDONLY | constants.O_NOFOLLOW;
const WRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

const codeOf = (error: unknown): string => String(Reflect.get(Object(error), 'code') ?? '');
const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'].includes(codeOf(error));

function unavailable(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const full = codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT';
  const message = full ? 'The disk of the blob store is full.' : `The blob store cannot be used (${codeOf(error) || 'fault'}).`;
  return new AppError('unavailable', message, { cause: error });
}

async function describe(key: string, handle: FileHandle): Promise<BlobInfo | undefined> {
  const found = await handle.stat({ bigint: true });
  if (!found.isFile()) return undefined;
  const etag = `${found.ino.toString(36)}-${found.size.toString(36)}-${found.mtimeNs.toString(36)}`;
  return { key, size: Number(found.size), etag, modifiedAtMs: Number(found.mtimeNs / 1_000_000n) };
}

async function writeAll(path: string, body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number): Promise<void> {
  const handle = await open(path, WRITE, 0o600);
  try {
    let written = 0;
    for await (const chunk of body) {
      written += chunk.byteLength;
      if (written > maxBytes) throw new AppError('too_large', `A blob has at most ${maxBytes} bytes here.`);
      await handle.writeFile(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** So that a rename survives the power going. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY);
  await handle.sync().finally(() => handle.close());
}

/** Blobs as files below `root`, which is ours alone (mode 0700) and made at the first write. */
export function createFolderBlobs(root: string): BlobStore {
  const pathOf = (key: string): string => {
    if (!isBlobKey(key)) throw new AppError('validation', 'Invalid blob key.');
    return join(root, ...key.split('/'));
  };

  const openKey = async (key: string): Promise<{ handle: FileHandle; info: BlobInfo } | undefined> => {
    const path = pathOf(key);
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, READ);
      const info = await describe(key, handle);
      if (info) return { handle, info };
      await handle.close();
      return undefined;
    } catch (error) {
      await handle?.close();
      if (isMissing(error)) return undefined;
      throw unavailable(error);
    }
  };

  const statKey = async (key: string): Promise<BlobInfo | undefined> => {
    const found = await openKey(key);
    await found?.handle.close();
    return found?.info;
  };

  async function listKeys(prefix: string): Promise<string[]> {
    const names = await readdir(pathOf(prefix), { withFileTypes: true, recursive: true }).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw unavailable(error);
    });
    return names
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
      .filter(isBlobKey)
      .sort();
  }

  return {
    async put(key, body, { maxBytes }) {
      const path = pathOf(key);
      const beside = join(root, `${INCOMING}${randomUUID()}`);
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await writeAll(beside, body, maxBytes);
        await rename(beside, path);
        await syncFolder(dirname(path));
        const info = await statKey(key);
        if (!info) throw new AppError('unavailable', 'The blob was taken away while it was written.');
        return info;
      } catch (error) {
        await rm(beside, { force: true }).catch(() => {});
        throw unavailable(error);
      }
    },
    stat: statKey,
    async open(key, range?: ByteRange) {
      const found = await openKey(key);
      if (!found) return undefined;
      const bounds = range ? { start: range.first, end: range.last } : {};
      return { info: found.info, body: createReadStream('', { fd: found.handle, ...bounds }) };
    },
    async list(prefix, { limit }) {
      const keys = await listKeys(prefix);
      const found: BlobInfo[] = [];
      for (const key of keys.slice(0, limit)) {
        const info = await statKey(key);
        if (info) found.push(info);
      }
      return found;
    },
    async remove(key) {
      const path = pathOf(key);
      await rm(path, { force: true }).catch((error: unknown) => {
        if (!isMissing(error)) throw unavailable(error);
      });
    },
  };
}
