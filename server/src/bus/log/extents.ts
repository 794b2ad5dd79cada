/** A stretch of the log and the partitions of which it holds records, a bit each: readers of others step over it. */
interface Extent {
  base: number;
  end: number;
  partitions: number;
}

/** A stretch with the same partitions grows to this; one with others begins a new one from here on, so that there are few. */
const LARGEST_BYTES = 512 * 1024;
const SMALLEST_BYTES = 64 * 1024;

/** Where records of which partition lie, from the oldest file on. */
export interface Extents {
  /** Up to here all is known: later bytes may be durable, but what they are is not noted yet. */
  readonly end: number;
  /** Nothing but what was added lies below the position. */
  reach(position: number): void;
  /** A record that has become durable, behind all others. */
  add(base: number, end: number, partition: number): void;
  /** The first stretch at or behind `from` that may hold records of the partition; undefined where there is none. */
  next(from: number, partition: number): { base: number; end: number } | undefined;
  /** Forgets what lies below. */
  trim(position: number): void;
}

export function createExtents(): Extents {
  const list: Extent[] = [];
  let known = 0;

  /** Index of the first stretch that ends behind `position`. */
  function find(position: number): number {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((list[middle] as Extent).end > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  return {
    get end() {
      return known;
    },
    reach(position) {
      known = Math.max(known, position);
    },
    add(base, end, partition) {
      known = end;
      const bit = 1 << partition;
      const last = list.at(-1);
      const bytes = last ? last.end - last.base : 0;
      const fits = last?.end === base && bytes < ((last.partitions & bit) !== 0 ? LARGEST_BYTES : SMALLEST_BYTES);
      if (last && fits) {
        last.end = end;
        last.partitions |= bit;
      } else list.push({ base, end, partitions: bit });
    },
    next(from, partition) {
      const bit = 1 << partition;
      for (let i = find(from); i < list.length; i++) {
        const extent = list[i] as Extent;
        if ((extent.partitions & bit) !== 0) return { base: Math.max(from, extent.base), end: extent.end };
      }
      return undefined;
    },
    trim(position) {
      list.splice(0, find(position));
    },
  };
}
