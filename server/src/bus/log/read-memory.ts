/** What is read off the disk in one go at most, but for a single larger record. */
export const READ_BYTES = 4 * 1024 * 1024;
/** Shared memory that is never let go of, in pieces of READ_BYTES: V8 does not see its size, and would collect what was dropped too late. */
const MOST_SHARED = 24;
/** Pieces that stay for those who have to read: without, a batch that is behind would be copied. */
const FOR_READING = 8;

/**
 * Memory for what is read off the disk or has just been written to it, used again and again: fresh memory for each read cost more than the reading (the kernel
 * clears it, and V8 collects garbage for every 64 MB of it). Shared, so that another thread can read it where it lies; where all of it is
 * lent, fresh memory has to do.
 */
export interface ReadMemory {
  lend(bytes: number): Buffer;
  /** Shared memory for what can do without; undefined where there is little left. */
  lendSpare(bytes: number): Buffer | undefined;
  /** For what `lend` gave and nobody reads any more; once. */
  giveBack(memory: Buffer): void;
}

/** Short reads lie side by side in one: small requests come in many, and a piece for each would take all pieces for half a batch. */
interface Piece {
  memory: SharedArrayBuffer;
  used: number;
  lent: number;
}

export function createReadMemory(): ReadMemory {
  const pieces = new Map<ArrayBufferLike, Piece>();
  const idle: Piece[] = [];
  let open: Piece | undefined;

  function nextPiece(): Piece | undefined {
    if (idle.length > 0 || pieces.size === MOST_SHARED) return idle.pop();
    const piece = { memory: new SharedArrayBuffer(READ_BYTES), used: 0, lent: 0 };
    pieces.set(piece.memory, piece);
    return piece;
  }

  function lendShared(bytes: number): Buffer | undefined {
    if (!open || open.used + bytes > READ_BYTES) open = nextPiece();
    if (!open) return undefined;
    const start = open.used;
    open.used += bytes;
    open.lent++;
    return Buffer.from(open.memory, start, bytes);
  }

  return {
    lend: (bytes) => (bytes <= READ_BYTES && lendShared(bytes)) || Buffer.allocUnsafeSlow(bytes),
    lendSpare(bytes) {
      const fits = open !== undefined && open.used + bytes <= READ_BYTES;
      if (!fits && (bytes > READ_BYTES || idle.length + MOST_SHARED - pieces.size <= FOR_READING)) return undefined;
      return lendShared(bytes);
    },
    giveBack(memory) {
      const piece = pieces.get(memory.buffer);
      if (!piece || --piece.lent > 0) return;
      piece.used = 0;
      if (piece !== open) idle.push(piece);
    },
  };
}
