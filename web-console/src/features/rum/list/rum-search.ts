import type { RumQuery } from '@svc/contracts/rum/views';
import { textOf } from '../../../ui/address/search-params.ts';

export type SortColumn = RumQuery['sort'];

/** Columns by which the server sorts, each with the direction of a first click. */
export const SORTS: Readonly<Record<SortColumn, 'asc' | 'desc'>> = {
  ...{ verdict: 'asc', app: 'asc', host: 'asc' },
  ...{ views: 'desc', error_rate: 'desc', p75_lcp: 'desc', runs_failed: 'desc' },
};

/** The choices side by side, in words of the question and not of the verdicts' names. */
export const SHOWN = ['hurt', 'tests', 'healthy', 'unjudged'] as const;
export type Shown = (typeof SHOWN)[number];

export interface RumSearch {
  search?: string | undefined;
  show?: Shown | undefined;
  /** A column; with a minus in front it descends. Absent: the worst first. */
  sort?: string | undefined;
}

export const isColumn = (name: string): name is SortColumn => Object.hasOwn(SORTS, name);

/** The URL's query as a search; what is not understood is dropped. */
export function decodeRumSearch(raw: Record<string, unknown>): RumSearch {
  const search = textOf(raw.search)?.slice(0, 200);
  const show = SHOWN.find((name) => name === textOf(raw.show));
  const sort = textOf(raw.sort);
  return {
    ...(search ? { search } : {}),
    ...(show ? { show } : {}),
    ...(sort !== undefined && isColumn(sort.replace(/^-/, '')) && sort !== 'verdict' ? { sort } : {}),
  };
}
