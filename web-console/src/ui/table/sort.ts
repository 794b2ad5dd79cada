/** One column of a sort; of several, the first weighs most. */
export interface SortItem<Column extends string = string> {
  column: Column;
  desc: boolean;
}

interface Click<Column extends string> {
  column: Column;
  /** Which direction a first click gives. */
  first: 'asc' | 'desc';
  /** With Shift: the column joins those that sort already. */
  add: boolean;
  /** How many columns may sort at once. */
  most: number;
}

/** A click on a column's head: alone it replaces the sort, with Shift it joins it; a third click lets the column go. */
export function toggleSort<Column extends string>(
  sort: readonly SortItem<Column>[],
  { column, first, add, most }: Click<Column>,
): SortItem<Column>[] {
  const now = sort.find((item) => item.column === column);
  const fresh = { column, desc: first === 'desc' };
  if (!now || (!add && sort.length > 1)) return add ? [...sort, fresh].slice(0, most) : [fresh];
  if (now.desc === fresh.desc) return sort.map((item) => (item.column === column ? { column, desc: !item.desc } : item));
  return sort.filter((item) => item.column !== column);
}

/** A sort as addresses have it: a minus in front of what descends. */
export const encodeSort = (sort: readonly SortItem[]): string[] => sort.map((item) => `${item.desc ? '-' : ''}${item.column}`);

export const decodeSort = <Column extends string>(items: readonly string[]): SortItem<Column>[] =>
  items.map((item) => ({ column: item.replace(/^-/, '') as Column, desc: item.startsWith('-') }));
