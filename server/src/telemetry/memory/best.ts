/** The first few of many in an order, in bounded memory; of equal ones those that came first. */
export interface Best<T> {
  add(item: T): void;
  /** In their order. */
  list(): T[];
}

export function createBest<T>(size: number, compare: (a: T, b: T) => number): Best<T> {
  let items: T[] = [];
  let worst: T | undefined;

  function cut(): void {
    items = items.sort(compare).slice(0, size);
    worst = items.length === size ? items.at(-1) : undefined;
  }

  return {
    add(item) {
      if (worst !== undefined && compare(item, worst) >= 0) return;
      items.push(item);
      if (items.length >= 2 * size + 16) cut();
    },
    list() {
      cut();
      return [...items];
    },
  };
}
