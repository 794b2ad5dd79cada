import type { Input, MetricKind, MetricRange } from '../../api-types.ts';
import { listOf, numberOf, textOf } from '../../ui/address/search-params.ts';
import { decodeRange, RANGES, type RangeRule, type RangeSearch, windowOf as windowOfRange } from '../../ui/address/time-range.ts';

export const METRICS_RANGE: RangeRule = {
  names: ['15m', '1h', '6h', '24h', '7d', '30d', '13mo'],
  usual: '1h',
  longestMs: 400 * RANGES['24h'],
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
export interface MetricsSearch extends RangeSearch {
  metric?: string | undefined;
  /** label=value, label!=value, label=~pattern, label!~pattern */
  match?: string[] | undefined;
  fn?: Fn | undefined;
  q?: number | undefined;
  agg?: Aggregate | undefined;
  by?: string[] | undefined;
}

const isIn = <T extends string>(text: string | undefined, all: Readonly<Record<T, unknown>>): text is T =>
  text !== undefined && Object.hasOwn(all, text);

/** Decodes the URL; what is not known or runs backwards is dropped. */
export function decodeMetricsSearch(raw: Record<string, unknown>): MetricsSearch {
  const [fn, agg] = [raw.fn, raw.agg].map(textOf);
  const search: MetricsSearch = {
    metric: textOf(raw.metric)?.slice(0, 1024),
    match: listOf(listOf(raw.match)?.filter(isMatch).slice(0, 20)),
    fn: isIn(fn, FUNCTION_WORDS) ? fn : undefined,
    q: numberOf(raw.q, [0, 1]),
    agg: isIn(agg, AGGREGATE_WORDS) ? agg : undefined,
    by: listOf(
      listOf(raw.by)
        ?.filter((label) => label.length <= MAX_LABEL)
        .slice(0, 10),
    ),
    ...decodeRange(raw, METRICS_RANGE),
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

const MAX_LABEL = 256;
const MAX_VALUE = 4096;

/** Whether the server takes a condition. */
const isMatch = (text: string): boolean => {
  const matcher = readMatch(text);
  return matcher !== undefined && matcher.label.length <= MAX_LABEL && (matcher.values[0] ?? '').length <= MAX_VALUE;
};

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
export const windowOf = (search: MetricsSearch, nowMs: number): { from: string; to: string } =>
  windowOfRange(search, METRICS_RANGE.usual, nowMs);

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
