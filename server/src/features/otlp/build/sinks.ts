import { ByteSink } from '#telemetry';
import { createSharedPieces } from '../shared-pieces.ts';

const MIB = 1024 * 1024;
/** For blocks on their way to the thread that inserts them. */
const pieces = createSharedPieces({ smallestBytes: MIB / 4, sizes: 9, mostBytes: 160 * MIB });
const scratch = new ByteSink(MIB);

/** What `encode` writes, in memory of its own that another thread can read; `giveMemory` takes it back. Shared but for what is too much. */
export function encodeApart(encode: (sink: ByteSink) => void): Buffer {
  scratch.reset();
  encode(scratch);
  const bytes = pieces.lend(scratch.length);
  scratch.bytes.copy(bytes, 0, 0, scratch.length);
  return bytes;
}

export const giveMemory = pieces.giveBack;
