import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Files through which blocks go to the engine, written over again and again: the kernel has their memory already, where a new file of 32 MB
 * cost more than building the block (docs/performance-log.md).
 */
export interface BlockFiles {
  /** Gives `work` the path of a file with exactly these bytes, that nobody else uses meanwhile. */
  use<T>(bytes: Uint8Array, work: (path: string) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** In one go: a kernel without preemption lets nobody else on that core until all of it is copied, 10 to 30 ms for 28 MiB. */
const WRITE_BYTES = 1024 * 1024;

interface BlockFile {
  path: string;
  handle: FileHandle;
  length: number;
}

/** In a folder that exists, whose files nobody needs after a restart. */
export function createBlockFiles(folder: string): BlockFiles {
  const idle: BlockFile[] = [];
  let made = 0;

  const take = async (): Promise<BlockFile> => {
    const file = idle.pop();
    if (file) return file;
    const path = join(folder, `${made++}.native`);
    return { path, handle: await open(path, 'w', 0o600), length: 0 };
  };

  async function fill(file: BlockFile, bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; )
      at += (await file.handle.write(bytes, at, Math.min(bytes.length - at, WRITE_BYTES), at)).bytesWritten;
    if (file.length > bytes.length) await file.handle.truncate(bytes.length);
    file.length = bytes.length;
  }

  return {
    async use(bytes, work) {
      const file = await take();
      try {
        await fill(file, bytes);
        const result = await work(file.path);
        idle.push(file);
        return result;
      } catch (error) {
        // Whoever failed may still read it.
        await file.handle.close();
        await rm(file.path, { force: true });
        throw error;
      }
    },
    async close() {
      await Promise.all(idle.splice(0).map(({ handle }) => handle.close()));
    },
  };
}
