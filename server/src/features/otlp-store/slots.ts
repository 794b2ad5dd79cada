/** Lets a few at a time through; of those that wait the smallest goes first, so that a flood does not hold up who brings little. */
export interface Slots {
  use<T>(size: number, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  size: number;
  go: () => void;
}

export function createSlots(count: number): Slots {
  const waiting: Waiting[] = [];
  let free = count;
  return {
    async use(size, work) {
      if (free > 0) free--;
      else
        await new Promise<void>((go) => {
          waiting.push({ size, go });
          waiting.sort((a, b) => a.size - b.size);
        });
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next.go();
        else free++;
      }
    },
  };
}
