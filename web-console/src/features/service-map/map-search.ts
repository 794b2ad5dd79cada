import { textOf } from '../../ui/search-params.ts';

/** Lengths of the window, in milliseconds. The first is the default and leaves no trace in the URL. */
export const RANGES = { '15m': 900_000, '1h': 3_600_000, '6h': 21_600_000, '24h': 86_400_000, '7d': 604_800_000 } as const;
export type RangeName = keyof typeof RANGES;
export const RANGE_OPTIONS: readonly { value: RangeName; label: string; words: string }[] = [
  { value: '15m', label: '15 min', words: 'last 15 minutes' },
  { value: '1h', label: '1 h', words: 'last hour' },
  { value: '6h', label: '6 h', words: 'last 6 hours' },
  { value: '24h', label: '24 h', words: 'last 24 hours' },
  { value: '7d', label: '7 d', words: 'last 7 days' },
];

export interface MapSearch {
  range?: RangeName | undefined;
  /** Id of the node looked at. */
  node?: string | undefined;
}

export function decodeMapSearch(raw: Record<string, unknown>): MapSearch {
  const range = textOf(raw.range);
  const node = textOf(raw.node)?.slice(0, 5000);
  return {
    ...(range !== undefined && range in RANGES && range !== '15m' ? { range: range as RangeName } : {}),
    ...(node ? { node } : {}),
  };
}
