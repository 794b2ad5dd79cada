import { join } from 'node:path';
import { copyBytes } from '#kernel';
import { BLOCK_BYTES, type LogFile, type LogFiles } from './files.ts';
import { type ReadMemory, toBlocks } from './read-memory.ts';

/** No topic's name. */
const PROBE = 'direct_probe';

/** Fills `into` from `skip` bytes behind the first of `buffers` on, as far as both go; the bytes that it took. */
function gather(buffers: readonly Buffer[], skip: number, into: Buffer): number {
  let used = 0;
  let passed = 0;
  for (const buffer of buffers) {
    const from = Math.max(0, skip - passed);
    if (from < buffer.length && used < into.length)
      used = copyBytes(buffer.subarray(from, from + into.length - used), into, used);
    passed += buffer.length;
  }
  return used;
}

/**
 * A file of any bytes, each write behind the one before, over one that takes only whole blocks of aligned memory (`LogFiles.openDirect`).
 *
 * The last block is seldom full: with each write it is written again, its old bytes as they stand on the disk, and behind the new ones zeros
 * to its end. A cut of power leaves sectors old or new, and the old bytes are the same in both; the page cache writes no differently. The
 * length is in blocks until `truncate`: bytes behind the end are no record, and the next write covers them.
 */
export function createBlockFile(file: LogFile, memory: ReadMemory): LogFile {
  /** The bytes in front of `end` in its block. */
  const edge = Buffer.alloc(BLOCK_BYTES);
  let end = -1;

  async function readEdge(position: number): Promise<void> {
    if (position === end || position % BLOCK_BYTES === 0) return;
    await memory.borrow(async (borrowed) => {
      const block = borrowed.subarray(0, BLOCK_BYTES);
      const got = await file.read(block, position - (position % BLOCK_BYTES));
      if (got < position % BLOCK_BYTES) throw new Error('the log is shorter than it was');
      copyBytes(block, edge, 0);
    });
  }

  /** Blocks with `bytes` behind what stands in front of `position` already. */
  async function writeBlocks(blocks: Buffer, position: number, bytes: number): Promise<void> {
    const before = position % BLOCK_BYTES;
    const behind = before + bytes;
    copyBytes(edge.subarray(0, before), blocks, 0);
    blocks.fill(0, behind);
    end = -1;
    await file.write([blocks], position - before);
    copyBytes(blocks.subarray(behind - (behind % BLOCK_BYTES), behind), edge, 0);
    end = position + bytes;
  }

  async function writeCopied(buffers: readonly Buffer[], position: number, borrowed: Buffer): Promise<void> {
    const all = buffers.reduce((sum, { length }) => sum + length, 0);
    for (let done = 0; done < all; ) {
      const before = (position + done) % BLOCK_BYTES;
      const bytes = gather(buffers, done, borrowed.subarray(before));
      await writeBlocks(borrowed.subarray(0, toBlocks(before + bytes)), position + done, bytes);
      done += bytes;
    }
  }

  const readCopied = (buffer: Buffer, position: number): Promise<number> =>
    memory.borrow(async (borrowed) => {
      for (let done = 0; ; ) {
        const before = (position + done) % BLOCK_BYTES;
        const blocks = borrowed.subarray(0, toBlocks(before + buffer.length - done));
        const got = await file.read(blocks, position + done - before);
        const bytes = Math.min(Math.max(got - before, 0), buffer.length - done);
        done = copyBytes(blocks.subarray(before, before + bytes), buffer, done);
        if (got < blocks.length || done === buffer.length) return done;
      }
    });

  return {
    async write(buffers, position) {
      await readEdge(position);
      const [lent] = buffers;
      const blocks = buffers.length === 1 && lent ? memory.blocksAround(lent, position) : undefined;
      if (blocks && lent) await writeBlocks(blocks, position, lent.length);
      else await memory.borrow((borrowed) => writeCopied(buffers, position, borrowed));
    },
    async read(buffer, position) {
      const blocks = memory.blocksAround(buffer, position);
      if (!blocks) return await readCopied(buffer, position);
      const before = position % BLOCK_BYTES;
      const got = await file.read(blocks, position - before);
      return Math.min(Math.max(got - before, 0), buffer.length);
    },
    async truncate(length) {
      end = -1;
      await file.truncate(length);
    },
    sync: file.sync,
    size: file.size,
    close: file.close,
  };
}

async function isDirect(files: LogFiles, path: string, memory: ReadMemory): Promise<boolean> {
  if (!memory.isAligned) return false;
  try {
    const file = await files.openDirect(path, 'truncate');
    try {
      return await memory.borrow(async (borrowed) => {
        const [one, other] = [borrowed.subarray(0, BLOCK_BYTES), borrowed.subarray(BLOCK_BYTES, 2 * BLOCK_BYTES)];
        one.fill('direct');
        await file.write([one], 0);
        return (await file.read(other, 0)) === BLOCK_BYTES && one.equals(other);
      });
    } finally {
      await file.close();
      await files.remove(path);
    }
  } catch {
    return false;
  }
}

/**
 * The files of records: past the kernel's page cache where the folder's disk takes that, which is tried and not asked; else `files` themselves.
 * What was written one way is read the other.
 */
export async function chooseFiles(files: LogFiles, folder: string, memory: ReadMemory): Promise<LogFiles> {
  if (!(await isDirect(files, join(folder, PROBE), memory))) return files;
  return { ...files, open: async (path, mode) => createBlockFile(await files.openDirect(path, mode), memory) };
}
