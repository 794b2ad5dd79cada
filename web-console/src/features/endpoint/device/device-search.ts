import { textOf } from '../../../ui/address/search-params.ts';
import { decodeRange, RANGES, type RangeRule, type RangeSearch } from '../../../ui/address/time-range.ts';

/** The brush moves in steps of this. */
export const STEP_MS = 5 * 60_000;

/** The strip's length; a window is the time brushed on it. */
export const DEVICE_RANGE: RangeRule = {
  names: ['1h', '6h', '24h', '7d'],
  usual: '24h',
  longestMs: 31 * RANGES['24h'],
  shortestMs: STEP_MS,
  reachMs: RANGES['7d'],
};

/** What a link to a device page carries: the strip's length, the brushed time, what it is compared with and the path looked at. */
export interface DeviceSearch extends RangeSearch {
  target?: string | undefined;
  compare?: Comparison | undefined;
}

/** What the chosen time is compared with. */
export const COMPARISONS = ['hour', 'yesterday'] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** Decodes the URL; a brush that is no time, runs backwards or is out of the page's reach is dropped. */
export function decodeDeviceSearch(raw: Record<string, unknown>, nowMs = Date.now()): DeviceSearch {
  const target = textOf(raw.target)?.slice(0, 253);
  const compare = COMPARISONS.find((known) => known === textOf(raw.compare));
  return { ...decodeRange(raw, DEVICE_RANGE, nowMs), ...(target ? { target } : {}), ...(compare ? { compare } : {}) };
}
