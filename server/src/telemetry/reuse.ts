/** At most this many of one kind wait for their next use; what one column once needed is kept with it. */
const MAX_IDLE = 3;

export interface Reuse<T> {
  take(): T;
  /** Only for what nobody reads any more. */
  give(used: T): void;
}

/** Keeps a few large objects for their next use: new memory for every block keeps the garbage collector busier than the blocks. */
export function createReuse<T>(make: () => T, reset: (used: T) => void): Reuse<T> {
  const idle: T[] = [];
  return {
    take: () => idle.pop() ?? make(),
    give(used) {
      if (idle.length >= MAX_IDLE) return;
      reset(used);
      idle.push(used);
    },
  };
}
