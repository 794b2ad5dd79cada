import type { SearchMiddleware } from '@tanstack/react-router';
import { decodeRange, fitRange, RANGES, type RangeSearch, type TimeRule } from './time-range.ts';

const KEYS = ['range', 'from', 'to'] as const;

/** Every range there is: for a page that shows none and only hands it on. */
const ANY: TimeRule = {
  names: Object.keys(RANGES) as (keyof typeof RANGES)[],
  longestMs: Number.POSITIVE_INFINITY,
};

/** The range that a page without one of its own carries to the next. */
export const decodeCarried = (raw: Record<string, unknown>): RangeSearch => decodeRange(raw, ANY);

/**
 * Search middleware of a route with a time range: a link to it that names no time takes along the one of the page that it stands on,
 * as far as the new page can show it. A link that names any of `range`, `from` and `to`, even as undefined, is left as it is.
 */
export function keepRange<Search extends RangeSearch>(rule: TimeRule = ANY): SearchMiddleware<Search> {
  return ({ search, next }) => {
    const asked = next(search);
    if (KEYS.some((key) => key in asked)) return asked;
    return { ...asked, ...fitRange(search, rule) };
  };
}
