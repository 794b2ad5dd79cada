import { listOf, textOf } from '../../ui/address/search-params.ts';
import {
  decodeRange,
  RANGES,
  type RangeName,
  type RangeRule,
  type RangeSearch,
  windowOf as windowOfRange,
} from '../../ui/address/time-range.ts';

export const LOGS_RANGE: RangeRule = { names: ['15m', '1h', '6h', '24h', '7d'], usual: '1h', longestMs: 31 * RANGES['24h'] };

/** Each range as a sentence ends with it. */
export const IN_RANGE: Readonly<Record<RangeName, string>> = {
  '15m': 'in the last 15 minutes',
  '1h': 'in the last hour',
  '6h': 'in the last 6 hours',
  '24h': 'in the last 24 hours',
  '7d': 'in the last 7 days',
  '30d': 'in the last 30 days',
  '13mo': 'in the last 13 months',
};

/** Least severity by its word, with OTLP's first number of it. */
export const LEVELS = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 } as const;
export type Level = keyof typeof LEVELS;

/** What a link to the log page carries. */
export interface LogsSearch extends RangeSearch {
  text?: string | undefined;
  service?: string[] | undefined;
  /** This level and all above. */
  level?: Level | undefined;
  /** key=value, key!=value, key, !key */
  attribute?: string[] | undefined;
  trace?: string | undefined;
  live?: 'on' | undefined;
  /** A record whose neighbours are shown beside the list. */
  around?: string | undefined;
}

const MAX_ATTRIBUTES = 20;
const MAX_NAME = 4096;
const MAX_TEST = 4400;
/** The server's own rule: key=value, key!=value, key or !key. */
const ATTRIBUTE_TEST = /^(![^=!\s][^=!]{0,254}|[^=!\s][^=!]{0,254}(!?=.{0,4096})?)$/s;

const isTest = (test: string): boolean => test.length <= MAX_TEST && ATTRIBUTE_TEST.test(test);

const memberOf = <T extends object>(names: T, text: string | undefined): keyof T | undefined =>
  text !== undefined && Object.hasOwn(names, text) ? (text as keyof T) : undefined;

/** Decodes the URL; what is not known or runs backwards is dropped. */
export function decodeLogsSearch(raw: Record<string, unknown>): LogsSearch {
  const trace = textOf(raw.trace)?.toLowerCase();
  const search: LogsSearch = {
    text: textOf(raw.text)?.slice(0, 500),
    service: listOf(listOf(raw.service)?.filter((name) => name.length <= MAX_NAME)),
    level: memberOf(LEVELS, textOf(raw.level)),
    attribute: listOf(listOf(raw.attribute)?.filter(isTest).slice(0, MAX_ATTRIBUTES)),
    trace: trace !== undefined && /^[0-9a-f]{32}$/.test(trace) ? trace : undefined,
    ...decodeRange(raw, LOGS_RANGE),
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
export const windowOf = (search: LogsSearch, nowMs: number): { from: string; to: string } =>
  windowOfRange(search, LOGS_RANGE.usual, nowMs);

/** The test of one value of an attribute; undefined for what a filter cannot name. */
export const attributeTest = (key: string, value: string, exclude: boolean): string | undefined =>
  /^[^=!\s][^=!]*$/.test(key) ? `${key}${exclude ? '!=' : '='}${value}` : undefined;

/** A list with one more, or undefined when it was empty. */
export const withOne = (list: readonly string[] | undefined, value: string): string[] => [...new Set([...(list ?? []), value])];
export function without(list: readonly string[] | undefined, value: string): string[] | undefined {
  const left = (list ?? []).filter((item) => item !== value);
  return left.length > 0 ? left : undefined;
}
