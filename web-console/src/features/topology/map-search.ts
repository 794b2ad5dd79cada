import { textOf } from '../../ui/address/search-params.ts';
import { decodeRange, RANGES, type RangeName, type RangeRule, type RangeSearch } from '../../ui/address/time-range.ts';

export const MAP_RANGE: RangeRule = { names: ['15m', '1h', '6h', '24h', '7d'], usual: '15m', longestMs: RANGES['7d'] };

/** Each range in the middle of a sentence. */
export const RANGE_IN_SENTENCE: Readonly<Record<RangeName, string>> = {
  '15m': 'last 15 minutes',
  '1h': 'last hour',
  '6h': 'last 6 hours',
  '24h': 'last 24 hours',
  '7d': 'last 7 days',
  '30d': 'last 30 days',
  '13mo': 'last 13 months',
};

export interface MapSearch extends RangeSearch {
  /** Id of the node looked at. */
  node?: string | undefined;
  /** Part of a name. */
  find?: string | undefined;
  only?: 'failing' | undefined;
}

const MAX_FIND = 200;

export function decodeMapSearch(raw: Record<string, unknown>): MapSearch {
  const node = textOf(raw.node)?.slice(0, 5000);
  const find = textOf(raw.find)?.slice(0, MAX_FIND);
  return {
    ...decodeRange(raw, MAP_RANGE),
    ...(node ? { node } : {}),
    ...(find?.trim() ? { find } : {}),
    ...(raw.only === 'failing' ? { only: 'failing' } : {}),
  };
}
