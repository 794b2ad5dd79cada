import type uPlot from 'uplot';
import { usualStep } from '../../ui/charts/chart-data.ts';
import { BRUSH_CURSOR, reportBrush, timePlot } from '../../ui/charts/time-plot.ts';
import { valueTicks } from '../../ui/charts/time-ticks.ts';
import { readToken } from '../../ui/charts/use-size.ts';
import { formatClock, formatMoment } from '../../ui/words/format.ts';
import type { LineLook } from './line-looks.ts';
import type { Line } from './metrics-search.ts';

const DAY_MS = 86_400_000;

export interface Grid {
  from: number;
  to: number;
  stepMs: number;
}

/** Silence longer than this many usual distances of points is a gap. */
const GAP_STEPS = 2.5;

/**
 * Lines over one axis of whole steps. What is sent less often than a step is one line all the same: a step between two points that are
 * as near as usual is `undefined`, which is drawn over, and only a longer silence is null, which breaks the line.
 */
export function alignLines(lines: readonly Line[], { from, to, stepMs }: Grid): uPlot.AlignedData {
  const steps = Math.max(1, Math.ceil((to - from) / stepMs));
  const at = Array.from({ length: steps }, (_, i) => from + i * stepMs);
  const values = lines.map(({ ts, values: known }) => {
    const column = new Array<number | null | undefined>(steps).fill(null);
    const near = (GAP_STEPS * usualStep(ts, stepMs)) / stepMs;
    let last: number | undefined;
    ts.forEach((time, i) => {
      const place = Math.round((time - from) / stepMs);
      if (place < 0 || place >= steps) return;
      if (last !== undefined && place - last <= near) column.fill(undefined, last + 1, place);
      column[place] = known[i] ?? null;
      last = place;
    });
    return column;
  });
  return [at, ...values];
}

/** The values that the axis covers: from zero where that leaves the lines most of the height. */
export function valueRange(lines: readonly Line[]): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { values } of lines) {
    for (const value of values) {
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
  }
  if (least > most) return [0, 1];
  if (least > 0 && least < most * 0.6) least = 0;
  return least === most ? [Math.min(0, least), most === 0 ? 1 : Math.max(0, most)] : [least, most];
}

export interface PlotLook extends Grid {
  lines: readonly Line[];
  /** Of each line. */
  looks: readonly LineLook[];
  width: number;
  height: number;
  format: (value: number) => string;
  onBrush: (from: number, to: number) => void;
  /** The scales are known: values have places only from then on. */
  onReady: (plot: uPlot) => void;
}

/** uPlot's options for lines over time: horizontal lines only, no smoothing; a drag chooses a stretch of time. */
export function metricOptions(look: PlotLook): uPlot.Options {
  const ticks = valueTicks(...valueRange(look.lines));
  const { from, to, width, height } = look;
  const days = to - from > 2 * DAY_MS;
  return {
    ...timePlot({
      from,
      to,
      width,
      height,
      time: {
        labelPx: days ? 96 : 70,
        words: (at) => (days ? formatMoment(at, 0).replace(/ \d{4}/, '') : formatClock(at)),
      },
      values: {
        axisPx: 72,
        scale: { range: () => [ticks[0] ?? 0, ticks.at(-1) ?? 1] },
        splits: () => ticks,
        words: look.format,
      },
    }),
    focus: { alpha: 0.2 },
    cursor: BRUSH_CURSOR,
    series: [
      {},
      ...look.lines.map(
        (line, place): uPlot.Series => ({
          stroke: readToken((look.looks[place]?.color ?? '').slice(4, -1)),
          width: 1.4,
          dash: [...(look.looks[place]?.dash ?? [])],
          // A lone value between two gaps would else be no line at all.
          points: { show: line.values.length < 2, size: 5 },
          spanGaps: false,
        }),
      ),
    ],
    hooks: { ready: [look.onReady], setSelect: [reportBrush(look.onBrush)] },
  };
}
