import { webAssembly } from '#kernel';
import { BLOCK_BYTES } from './files.ts';

/** What is read off the disk in one go at most, but for a single larger record. */
export const READ_BYTES = 4 * 1024 * 1024;
/** Shared memory that is never let go of, in pieces of READ_BYTES: V8 does not see its size, and would collect what was dropped too late. */
const PIECES = 24;
/** Pieces that stay for those who have to read: without, a batch that is behind would be copied. */
const FOR_READING = 8;
/** What is lent lies in whole blocks, so that those of READ_BYTES anywhere in a file need one in front and one behind. */
const PIECE_BYTES = READ_BYTES + 2 * BLOCK_BYTES;
const ALL_BYTES = PIECES * PIECE_BYTES + READ_BYTES;
const WASM_PAGE_BYTES = 65_536;

/**
 * Memory for what is read off the disk or has just been written to it, used again and again: fresh memory for each read cost more than the reading (the kernel
 * clears it, and V8 collects garbage for every 64 MB of it). Shared, so that another thread can read it where it lies; where all of it is
 * lent, fresh memory has to do.
 */
export interface ReadMemory {
  /** Whether its blocks begin where pages of the processor do. */
  readonly isAligned: boolean;
  /** `place` is that in a file: the first byte stands in a block of memory where it does in one of the file, and nobody else has these blocks. */
  lend(bytes: number, place?: number): Buffer;
  /** Shared memory for what can do without; undefined where there is little left. */
  lendSpare(bytes: number, place: number): Buffer | undefined;
  /** For what `lend` gave and nobody reads any more; once. */
  giveBack(memory: Buffer): void;
  /** The blocks that memory lent for this place lies in; undefined for any other memory. */
  blocksAround(memory: Buffer, place: number): Buffer | undefined;
  /** One after the other has these blocks, for bytes that lie elsewhere. */
  borrow<T>(use: (blocks: Buffer) => Promise<T>): Promise<T>;
}

/** Short reads lie side by side in one: small requests come in many, and a piece for each would take all pieces for half a batch. */
interface Piece {
  start: number;
  used: number;
  lent: number;
}

export const toBlocks = (bytes: number): number => Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;

/** Only WebAssembly's memory is sure to be aligned. What is never touched takes no memory, but gigabytes of addresses, which may be limited. */
function allocate(): { all: SharedArrayBuffer; isAligned: boolean } {
  try {
    const pages = Math.ceil(ALL_BYTES / WASM_PAGE_BYTES);
    const { buffer } = new webAssembly.Memory({ shared: true, initial: pages, maximum: pages });
    return { all: buffer, isAligned: true };
  } catch {
    return { all: new SharedArrayBuffer(ALL_BYTES), isAligned: false };
  }
}

export function createReadMemory(): ReadMemory {
  const { all, isAligned } = allocate();
  const pieces = Array.from({ length: PIECES }, (_, index): Piece => ({ start: index * PIECE_BYTES, used: 0, lent: 0 }));
  const idle = pieces.toReversed();
  const borrowed = Buffer.from(all, PIECES * PIECE_BYTES, READ_BYTES);
  let borrowing: Promise<unknown> = Promise.resolve();
  let open: Piece | undefined;

  const isOurs = (memory: Buffer): boolean => (memory.buffer as ArrayBufferLike) === all;

  function lendShared(bytes: number, place: number): Buffer | undefined {
    const before = place % BLOCK_BYTES;
    const blocks = toBlocks(before + bytes);
    if (!open || open.used + blocks > PIECE_BYTES) open = idle.pop();
    if (!open) return undefined;
    const start = open.start + open.used + before;
    open.used += blocks;
    open.lent++;
    return Buffer.from(all, start, bytes);
  }

  return {
    isAligned,
    // Nothing has no place: behind a full piece it would pass for the next one's.
    lend: (bytes, place = 0) => (bytes > 0 && bytes <= READ_BYTES && lendShared(bytes, place)) || Buffer.allocUnsafeSlow(bytes),
    lendSpare(bytes, place) {
      const fits = open !== undefined && open.used + toBlocks((place % BLOCK_BYTES) + bytes) <= PIECE_BYTES;
      if (!fits && (bytes > READ_BYTES || idle.length <= FOR_READING)) return undefined;
      return lendShared(bytes, place);
    },
    giveBack(memory) {
      const piece = isOurs(memory) ? pieces[Math.floor(memory.byteOffset / PIECE_BYTES)] : undefined;
      if (!piece || --piece.lent > 0) return;
      piece.used = 0;
      if (piece !== open) idle.push(piece);
    },
    blocksAround(memory, place) {
      const before = place % BLOCK_BYTES;
      if (!isOurs(memory) || memory.byteOffset % BLOCK_BYTES !== before) return undefined;
      return Buffer.from(all, memory.byteOffset - before, toBlocks(before + memory.length));
    },
    borrow(use) {
      const mine = borrowing.then(() => use(borrowed));
      borrowing = mine.catch(() => undefined);
      return mine;
    },
  };
}
