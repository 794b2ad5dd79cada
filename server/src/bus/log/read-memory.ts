/** What is read off the disk in one go at most, but for a single larger record. */
export const READ_BYTES = 4 * 1024 * 1024;
/** Kept for the next reads, each of READ_BYTES. */
const MAX_IDLE = 8;

/**
 * Memory for what is read off the disk, used again and again: fresh memory for each read cost more than the reading (the kernel
 * clears it, and V8 collects garbage for every 64 MB of it). Shared, so that another thread can read it where it lies.
 */
export interface ReadMemory {
  lend(bytes: number): Buffer;
  /** For what `lend` gave and nobody reads any more; once. */
  giveBack(memory: Buffer): void;
}

export function createReadMemory(): ReadMemory {
  const idle: Buffer[] = [];
  return {
    lend: (bytes) => (bytes <= READ_BYTES && idle.pop()) || Buffer.from(new SharedArrayBuffer(Math.max(bytes, READ_BYTES))),
    giveBack(memory) {
      if (memory.length === READ_BYTES && idle.length < MAX_IDLE) idle.push(memory);
    },
  };
}
