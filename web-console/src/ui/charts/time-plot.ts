import type uPlot from 'uplot';
import { timeTicks } from './time-ticks.ts';
import { readToken } from './use-size.ts';

const AXIS_FONT = '11px Inter, system-ui, sans-serif';
/** A shorter drag is a click. */
export const MIN_BRUSH_PX = 5;

interface TimePlot {
  /** Unix milliseconds. */
  from: number;
  to: number;
  /** CSS pixels, axes included. */
  width: number;
  height: number;
  time: { labelPx: number; words: (at: number) => string };
  values: { axisPx: number; scale: uPlot.Scale; splits: () => number[]; words: (value: number) => string };
}

/** What uPlot's options of every plot over time share: the time below, values at the left, horizontal lines only, no legend. */
export function timePlot({ from, to, width, height, time, values }: TimePlot): Omit<uPlot.Options, 'series'> {
  const axis = { stroke: readToken('--ink-3'), font: AXIS_FONT, ticks: { show: false } };
  return {
    width,
    height,
    ms: 1,
    // To the right, half a label of the time axis.
    padding: [10, 16, 0, 0],
    legend: { show: false },
    scales: { x: { time: true, range: () => [from, to] }, y: values.scale },
    axes: [
      {
        ...axis,
        size: 22,
        gap: 4,
        grid: { show: false },
        splits: () => timeTicks(from, to, Math.max(2, Math.floor(width / time.labelPx))),
        values: (_, splits) => splits.map(time.words),
      },
      {
        ...axis,
        size: values.axisPx,
        gap: 6,
        grid: { stroke: readToken('--line'), width: 1 },
        splits: values.splits,
        // uPlot would leave most labels of a logarithmic axis out.
        filter: (_, splits) => splits,
        values: (_, splits) => splits.map(values.words),
      },
    ],
  };
}

/** A drag chooses a stretch of time; the cursor is not drawn. With `reportBrush` among the hooks of `setSelect`. */
export const BRUSH_CURSOR: uPlot.Cursor = {
  points: { show: false },
  x: false,
  y: false,
  drag: { x: true, y: false, setScale: false, dist: MIN_BRUSH_PX },
};

export const reportBrush =
  (onBrush: (from: number, to: number) => void) =>
  (plot: uPlot): void => {
    const { left, width } = plot.select;
    if (width >= MIN_BRUSH_PX) onBrush(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
  };

/** The time under the pointer, Unix milliseconds; undefined beside the plot. `host` is the element that uPlot draws into. */
export function timeUnder(plot: uPlot | undefined, host: Element | null, { clientX }: { clientX: number }): number | undefined {
  if (!plot || !host) return undefined;
  const left = clientX - host.getBoundingClientRect().left - plot.bbox.left / devicePixelRatio;
  return left >= 0 && left <= plot.bbox.width / devicePixelRatio ? plot.posToVal(left, 'x') : undefined;
}
