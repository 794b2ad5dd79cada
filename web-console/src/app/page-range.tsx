import { useMatches } from '@tanstack/react-router';
import { RangeMenu } from '../ui/address/range-menu.tsx';
import type { RangeSearch } from '../ui/address/time-range.ts';
import { useSearchChange } from '../ui/address/use-search-change.ts';

/**
 * The time that the page covers, for every route with a range. Reads the match that is on screen and never a route by its name:
 * the page may be on its way out.
 */
export function PageRange() {
  const page = useMatches({ select: (matches) => matches.at(-1) });
  const change = useSearchChange<RangeSearch>(page?.pathname ?? '/');
  const rule = page?.staticData.range;
  // What follows live has no range until it stops.
  if (!page || !rule || ('live' in page.search && page.search.live)) return null;
  return <RangeMenu rule={rule} search={page.search as RangeSearch} onChange={change} />;
}
