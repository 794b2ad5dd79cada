import { listOf, membersOf, numberOf } from '../../ui/address/search-params.ts';
import { decodeRange, RANGES, type RangeRule, type RangeSearch, windowOf as windowOfRange } from '../../ui/address/time-range.ts';
import { faultOfAttribute, readAttribute } from './attribute-text.ts';

/** Spans are kept for 15 days. */
export const TRACES_RANGE: RangeRule = { names: ['15m', '1h', '6h', '24h', '7d'], usual: '1h', longestMs: 15 * RANGES['24h'] };

export const STATUSES = ['error', 'ok', 'unset'] as const;
export const KINDS = ['server', 'client', 'producer', 'consumer', 'internal', 'unspecified'] as const;
type Status = (typeof STATUSES)[number];
type Kind = (typeof KINDS)[number];

/** What a link to the list of traces carries. */
export interface TracesSearch extends RangeSearch {
  service?: string[] | undefined;
  operation?: string[] | undefined;
  status?: Status[] | undefined;
  kind?: Kind[] | undefined;
  min_ms?: number | undefined;
  max_ms?: number | undefined;
  /** As `attribute-text.ts` writes them. */
  attribute?: string[] | undefined;
  sort?: 'duration' | undefined;
  view?: 'spans' | undefined;
}

const MAX_MS = 86_400_000;
const MAX_ATTRIBUTES = 10;

const canBeAsked = (text: string): boolean => text.length <= 1024 && faultOfAttribute(readAttribute(text)) === undefined;
const upTo = (most: number) => (text: string) => text.length <= most;

/** Decodes the URL; what is not known or runs backwards is dropped. */
export function decodeTracesSearch(raw: Record<string, unknown>): TracesSearch {
  const min = numberOf(raw.min_ms, [0, MAX_MS]);
  const max = numberOf(raw.max_ms, [0, MAX_MS]);
  const attribute = listOf(listOf(raw.attribute)?.filter(canBeAsked).slice(0, MAX_ATTRIBUTES));
  const search: TracesSearch = {
    service: listOf(listOf(raw.service)?.filter(upTo(256))),
    operation: listOf(listOf(raw.operation)?.filter(upTo(1024))),
    status: membersOf(raw.status, STATUSES),
    kind: membersOf(raw.kind, KINDS),
    min_ms: min,
    max_ms: max,
    attribute,
    ...decodeRange(raw, TRACES_RANGE),
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
export const windowOf = (search: TracesSearch, nowMs: number): { from: string; to: string } =>
  windowOfRange(search, TRACES_RANGE.usual, nowMs);

/** Adds a value to a list, or takes it away when it is there. */
export function toggled<T extends string>(list: readonly T[] | undefined, value: T): T[] | undefined {
  const next = list?.includes(value) ? list.filter((item) => item !== value) : [...(list ?? []), value];
  return next.length > 0 ? next : undefined;
}
