import type { ReadMemory } from './read-memory.ts';
import type { Chunk } from './record.ts';

/** Bytes of one commit in lent memory, and how many look at them; the tail itself is one of these. */
interface Kept {
  chunk: Chunk;
  users: number;
}

/** A chunk that stays as it is until `free` was called, once. */
export interface HeldChunk {
  chunk: Chunk;
  free(): void;
}

/**
 * The newest commits of a topic in memory, until all who read have passed them: who keeps up needs neither the disk nor another look at
 * checksums.
 */
export interface Tail {
  /** Memory for the bytes of one commit that goes to this place in a file, to be kept or given back; undefined where there is no room. */
  room(bytes: number, place: number): Buffer | undefined;
  /** What `room` gave, filled and durable, with the position of its first byte: behind all others. */
  keep(memory: Buffer, base: number): void;
  giveBack(memory: Buffer): void;
  /** The chunk that has the position. */
  hold(position: number): HeldChunk | undefined;
  /** Where the first chunk behind the position begins. */
  baseAfter(position: number): number;
  /** Lets go of what lies below the position. */
  dropBelow(position: number): void;
}

export function createTail(memory: ReadMemory): Tail {
  const list: Kept[] = [];

  /** Index of the first chunk that ends behind the position. */
  function find(position: number): number {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { base, buffer } = (list[middle] as Kept).chunk;
      if (base + buffer.length > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  const free = (kept: Kept): void => {
    if (--kept.users === 0) memory.giveBack(kept.chunk.buffer);
  };

  return {
    room: memory.lendSpare,
    keep(buffer, base) {
      list.push({ chunk: { buffer, base, trusted: true }, users: 1 });
    },
    giveBack: memory.giveBack,
    hold(position) {
      const kept = list[find(position)];
      if (!kept || kept.chunk.base > position) return undefined;
      kept.users++;
      return { chunk: kept.chunk, free: () => free(kept) };
    },
    baseAfter(position) {
      return list[find(position)]?.chunk.base ?? Number.POSITIVE_INFINITY;
    },
    dropBelow(position) {
      for (const kept of list.splice(0, find(position))) free(kept);
    },
  };
}
