import type { EndpointRow } from '@svc/contracts/endpoint-view';
import { useRef } from 'react';

/**
 * The new values in the old order: while somebody points at the table or has a row in focus, no row moves or goes away.
 * A row that the server does not list any more keeps its last values until the table is let go.
 */
export function holdOrder(before: readonly EndpointRow[], next: readonly EndpointRow[]): EndpointRow[] {
  const fresh = new Map(next.map((row) => [row.id, row]));
  return before.map((row) => fresh.get(row.id) ?? row);
}

/** Rows for the table; `view` names what is shown, and another view is taken as it comes. */
export function useSteadyRows(
  rows: readonly EndpointRow[] | undefined,
  { view, held }: { view: string; held: boolean },
): readonly EndpointRow[] | undefined {
  const last = useRef<{ view: string; rows: readonly EndpointRow[]; source: readonly EndpointRow[] }>(undefined);
  if (!rows) return undefined;
  const before = last.current;
  if (before?.view === view && before.source === rows && held) return before.rows;
  const steady = before && before.view === view && held && before.rows.length > 0 ? holdOrder(before.rows, rows) : rows;
  last.current = { view, rows: steady, source: rows };
  return steady;
}
