/** What is read off the disk in one go at most, but for a single larger record. */
export const READ_BYTES = 4 * 1024 * 1024;
/** Shared memory that is never let go of, in pieces of READ_BYTES: V8 does not see its size, and would collect what was dropped too late. */
const MOST_SHARED = 24;

/**
 * Memory for what is read off the disk, used again and again: fresh memory for each read cost more than the reading (the kernel
 * clears it, and V8 collects garbage for every 64 MB of it). Shared, so that another thread can read it where it lies; where all of it is
 * lent, fresh memory has to do.
 */
export interface ReadMemory {
  lend(bytes: number): Buffer;
  /** For what `lend` gave and nobody reads any more; once. */
  giveBack(memory: Buffer): void;
}

export function createReadMemory(): ReadMemory {
  const idle: Buffer[] = [];
  let shared = 0;

  function lendShared(): Buffer | undefined {
    if (idle.length > 0 || shared === MOST_SHARED) return idle.pop();
    shared++;
    return Buffer.from(new SharedArrayBuffer(READ_BYTES));
  }

  return {
    lend: (bytes) => (bytes <= READ_BYTES && lendShared()) || Buffer.allocUnsafeSlow(bytes),
    giveBack(memory) {
      if (memory.buffer instanceof SharedArrayBuffer) idle.push(memory);
    },
  };
}
