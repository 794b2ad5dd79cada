import type { ByteSink, EncodedBlock } from '@svc/bytes';
import { GatheringSink } from '../gathering-sink.ts';
import { createSharedPieces } from '../shared-pieces.ts';

const MIB = 1024 * 1024;
/** For blocks on their way to the thread that inserts them. */
const pieces = createSharedPieces({ smallestBytes: MIB / 4, sizes: 9, mostBytes: 160 * MIB });
const sink = new GatheringSink();

/** What `encode` writes, in memory of its own that another thread can read; `giveMemory` takes it back. Shared but for what is too much. */
export function encodeApart(encode: (sink: ByteSink) => void): Buffer {
  try {
    encode(sink);
    const bytes = pieces.lend(sink.totalBytes);
    sink.gather(bytes);
    return bytes;
  } finally {
    sink.reset();
  }
}

export const giveMemory = pieces.giveBack;

/** For blocks that nobody is going to insert. */
export function giveBlocks(blocks: readonly EncodedBlock[]): void {
  const memory = blocks.map(({ bytes }): ArrayBufferLike => bytes.buffer);
  giveMemory(memory.filter((one) => one instanceof SharedArrayBuffer));
}
