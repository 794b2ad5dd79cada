import { textOf } from '../../../ui/address/search-params.ts';
import { decodeRange, RANGES, type RangeRule, type RangeSearch, writeInstant } from '../../../ui/address/time-range.ts';

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

/** A stretch of time, milliseconds since the epoch. */
export interface TimeSpan {
  from: number;
  to: number;
}

/** A time as the URL writes it: to the second, UTC. */
export const encodeTime = writeInstant;

/** The brushed span where there is one that overlaps the strip, else the whole strip. */
export function shownSpan(search: DeviceSearch, strip: TimeSpan): TimeSpan {
  const from = Date.parse(search.from ?? '');
  const to = Date.parse(search.to ?? '');
  if (!(from < to) || to <= strip.from || from >= strip.to) return strip;
  return { from: Math.max(from, strip.from), to: Math.min(to, strip.to) };
}

/** What the address says of a brushed span; both keys undefined for one that leaves out less than half a step at either end. */
export function brushSearch(span: TimeSpan | undefined, strip: TimeSpan): { from: string | undefined; to: string | undefined } {
  const slack = STEP_MS / 2;
  const isWhole = !span || (span.from < strip.from + slack && span.to > strip.to - slack);
  return isWhole ? { from: undefined, to: undefined } : { from: encodeTime(span.from), to: encodeTime(span.to) };
}
