import type { Input, MetricKind, MetricRange } from '../../api-types.ts';
import { listOf, numberOf, textOf } from '../../ui/search-params.ts';

/** Lengths of the window, in milliseconds. The first is the default and leaves no trace in the URL. */
export const RANGES = {
  '1h': 3_600_000,
  '15m': 900_000,
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

type Question = Input<'metrics.range'>;
export type Fn = NonNullable<Question['function']>;
export type Aggregate = NonNullable<Question['aggregate']>;
export type Matcher = NonNullable<Question['matchers']>[number];

export const FUNCTION_WORDS: Readonly<Record<Fn, string>> = {
  raw: 'Last value',
  avg: 'Average',
  min: 'Least',
  max: 'Most',
  rate: 'Rate',
  increase: 'Increase',
  quantile: 'Quantile',
};
export const AGGREGATE_WORDS: Readonly<Record<Aggregate, string>> = {
  none: 'each series',
  sum: 'sum',
  avg: 'average',
  min: 'least',
  max: 'most',
  count: 'number of series',
};
export const QUANTILES = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999] as const;

/** What a link to the metrics page carries. */
export interface MetricsSearch {
  metric?: string | undefined;
  /** label=value, label!=value, label=~pattern, label!~pattern */
  match?: string[] | undefined;
  fn?: Fn | undefined;
  q?: number | undefined;
  agg?: Aggregate | undefined;
  by?: string[] | undefined;
  range?: RangeName | undefined;
  /** RFC 3339; only together. They win over the range. */
  from?: string | undefined;
  to?: string | undefined;
}

const MAX_WINDOW_MS = 400 * 86_400_000;
const isIn = <T extends string>(text: string | undefined, all: Readonly<Record<T, unknown>>): text is T =>
  text !== undefined && Object.hasOwn(all, text);

/** Decodes the URL; what is not known or runs backwards is dropped. */
export function decodeMetricsSearch(raw: Record<string, unknown>): MetricsSearch {
  const [fn, agg, range, from, to] = [raw.fn, raw.agg, raw.range, raw.from, raw.to].map(textOf);
  const length = Date.parse(to ?? '') - Date.parse(from ?? '');
  const search: MetricsSearch = {
    metric: textOf(raw.metric)?.slice(0, 1024),
    match: listOf(raw.match)
      ?.filter((text) => readMatch(text) !== undefined)
      .slice(0, 20),
    fn: isIn(fn, FUNCTION_WORDS) ? fn : undefined,
    q: numberOf(raw.q, [0, 1]),
    agg: isIn(agg, AGGREGATE_WORDS) ? agg : undefined,
    by: listOf(raw.by)?.slice(0, 10),
    range: isIn(range, RANGES) && range !== '1h' ? range : undefined,
    ...(length > 0 && length <= MAX_WINDOW_MS ? { from, to } : {}),
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

const MATCH = /^([^=!~]+?)(=~|!~|!=|=)(.*)$/s;

/** A condition on a label, by the server's own rule. */
export function readMatch(text: string): Matcher | undefined {
  const [, label, op, value] = MATCH.exec(text) ?? [];
  return label === undefined || op === undefined || value === undefined
    ? undefined
    : { label, op: op as Matcher['op'], values: [value] };
}

/** The conditions of a link; several equal values of one label mean any of them. */
export function matchersOf(match: readonly string[] = []): Matcher[] {
  const equal = new Map<string, string[]>();
  const others: Matcher[] = [];
  for (const matcher of match.map(readMatch)) {
    if (matcher === undefined) continue;
    const [value = ''] = matcher.values;
    if (matcher.op === '=') equal.set(matcher.label, [...(equal.get(matcher.label) ?? []), value]);
    else others.push(matcher);
  }
  return [...[...equal].map(([label, values]): Matcher => ({ label, op: values.length > 1 ? 'in' : '=', values })), ...others];
}

/** The window in RFC 3339: the one of the URL, or the range up to now. */
export function windowOf(search: MetricsSearch, nowMs: number): { from: string; to: string } {
  if (search.from && search.to) return { from: search.from, to: search.to };
  return { from: new Date(nowMs - RANGES[search.range ?? '1h']).toISOString(), to: new Date(nowMs).toISOString() };
}

export const isHistogram = (kind: MetricKind): boolean => kind === 'summary' || kind.endsWith('histogram');
const counts = (kind: MetricKind): boolean => kind === 'sum' || kind === 'delta';

/** Functions that mean something for a kind, the usual one first. */
export function functionsOf(kind: MetricKind): readonly Fn[] {
  if (isHistogram(kind)) return ['quantile', 'avg', 'rate', 'increase'];
  return counts(kind) ? ['rate', 'increase', 'raw'] : ['avg', 'min', 'max', 'raw'];
}

/** Few enough lines to tell apart. */
const EACH_UP_TO = 8;

/** What is drawn where the link does not say: what one would ask first of this kind. */
export function choiceOf(
  search: MetricsSearch,
  about: { kind: MetricKind; series: number },
): { fn: Fn; agg: Aggregate; q: number } {
  const possible = functionsOf(about.kind);
  const fn = search.fn && possible.includes(search.fn) ? search.fn : (possible[0] as Fn);
  const usual = about.series <= EACH_UP_TO && !search.by ? 'none' : about.kind === 'gauge' ? 'avg' : 'sum';
  const together = about.kind === 'summary' && fn === 'quantile' && usual === 'sum' ? 'max' : usual;
  return { fn, agg: search.agg ?? together, q: search.q ?? 0.95 };
}

/** Adds a value to a list, or takes it away when it is there. */
export function toggled(list: readonly string[] | undefined, value: string): string[] | undefined {
  const next = list?.includes(value) ? list.filter((item) => item !== value) : [...(list ?? []), value];
  return next.length > 0 ? next : undefined;
}

/** The step of a range that was asked for as "by the hour": points do not reach that far back. */
export function stepOf({ from, to }: { from: string; to: string }): number | undefined {
  const hours = (Date.parse(to) - Date.parse(from)) / 3_600_000;
  if (hours <= 7 * 24) return undefined;
  // At most about 300 steps, all of whole hours.
  return Math.ceil(hours / 300) * 3600;
}

export type Line = MetricRange['series'][number];
