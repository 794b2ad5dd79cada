/** Memory for messages on their way to the bus comes in steps of this. */
const STEP_BYTES = 64 * 1024;
/** Kept for the next messages. */
const MAX_IDLE_BYTES = 32 * 1024 * 1024;

/**
 * Memory for the messages that the thread with the bus reads, and gives back once they are durable: fresh memory for each request cost
 * more than walking it (the kernel clears it, V8 collects garbage for every 64 MB of it). Shared, because V8 takes what comes and goes by
 * transfer for growth, and collects garbage for that too.
 */
export interface PartMemory {
  /** So many bytes of a piece that belongs to nobody else. */
  lend(bytes: number): Buffer<SharedArrayBuffer>;
  giveBack(memory: readonly SharedArrayBuffer[]): void;
}

export function createPartMemory(): PartMemory {
  const idle: SharedArrayBuffer[] = [];
  let idleBytes = 0;
  return {
    lend(bytes) {
      // Not for a small message what a large one needs.
      const at = idle.findIndex(({ byteLength }) => byteLength >= bytes && byteLength <= 2 * bytes + STEP_BYTES);
      const [found] = at < 0 ? [] : idle.splice(at, 1);
      if (found) idleBytes -= found.byteLength;
      return Buffer.from(found ?? new SharedArrayBuffer((Math.floor(bytes / STEP_BYTES) + 1) * STEP_BYTES), 0, bytes);
    },
    giveBack(memory) {
      for (const one of memory) {
        if (idleBytes + one.byteLength > MAX_IDLE_BYTES) continue;
        idle.push(one);
        idleBytes += one.byteLength;
      }
    },
  };
}
