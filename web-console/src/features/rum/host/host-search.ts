import { textOf } from '../../../ui/address/search-params.ts';
import { decodeRange, RANGES, type RangeRule, type RangeSearch } from '../../../ui/address/time-range.ts';

/** As far back as the server answers. */
export const HOST_RANGE: RangeRule = {
  names: ['1h', '6h', '24h', '7d', '30d'],
  usual: '6h',
  longestMs: RANGES['30d'],
  shortestMs: 15 * 60_000,
  reachMs: RANGES['30d'],
};

/** What is drawn over time. */
export const DRAWN = ['lcp', 'inp', 'cls', 'fcp', 'errors'] as const;
export type Drawn = (typeof DRAWN)[number];

export interface HostSearch extends RangeSearch {
  /** What is drawn over time; absent: LCP and TTFB. */
  drawn?: Drawn | undefined;
  /** Figures over the whole range; absent: over the 15 minutes that the verdict is of. */
  figures?: 'range' | undefined;
}

/** Decodes the URL; what is not understood is dropped. */
export function decodeHostSearch(raw: Record<string, unknown>, nowMs = Date.now()): HostSearch {
  const drawn = DRAWN.find((name) => name === textOf(raw.drawn));
  return {
    ...decodeRange(raw, HOST_RANGE, nowMs),
    ...(drawn && drawn !== 'lcp' ? { drawn } : {}),
    ...(textOf(raw.figures) === 'range' ? { figures: 'range' as const } : {}),
  };
}
