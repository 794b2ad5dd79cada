import { textOf } from '../../ui/search-params.ts';

/** Lengths of the strip, in milliseconds. The first is the default and leaves no trace in the URL. */
export const RANGES = { '24h': 24 * 3_600_000, '1h': 3_600_000, '6h': 6 * 3_600_000, '7d': 7 * 24 * 3_600_000 } as const;
export type RangeName = keyof typeof RANGES;
export const RANGE_WORDS: Readonly<Record<RangeName, string>> = {
  '1h': 'Last hour',
  '6h': 'Last 6 hours',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
};

/** What a link to a device page carries: the strip's length, the brushed time and the path looked at. */
export interface DeviceSearch {
  range?: RangeName | undefined;
  /** RFC 3339 to the second; only together. */
  from?: string | undefined;
  to?: string | undefined;
  target?: string | undefined;
}

const isRange = (text: string | undefined): text is RangeName => text !== undefined && text in RANGES;

/** Decodes the URL; a brush that is no time or runs backwards is dropped. */
export function decodeDeviceSearch(raw: Record<string, unknown>): DeviceSearch {
  const range = textOf(raw.range);
  const from = textOf(raw.from);
  const to = textOf(raw.to);
  const target = textOf(raw.target)?.slice(0, 253);
  const length = Date.parse(to ?? '') - Date.parse(from ?? '');
  return {
    ...(isRange(range) && range !== '24h' ? { range } : {}),
    ...(length >= STEP_MS && length <= 31 * RANGES['24h'] ? { from, to } : {}),
    ...(target ? { target } : {}),
  };
}

/** The brush moves in steps of this. */
export const STEP_MS = 5 * 60_000;

/** A stretch of time, milliseconds since the epoch. */
export interface TimeSpan {
  from: number;
  to: number;
}

/** A time as the URL writes it: to the second, UTC. */
export const encodeTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** The brushed span where there is one that overlaps the strip, else the whole strip. */
export function shownSpan(search: DeviceSearch, strip: TimeSpan): TimeSpan {
  const from = Date.parse(search.from ?? '');
  const to = Date.parse(search.to ?? '');
  if (!(from < to) || to <= strip.from || from >= strip.to) return strip;
  return { from: Math.max(from, strip.from), to: Math.min(to, strip.to) };
}
