import { formatDuration, plural } from '../words/format.ts';
import { textOf } from './search-params.ts';

/** Every relative range of the console, in milliseconds up to now. A page offers some of them. */
export const RANGES = {
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
  '13mo': 34_164_000_000,
} as const;
export type RangeName = keyof typeof RANGES;

export const RANGE_WORDS: Readonly<Record<RangeName, string>> = {
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  '6h': 'Last 6 hours',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '13mo': 'Last 13 months, by the hour',
};

/** The time range as an address holds it: a relative one, or two instants that win over it. */
export interface RangeSearch {
  range?: RangeName | undefined;
  /** RFC 3339; only together. */
  from?: string | undefined;
  to?: string | undefined;
}

/** What a page can show. */
export interface TimeRule {
  /** Shortest first, as the menu lists them. */
  names: readonly RangeName[];
  /** Shown where the address names none; without one the page then shows all times. */
  usual?: RangeName;
  /** Bounds of `from` to `to`, milliseconds. */
  longestMs: number;
  shortestMs?: number;
  /** How far back `from` may lie; no bound where it is left out. */
  reachMs?: number;
}

/** Of a page that always shows some window. */
export interface RangeRule extends TimeRule {
  usual: RangeName;
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Milliseconds since the epoch, NaN for all but RFC 3339. */
export const readInstant = (text: string | undefined): number =>
  text !== undefined && INSTANT.test(text) ? Date.parse(text) : Number.NaN;

/** An instant for the address: UTC, to the second. */
export const writeInstant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** A viewer's clock may be slow by so much against the one that wrote the address. */
const SLOW_CLOCK_MS = 10 * 60_000;

/** Whether a page could show any of a window: not if it lies before what the page goes back to, or has not begun. */
const isInReach = ({ from, to }: { from: number; to: number }, { reachMs }: TimeRule, nowMs: number): boolean =>
  from < nowMs + SLOW_CLOCK_MS && (reachMs === undefined || to > nowMs - reachMs);

/** The range of an address as far as the page can show it; the rest is left out. */
export function decodeRange(raw: Record<string, unknown>, rule: TimeRule, nowMs = Date.now()): RangeSearch {
  const name = textOf(raw.range);
  const range = rule.names.find((known) => known === name);
  const [from, to] = [textOf(raw.from), textOf(raw.to)];
  const [begin, end] = [readInstant(from), readInstant(to)];
  const length = end - begin;
  const isShown =
    length >= (rule.shortestMs ?? 1) && length <= rule.longestMs && isInReach({ from: begin, to: end }, rule, nowMs);
  return { ...(range ? { range } : {}), ...(isShown ? { from, to } : {}) };
}

/** The window in RFC 3339: the instants of the address, or the range up to now. */
export function windowOf({ from, to, range }: RangeSearch, usual: RangeName, nowMs: number): { from: string; to: string } {
  if (from && to) return { from, to };
  return { from: new Date(nowMs - RANGES[range ?? usual]).toISOString(), to: new Date(nowMs).toISOString() };
}

/** What comes closest on another page: the longest range it offers within this one, and of a longer window its end. */
export function fitRange({ range, from, to }: RangeSearch, rule: TimeRule): RangeSearch {
  const length = readInstant(to) - readInstant(from);
  const fitted = range && (rule.names.findLast((name) => RANGES[name] <= RANGES[range]) ?? rule.names[0]);
  return {
    ...(fitted ? { range: fitted } : {}),
    ...(length >= (rule.shortestMs ?? 1)
      ? { from: length > rule.longestMs ? writeInstant(readInstant(to) - rule.longestMs) : from, to }
      : {}),
  };
}

/** The chosen range, or the shortest offered one that reaches back to where the window begins. */
export function rangeReaching({ range, from }: RangeSearch, rule: RangeRule, nowMs: number): RangeName {
  const chosen = range ?? rule.usual;
  const back = nowMs - readInstant(from);
  if (!(back > RANGES[chosen])) return chosen;
  return rule.names.find((name) => RANGES[name] >= back) ?? chosen;
}

const DAY_MS = RANGES['24h'];
const inWords = (ms: number): string => (ms < 2 * DAY_MS ? formatDuration(ms) : plural(Math.floor(ms / DAY_MS), 'day'));

/** Why a page cannot show a window, milliseconds since the epoch; undefined for one that it can. */
export function faultOf({ from, to }: { from: number; to: number }, rule: TimeRule, nowMs: number): string | undefined {
  const { shortestMs = 1, longestMs, reachMs } = rule;
  if (Number.isNaN(from) || Number.isNaN(to)) return 'Enter both times.';
  if (to <= from) return 'The end must be after the start.';
  if (to - from < shortestMs) return `The shortest window is ${inWords(shortestMs)}.`;
  if (to - from > longestMs) return `The longest window is ${inWords(longestMs)}.`;
  if (reachMs !== undefined && from < nowMs - reachMs) return `This page goes back ${inWords(reachMs)}.`;
  return undefined;
}
