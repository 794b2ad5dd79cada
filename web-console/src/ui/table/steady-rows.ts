import { useRef } from 'react';

interface Identified {
  readonly id: string;
}

/**
 * The new values in the old order: while somebody points at the table or has a row in focus, no row moves or goes away.
 * A row that the server does not list any more keeps its last values until the table is let go.
 */
export function holdOrder<T extends Identified>(before: readonly T[], next: readonly T[]): T[] {
  const fresh = new Map(next.map((row) => [row.id, row]));
  return before.map((row) => fresh.get(row.id) ?? row);
}

/** Rows for the table; `view` names what is shown, and another view is taken as it comes. */
export function useSteadyRows<T extends Identified>(
  rows: readonly T[] | undefined,
  { view, held }: { view: string; held: boolean },
): readonly T[] | undefined {
  const last = useRef<{ view: string; rows: readonly T[]; source: readonly T[] }>(undefined);
  if (!rows) return undefined;
  const before = last.current;
  if (before?.view === view && before.source === rows && held) return before.rows;
  const steady = before && before.view === view && held && before.rows.length > 0 ? holdOrder(before.rows, rows) : rows;
  last.current = { view, rows: steady, source: rows };
  return steady;
}
