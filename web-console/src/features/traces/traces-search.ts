import { listOf, membersOf, numberOf, textOf } from '../../ui/search-params.ts';

/** Lengths of the window, in milliseconds. The first is the default and leaves no trace in the URL. */
export const RANGES = { '1h': 3_600_000, '15m': 900_000, '6h': 21_600_000, '24h': 86_400_000, '7d': 604_800_000 } as const;
export type RangeName = keyof typeof RANGES;
export const RANGE_WORDS: Readonly<Record<RangeName, string>> = {
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  '6h': 'Last 6 hours',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
};

export const STATUSES = ['error', 'ok', 'unset'] as const;
export const KINDS = ['server', 'client', 'producer', 'consumer', 'internal', 'unspecified'] as const;
type Status = (typeof STATUSES)[number];
type Kind = (typeof KINDS)[number];

/** What a link to the list of traces carries. */
export interface TracesSearch {
  service?: string[] | undefined;
  operation?: string[] | undefined;
  status?: Status[] | undefined;
  kind?: Kind[] | undefined;
  min_ms?: number | undefined;
  max_ms?: number | undefined;
  /** key=value, key!=value, key, !key */
  attribute?: string[] | undefined;
  range?: RangeName | undefined;
  /** RFC 3339; only together. They win over the range. */
  from?: string | undefined;
  to?: string | undefined;
  sort?: 'duration' | undefined;
  view?: 'spans' | undefined;
}

const MAX_MS = 86_400_000;
const MAX_WINDOW_MS = 15 * MAX_MS;
const MAX_ATTRIBUTES = 10;

const isRange = (text: string | undefined): text is RangeName => text !== undefined && text in RANGES;

/** Decodes the URL; what is not known or runs backwards is dropped. */
export function decodeTracesSearch(raw: Record<string, unknown>): TracesSearch {
  const range = textOf(raw.range);
  const from = textOf(raw.from);
  const to = textOf(raw.to);
  const length = Date.parse(to ?? '') - Date.parse(from ?? '');
  const min = numberOf(raw.min_ms, [0, MAX_MS]);
  const max = numberOf(raw.max_ms, [0, MAX_MS]);
  const attribute = listOf(raw.attribute)?.slice(0, MAX_ATTRIBUTES);
  const search: TracesSearch = {
    service: listOf(raw.service),
    operation: listOf(raw.operation),
    status: membersOf(raw.status, STATUSES),
    kind: membersOf(raw.kind, KINDS),
    min_ms: min,
    max_ms: max,
    attribute,
    range: isRange(range) && range !== '1h' ? range : undefined,
    ...(length > 0 && length <= MAX_WINDOW_MS ? { from, to } : {}),
    sort: raw.sort === 'duration' ? 'duration' : undefined,
    view: raw.view === 'spans' ? 'spans' : undefined,
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

/** The part of the search that says what a span must be. */
export type SpanFilter = Pick<TracesSearch, 'service' | 'operation' | 'status' | 'kind' | 'min_ms' | 'max_ms' | 'attribute'>;

export const NO_FILTER: Readonly<Record<keyof SpanFilter, undefined>> = {
  service: undefined,
  operation: undefined,
  status: undefined,
  kind: undefined,
  min_ms: undefined,
  max_ms: undefined,
  attribute: undefined,
};

export function filterOf(search: TracesSearch): SpanFilter {
  const keys = Object.keys(NO_FILTER) as (keyof SpanFilter)[];
  return Object.fromEntries(keys.flatMap((key) => (search[key] === undefined ? [] : [[key, search[key]]])));
}

/** How many things are asked of a span, each attribute counted. */
export function countFilters(search: TracesSearch): number {
  const { attribute = [], min_ms: min, max_ms: max, ...rest } = filterOf(search);
  return Object.keys(rest).length + attribute.length + (min === undefined && max === undefined ? 0 : 1);
}

/** The window in RFC 3339: the one of the URL, or the range up to now. */
export function windowOf(search: TracesSearch, nowMs: number): { from: string; to: string } {
  if (search.from && search.to) return { from: search.from, to: search.to };
  const to = new Date(nowMs);
  return { from: new Date(nowMs - RANGES[search.range ?? '1h']).toISOString(), to: to.toISOString() };
}

/** Adds a value to a list, or takes it away when it is there. */
export function toggled<T extends string>(list: readonly T[] | undefined, value: T): T[] | undefined {
  const next = list?.includes(value) ? list.filter((item) => item !== value) : [...(list ?? []), value];
  return next.length > 0 ? next : undefined;
}

const OPERATORS = { equals: '=', differs: '≠', exists: 'exists', absent: 'is missing' } as const;

/** A filter on an attribute taken apart for its chip, by the server's own rule. */
export function readAttribute(text: string): {
  key: string;
  operator: (typeof OPERATORS)[keyof typeof OPERATORS];
  value: string;
} {
  const at = text.indexOf('=');
  if (at < 0)
    return text.startsWith('!')
      ? { key: text.slice(1), operator: OPERATORS.absent, value: '' }
      : { key: text, operator: OPERATORS.exists, value: '' };
  const differs = at > 0 && text[at - 1] === '!';
  return {
    key: text.slice(0, differs ? at - 1 : at),
    operator: differs ? OPERATORS.differs : OPERATORS.equals,
    value: text.slice(at + 1),
  };
}
