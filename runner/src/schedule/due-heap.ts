export interface Due {
  /** Unix milliseconds. */
  dueMs: number;
}

/** Binary heap, the one that is due first on top. */
export function createDueHeap<Entry extends Due>() {
  let entries: Entry[] = [];
  const at = (index: number): Entry => entries[index] as Entry;
  const swap = (a: number, b: number): void => {
    const kept = at(a);
    entries[a] = at(b);
    entries[b] = kept;
  };
  const sink = (from: number): void => {
    for (let index = from; ; ) {
      const left = 2 * index + 1;
      if (left >= entries.length) return;
      const right = left + 1;
      const least = right < entries.length && at(right).dueMs < at(left).dueMs ? right : left;
      if (at(index).dueMs <= at(least).dueMs) return;
      swap(index, least);
      index = least;
    }
  };
  return {
    size: (): number => entries.length,
    peek: (): Entry | undefined => entries[0],
    push(entry: Entry): void {
      entries.push(entry);
      for (let index = entries.length - 1; index > 0; ) {
        const parent = (index - 1) >> 1;
        if (at(parent).dueMs <= at(index).dueMs) return;
        swap(index, parent);
        index = parent;
      }
    },
    pop(): Entry | undefined {
      const [top] = entries;
      const last = entries.pop();
      if (last !== undefined && entries.length > 0) {
        entries[0] = last;
        sink(0);
      }
      return top;
    },
    /** Takes these in place of what is there. */
    replace(next: Entry[]): void {
      entries = next;
      for (let index = (entries.length >> 1) - 1; index >= 0; index -= 1) sink(index);
    },
  };
}
