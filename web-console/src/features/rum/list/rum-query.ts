import type { RumState, RumVerdict } from '@svc/contracts/rum/kinds';
import type { RumQuery } from '@svc/contracts/rum/views';
import { isColumn, type RumSearch, type Shown, SORTS, type SortColumn } from './rum-search.ts';

export const SHOWN_FILTERS: Readonly<Record<Shown, { verdict?: RumVerdict[]; state?: RumState[] }>> = {
  hurt: { verdict: ['user_impact_confirmed', 'user_only_synthetic_blind'] },
  tests: { verdict: ['synthetic_only_no_user_impact'] },
  healthy: { verdict: ['healthy'], state: ['judged'] },
  unjudged: { state: ['too_few', 'quiet', 'waiting'] },
};

export function sortOf({ sort }: RumSearch): { column: SortColumn; descending: boolean } {
  const column = (sort ?? '').replace(/^-/, '');
  return isColumn(column) ? { column, descending: sort?.startsWith('-') ?? false } : { column: 'verdict', descending: false };
}

/** A click on a head: its own first direction, then the other, then the usual order again. */
export function nextSort(search: RumSearch, column: SortColumn): string | undefined {
  const now = sortOf(search);
  const first = SORTS[column] === 'desc';
  const written = (descending: boolean): string => `${descending ? '-' : ''}${column}`;
  if (now.column !== column) return written(first);
  return now.descending === first ? written(!first) : undefined;
}

/** As `rum.overview` is asked. */
export function toQuery(search: RumSearch): Omit<RumQuery, 'limit' | 'cursor' | 'app'> {
  const { column, descending } = sortOf(search);
  return {
    ...(search.search ? { search: search.search } : {}),
    ...(search.show ? SHOWN_FILTERS[search.show] : {}),
    ...{ sort: column, descending },
  };
}

export const countFilters = ({ search, show }: RumSearch): number => (search ? 1 : 0) + (show ? 1 : 0);
export const NO_FILTERS: RumSearch = { search: undefined, show: undefined };
