import type { DeviceView, StripHour } from '@svc/contracts/endpoint/view';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';

export type Span = DeviceView['verdicts'][number];

/** A bar is slow from this share of slow time on, as an hour is from 10 slow minutes on. */
const SLOW_SHARE = 1 / 6;
const SLOW: ReadonlySet<StripHour> = new Set(['wifi', 'local', 'isp', 'network', 'unknown']);

const overlap = (span: Span, from: number, to: number): number =>
  Math.max(0, Math.min(Date.parse(span.to), to) - Math.max(Date.parse(span.from), from));

/** Milliseconds of each verdict within a stretch of time; what no span covers was not measured. */
export function timeByVerdict(spans: readonly Span[], { from, to }: TimeSpan): Map<StripHour, number> {
  const sums = new Map<StripHour, number>();
  let covered = 0;
  for (const span of spans) {
    const ms = overlap(span, from, to);
    if (ms === 0) continue;
    covered += ms;
    sums.set(span.verdict, (sums.get(span.verdict) ?? 0) + ms);
  }
  const rest = to - from - covered;
  if (rest > 1000) sums.set('not_measured', (sums.get('not_measured') ?? 0) + rest);
  return sums;
}

const largest = (sums: Iterable<[StripHour, number]>): StripHour | undefined => [...sums].sort((a, b) => b[1] - a[1])[0]?.[0];

/** What one bar shows: slow from a sixth of its time on, else what was longest; a minute of measuring beats not measured. */
export function ruleOf(sums: ReadonlyMap<StripHour, number>, lengthMs: number): StripHour {
  const slow = [...sums].filter(([verdict]) => SLOW.has(verdict));
  const slowMs = slow.reduce((sum, [, ms]) => sum + ms, 0);
  if (slowMs >= lengthMs * SLOW_SHARE) return largest(slow) ?? 'unknown';
  return largest([...sums].filter(([verdict]) => verdict !== 'not_measured')) ?? 'not_measured';
}

/** The window cut into `count` bars, oldest first. */
export function binSpans(spans: readonly Span[], window: TimeSpan, count: number): StripHour[] {
  const step = (window.to - window.from) / count;
  return Array.from({ length: count }, (_, index) => {
    const from = window.from + index * step;
    return ruleOf(timeByVerdict(spans, { from, to: from + step }), step);
  });
}

/** Long stretches without a measurement, for the word that stands in them. */
export function findQuiet(bins: readonly StripHour[], least: number): { start: number; length: number }[] {
  const runs: { start: number; length: number }[] = [];
  let start = -1;
  for (let index = 0; index <= bins.length; index += 1) {
    const quiet = bins[index] === 'not_measured';
    if (quiet && start < 0) start = index;
    if (!quiet && start >= 0) {
      if (index - start >= least) runs.push({ start, length: index - start });
      start = -1;
    }
  }
  return runs;
}
