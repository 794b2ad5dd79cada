import type { TestSeriesPoint } from '@svc/contracts/tests/calls';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { valueTicks } from '../../../ui/charts/time-ticks.ts';
import { PHASES } from '../../../ui/runs/phase-words.ts';

export const PLOT = { height: 186, top: 20, left: 34, bottom: 22 } as const;

export interface PlacedBar {
  point: TestSeriesPoint;
  x: number;
  width: number;
  /** Bottom to top. */
  parts: { phase: (typeof PHASES)[number] | 'rest'; y: number; height: number }[];
}

interface PlotInput {
  points: readonly TestSeriesPoint[];
  span: TimeSpan;
  width: number;
  stepMs: number | undefined;
  limitMs: number | undefined;
}

const WIDEST_BAR = 14;

/** Milliseconds or seconds, so that the axis has short figures. */
export const unitOf = (mostMs: number): { ms: number; word: string } =>
  mostMs >= 2000 ? { ms: 1000, word: 'seconds' } : { ms: 1, word: 'milliseconds' };

/** Where the bars, the ticks and the limit stand. A point without a total has no bar: nothing was measured. */
export function placeBars({ points, span, width, stepMs, limitMs }: PlotInput) {
  const most = Math.max(1, ...points.map(({ total_ms }) => total_ms ?? 0), limitMs === undefined ? 0 : limitMs * 1.05);
  const unit = unitOf(most);
  const ticks = valueTicks(0, most / unit.ms);
  const topMs = (ticks.at(-1) ?? most / unit.ms) * unit.ms;
  const plotHeight = PLOT.height - PLOT.top - PLOT.bottom;
  const toY = (ms: number): number => PLOT.top + plotHeight * (1 - ms / topMs);
  const toX = (at: number): number => PLOT.left + ((at - span.from) / (span.to - span.from)) * (width - PLOT.left - WIDEST_BAR);
  const perStep = stepMs ? (stepMs / (span.to - span.from)) * width : width / Math.max(1, points.length);
  const barWidth = Math.max(1, Math.min(WIDEST_BAR, perStep * 0.7));
  const bars = points.flatMap((point): PlacedBar[] => {
    if (point.total_ms === null) return [];
    let sum = 0;
    const parts: PlacedBar['parts'] = [];
    const add = (phase: PlacedBar['parts'][number]['phase'], ms: number): void => {
      if (ms <= 0) return;
      const y = toY(sum + ms);
      parts.push({ phase, y, height: toY(sum) - y });
      sum += ms;
    };
    for (const phase of PHASES) add(phase, point.phases[phase] ?? 0);
    add('rest', point.total_ms - sum);
    return [{ point, x: toX(Date.parse(point.at)), width: barWidth, parts }];
  });
  return { bars, ticks: ticks.map((value) => ({ value, y: toY(value * unit.ms) })), unit, toX, toY };
}
