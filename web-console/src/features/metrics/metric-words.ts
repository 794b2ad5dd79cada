import type { MetricRange } from '../../api-types.ts';
import { formatBytes, formatCount, formatMs } from '../../ui/words/format.ts';
import { AGGREGATE_WORDS, type Aggregate, type Fn, isHistogram, type Line } from './metrics-search.ts';

const THIN = '\u202f';
const figures = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 });
const large = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4, notation: 'compact' });

const figure = (value: number): string => (Math.abs(value) >= 1e6 ? large : figures).format(value).replace('-', '\u2212');

const MS: Readonly<Record<string, number>> = { s: 1000, ms: 1, us: 1e-3, ns: 1e-6 };

function length(ms: number): string {
  if (ms < 0) return `\u2212${length(-ms)}`;
  if (ms > 0 && ms < 0.95) return `${figures.format(Number((ms * 1000).toPrecision(3)))}${THIN}µs`;
  return formatMs(ms);
}

/** A value with the unit it has after the function: lengths and bytes as people read them, an annotation as its word. */
export function formatMetric(value: number, { unit, fn, kind }: { unit: string; fn: Fn; kind: MetricRange['kind'] }): string {
  const counted = isHistogram(kind) && (fn === 'rate' || fn === 'increase');
  const per = fn === 'rate' ? '/s' : '';
  if (counted) return `${figure(value)}${per}`;
  // Seconds of work a second are a share, no length.
  const scale = fn === 'rate' ? undefined : MS[unit];
  if (scale !== undefined) return length(value * scale);
  if (unit === 'By') return `${value < 0 ? '\u2212' : ''}${formatBytes(Math.abs(value))}${per}`;
  const word = unit === '1' ? '' : unit.replaceAll(/[{}]/g, '');
  return `${figure(value)}${word === '' || word === '%' ? '' : THIN}${word}${per}`;
}

/** What people call things by, before anything else that would tell as much. */
const FIRST = [
  'service.name',
  'http.route',
  'rpc.method',
  'http.request.method',
  'http.response.status_code',
  'host.name',
  'k8s.pod.name',
];

/** The fewest labels that tell lines apart, the usual names first; all labels of a line that stands alone. */
export function tellingLabels(lines: readonly Pick<Line, 'labels'>[]): string[] {
  const names = [...new Set(lines.flatMap(({ labels }) => Object.keys(labels)))].sort();
  if (lines.length <= 1) return names;
  const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const valuesOf = (name: string): number => new Set(lines.map(({ labels }) => labels[name] ?? '')).size;
  const ordered = names
    .map((name) => ({ name, values: valuesOf(name) }))
    .filter(({ values }) => values > 1)
    .sort((a, b) => rank(a.name) - rank(b.name) || b.values - a.values);
  const telling: string[] = [];
  let apart = 1;
  for (const { name } of ordered) {
    if (apart === lines.length) break;
    const keys = new Set(lines.map(({ labels }) => JSON.stringify([...telling, name].map((key) => labels[key]))));
    if (keys.size === apart) continue;
    telling.push(name);
    apart = keys.size;
  }
  return telling;
}

/** The series that has what came of series beyond the bound of a day (docs/telemetry/otlp.md, "Series beyond the bound"). */
export const isOverflow = ({ labels }: Pick<Line, 'labels'>): boolean => labels['otel.metric.overflow'] === 'true';

/** A line by the values that tell it apart; the shortest that still does. */
export function nameLine({ labels }: Pick<Line, 'labels'>, telling: readonly string[]): string {
  if (isOverflow({ labels })) return 'other series (beyond the day’s limit)';
  const words = telling.flatMap((name) => (labels[name] === undefined ? [] : [labels[name] || 'empty']));
  return words.join(' · ') || 'all series';
}

/** 0.95 as "95 %", 0.999 as "99.9 %". */
export const quantileWord = (q: number): string => `${Number((q * 100).toPrecision(5))}%`;

/** What is drawn, in words. */
export function describeQuestion({ fn, q, agg, by }: { fn: Fn; q: number; agg: Aggregate; by: readonly string[] }): string {
  const what = {
    raw: 'Last value',
    avg: 'Average',
    min: 'Least',
    max: 'Most',
    rate: 'Rate per second',
    increase: 'Increase of each step',
    quantile: `${quantileWord(q)} quantile`,
  }[fn];
  if (agg === 'none') return `${what}, each series`;
  const of = by.length > 0 ? `by ${by.join(', ')}` : 'all series together';
  return agg === 'sum' ? `${what}, ${of}` : `${what}, ${AGGREGATE_WORDS[agg]} ${by.length > 0 ? of : 'of all series'}`;
}

const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7);

/** How many series a metric has. They are known by the month (UTC), so that those that ended before this time count too. */
export function countedSeries(series: number, { from, to }: { from: string; to: string }, nowMs: number): string {
  const now = monthOf(nowMs);
  const ofNow = monthOf(Date.parse(from)) === now && monthOf(Date.parse(to)) === now;
  return `${formatCount(series)} series ${ofNow ? 'this month' : 'in the months of this time'}, ended ones included`;
}
