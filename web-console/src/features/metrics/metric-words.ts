import type { MetricRange } from '../../api-types.ts';
import { formatBytes, formatMs } from '../../ui/format.ts';
import { type Fn, isHistogram, type Line } from './metrics-search.ts';

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
  return `${figure(value)}${word === '' ? '' : THIN}${word}${per}`;
}

/** The labels that tell lines apart: those that are not alike in all of them. */
export function tellingLabels(lines: readonly Pick<Line, 'labels'>[]): string[] {
  const values = new Map<string, Set<string>>();
  const names = new Set(lines.flatMap(({ labels }) => Object.keys(labels)));
  for (const name of names) values.set(name, new Set(lines.map(({ labels }) => labels[name] ?? '')));
  return [...names].filter((name) => lines.length === 1 || (values.get(name)?.size ?? 0) > 1).sort();
}

/** A line by the values that tell it apart; the shortest that still does. */
export function nameLine({ labels }: Pick<Line, 'labels'>, telling: readonly string[]): string {
  const words = telling.flatMap((name) => (labels[name] === undefined ? [] : [labels[name] || 'empty']));
  return words.join(' · ') || 'all series';
}

/** 0.95 as "95 %", 0.999 as "99.9 %". */
export const quantileWord = (q: number): string => `${Number((q * 100).toPrecision(5))}${THIN}%`;

/** What is drawn, in a sentence. */
export function describeQuestion({ fn, q, agg, by }: { fn: Fn; q: number; agg: string; by: readonly string[] }): string {
  const what = {
    raw: 'Last value',
    avg: 'Average',
    min: 'Least value',
    max: 'Largest value',
    rate: 'A second',
    increase: 'Increase',
    quantile: `${quantileWord(q)} were at most`,
  }[fn];
  const of = agg === 'none' ? 'of each series' : by.length > 0 ? `by ${by.join(', ')}` : 'of all series together';
  return `${what}, ${of}`;
}
