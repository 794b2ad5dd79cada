import { RUM_THRESHOLDS, VITAL_BOUNDS, type Vital } from '@svc/contracts/rum/kinds';
import type { RumHost } from '@svc/contracts/rum/views';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { valueTicks } from '../../../ui/charts/time-ticks.ts';
import { formatClock, formatMoment, formatPercent, formatPercentFigure } from '../../../ui/words/format.ts';
import { boundWords, formatVital, lcpFrom, VITAL_NAMES } from '../rum-words.ts';
import type { Drawn } from './host-search.ts';

export type Point = RumHost['series']['points'][number];

/** A line of the chart: its values as they are, and in words. */
export interface DrawnLine {
  name: string;
  read: (point: Point) => number | undefined;
  words: (value: number) => string;
}

interface Chart {
  label: string;
  lines: readonly DrawnLine[];
  limit: { value: number; words: string };
  /** What one figure of the axis is of a value, and the axis' word for it. */
  unit: (most: number) => { of: number; word: string };
}

const vitalLine = (vital: Vital): DrawnLine => ({
  name: VITAL_NAMES[vital].short,
  read: (point) => point.p75[vital],
  words: (value) => formatVital(vital, value),
});
const inTime = (most: number): { of: number; word: string } =>
  most >= 2000 ? { of: 1000, word: 'seconds' } : { of: 1, word: 'milliseconds' };
const poorFrom = (vital: Vital): { value: number; words: string } => {
  const { poor } = VITAL_BOUNDS[vital];
  return { value: poor, words: `${VITAL_NAMES[vital].short} is poor from ${boundWords(vital, poor)}` };
};

export const CHARTS: Readonly<Record<Drawn, Chart>> = {
  lcp: {
    label: 'LCP, TTFB',
    lines: [vitalLine('lcp'), vitalLine('ttfb')],
    limit: { value: RUM_THRESHOLDS.lcpMs, words: `users count as hurt from p75 LCP ${lcpFrom(RUM_THRESHOLDS.lcpMs)} on` },
    unit: inTime,
  },
  inp: { label: 'INP', lines: [vitalLine('inp')], limit: poorFrom('inp'), unit: inTime },
  cls: { label: 'CLS', lines: [vitalLine('cls')], limit: poorFrom('cls'), unit: () => ({ of: 1, word: 'no unit' }) },
  fcp: { label: 'FCP, load', lines: [vitalLine('fcp'), vitalLine('load')], limit: poorFrom('fcp'), unit: inTime },
  errors: {
    label: 'Errors',
    lines: [{ name: 'Errors', read: (point) => point.error_rate ?? undefined, words: formatPercent }],
    limit: {
      value: RUM_THRESHOLDS.errorRate,
      words: `users count as hurt from ${formatPercentFigure(RUM_THRESHOLDS.errorRate)}% of views on`,
    },
    unit: () => ({ of: 0.01, word: 'percent of views' }),
  },
};

export const PLOT = { height: 294, top: 30, bottom: 206, left: 36, right: 10, barsTop: 232, barsBottom: 268 } as const;

interface Scale {
  toX: (at: number) => number;
  toY: (value: number) => number;
}

/** A line that breaks where nothing was measured, and never goes across. */
export function tracePath(values: readonly { at: number; value: number | undefined }[], { toX, toY }: Scale): string {
  let isDrawing = false;
  return values
    .map(({ at, value }, index) => {
      if (value === undefined) {
        isDrawing = false;
        return '';
      }
      const place = `${toX(at).toFixed(1)} ${toY(value).toFixed(1)}`;
      // A point between two gaps would be no line: a short one stands for it.
      const isAlone = !isDrawing && values[index + 1]?.value === undefined;
      const step = isDrawing ? `L${place}` : `M${place}`;
      isDrawing = true;
      return isAlone ? `${step}h2` : step;
    })
    .join('');
}

interface PlotInput {
  points: readonly Point[];
  drawn: Drawn;
  span: TimeSpan;
  width: number;
}

/** Where lines, ticks and bars stand in a width of so many pixels. */
export function placePlot({ points, drawn, span, width }: PlotInput) {
  const { lines, limit, unit } = CHARTS[drawn];
  const values = lines.flatMap(({ read }) => points.flatMap((point) => read(point) ?? []));
  const most = Math.max(limit.value * 1.05, ...values);
  const { of, word } = unit(most);
  const ticks = valueTicks(0, most / of);
  const top = (ticks.at(-1) ?? 1) * of;
  const toX = (at: number): number => PLOT.left + ((at - span.from) / (span.to - span.from)) * (width - PLOT.left - PLOT.right);
  const toY = (value: number): number => PLOT.bottom - (value / top) * (PLOT.bottom - PLOT.top);
  const mostViews = Math.max(1, ...points.map(({ views }) => views));
  const toBar = (views: number): number => (views / mostViews) * (PLOT.barsBottom - PLOT.barsTop);
  return { lines, limit, word, ticks: ticks.map((value) => ({ value, y: toY(value * of) })), toX, toY, toBar, mostViews };
}

/** "14:20: LCP 5.2 s, TTFB 3.6 s, 83 views" */
export function readingWords(point: Point, drawn: Drawn): string {
  const figures = CHARTS[drawn].lines.map(({ name, read, words }) => {
    const value = read(point);
    return `${name} ${value === undefined ? 'too few views' : words(value)}`;
  });
  return `${formatMoment(point.at, Date.now())}: ${[...figures, `${point.views} ${point.views === 1 ? 'view' : 'views'}`].join(', ')}`;
}

const DAY_MS = 86_400_000;

/** Ticks say the day where the time shown is longer than two of them. */
export const clockFor = ({ from, to }: TimeSpan): ((at: number) => string) =>
  to - from > 2 * DAY_MS ? (at) => formatMoment(at, to).replace(/ 00:00$/, '') : formatClock;
