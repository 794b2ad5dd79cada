/** How many of the first items come to no more than `most` together; at least one, however heavy it is. */
export function countWithin<Item>(items: readonly Item[], weigh: (item: Item) => number, most: number): number {
  let sum = 0;
  for (const [i, item] of items.entries()) {
    sum += weigh(item);
    if (sum > most && i > 0) return i;
  }
  return items.length;
}
