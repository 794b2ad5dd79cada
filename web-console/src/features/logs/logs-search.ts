import { listOf, textOf } from '../../ui/search-params.ts';

/** Lengths of the window, in milliseconds. The first is the default and leaves no trace in the URL. */
export const RANGES = { '1h': 3_600_000, '15m': 900_000, '6h': 21_600_000, '24h': 86_400_000, '7d': 604_800_000 } as const;
export type RangeName = keyof typeof RANGES;
export const RANGE_OPTIONS: readonly { value: RangeName; label: string; words: string }[] = [
  { value: '15m', label: '15 min', words: 'in the last 15 minutes' },
  { value: '1h', label: '1 h', words: 'in the last hour' },
  { value: '6h', label: '6 h', words: 'in the last 6 hours' },
  { value: '24h', label: '24 h', words: 'in the last 24 hours' },
  { value: '7d', label: '7 d', words: 'in the last 7 days' },
];

/** Least severity by its word, with OTLP's first number of it. */
export const LEVELS = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 } as const;
export type Level = keyof typeof LEVELS;

/** What a link to the log page carries. */
export interface LogsSearch {
  text?: string | undefined;
  service?: string[] | undefined;
  /** This level and all above. */
  level?: Level | undefined;
  /** key=value, key!=value, key, !key */
  attribute?: string[] | undefined;
  trace?: string | undefined;
  range?: RangeName | undefined;
  /** RFC 3339; only together. They win over the range. */
  from?: string | undefined;
  to?: string | undefined;
  live?: 'on' | undefined;
  /** A record whose neighbours are shown beside the list. */
  around?: string | undefined;
}

const MAX_WINDOW_MS = 31 * 86_400_000;
const MAX_ATTRIBUTES = 20;

const memberOf = <T extends object>(names: T, text: string | undefined): keyof T | undefined =>
  text !== undefined && text in names ? (text as keyof T) : undefined;

/** Decodes the URL; what is not known or runs backwards is dropped. */
export function decodeLogsSearch(raw: Record<string, unknown>): LogsSearch {
  const [from, to] = [textOf(raw.from), textOf(raw.to)];
  const length = Date.parse(to ?? '') - Date.parse(from ?? '');
  const range = memberOf(RANGES, textOf(raw.range));
  const trace = textOf(raw.trace)?.toLowerCase();
  const search: LogsSearch = {
    text: textOf(raw.text)?.slice(0, 500),
    service: listOf(raw.service),
    level: memberOf(LEVELS, textOf(raw.level)),
    attribute: listOf(raw.attribute)?.slice(0, MAX_ATTRIBUTES),
    trace: trace !== undefined && /^[0-9a-f]{32}$/.test(trace) ? trace : undefined,
    range: range === '1h' ? undefined : range,
    ...(length > 0 && length <= MAX_WINDOW_MS ? { from, to } : {}),
    live: raw.live === 'on' ? 'on' : undefined,
    around: textOf(raw.around)?.slice(0, 200),
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

/** What the server is asked for: the tests on a record, without its window. */
export interface LogQuery {
  text?: string;
  service?: string[];
  severity?: number;
  attribute?: string[];
  trace_id?: string;
}

export const queryOf = ({ text, service, level, attribute, trace }: LogsSearch): LogQuery => ({
  ...(text ? { text } : {}),
  ...(service ? { service } : {}),
  ...(level ? { severity: LEVELS[level] } : {}),
  ...(attribute ? { attribute } : {}),
  ...(trace ? { trace_id: trace } : {}),
});

/** How many things are asked of a record. */
export const countFilters = ({ text, service, level, attribute = [], trace }: LogsSearch): number =>
  [text, service, level, trace].filter(Boolean).length + attribute.length;

export const NO_FILTERS = {
  text: undefined,
  service: undefined,
  level: undefined,
  attribute: undefined,
  trace: undefined,
} as const;

/** The window in RFC 3339: the one of the URL, or the range up to now. */
export function windowOf({ from, to, range = '1h' }: LogsSearch, nowMs: number): { from: string; to: string } {
  if (from && to) return { from, to };
  return { from: new Date(nowMs - RANGES[range]).toISOString(), to: new Date(nowMs).toISOString() };
}

/** The test of one value of an attribute; undefined for what a filter cannot name. */
export const attributeTest = (key: string, value: string, exclude: boolean): string | undefined =>
  /^[^=!\s][^=!]*$/.test(key) ? `${key}${exclude ? '!=' : '='}${value}` : undefined;

/** A list with one more, or undefined when it was empty. */
export const withOne = (list: readonly string[] | undefined, value: string): string[] => [...new Set([...(list ?? []), value])];
export function without(list: readonly string[] | undefined, value: string): string[] | undefined {
  const left = (list ?? []).filter((item) => item !== value);
  return left.length > 0 ? left : undefined;
}
