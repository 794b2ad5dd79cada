import type uPlot from 'uplot';
import { formatClock, formatSigned } from '../words/format.ts';
import type { Gap, RawSeries } from './chart-data.ts';
import { timePlot } from './time-plot.ts';
import { valueTicks } from './time-ticks.ts';
import { readToken } from './use-size.ts';

export interface ChartLook {
  width: number;
  height: number;
  from: number;
  to: number;
  lines: readonly ('solid' | 'dashed' | 'dotted')[];
  gaps: readonly Gap[];
  /** The word that stands in a gap. */
  gapWord: (gap: Gap) => string;
  /** A limit that decides a verdict, in its cause's colour; the side that is blamed is tinted. */
  threshold: { value: number; blamed: 'below' | 'above'; cause: string; words: string } | undefined;
  /** Least range of the value axis. */
  range: readonly [number, number];
  /** Loss as ratios, drawn in a lane under the plot. */
  lane: RawSeries | undefined;
  /** The theme whose tokens the canvas reads. */
  theme: string;
}

/** The lane's fixed top: this share lost fills it. */
export const LANE_TOP = 0.06;
const LANE_SHARE = 0.15;
const DASHES = { solid: [], dashed: [3, 2], dotted: [1, 2] } as const;

/** The value axis' labels: cover the data and the least range in round steps. */
const ticksOf = (look: ChartLook, min: number | null, max: number | null): number[] =>
  valueTicks(Math.min(look.range[0], min ?? look.range[0]), Math.max(look.range[1], max ?? look.range[1]));

function rangeOf(look: ChartLook, ticks: readonly number[]): [number, number] {
  const low = ticks[0] ?? look.range[0];
  const high = ticks.at(-1) ?? look.range[1];
  return [look.lane ? low - (high - low) * LANE_SHARE : low, high];
}

function hatch(context: CanvasRenderingContext2D, box: { x: number; y: number; width: number; height: number }): void {
  const ratio = devicePixelRatio;
  context.save();
  context.beginPath();
  context.rect(box.x, box.y, box.width, box.height);
  context.clip();
  context.strokeStyle = readToken('--line');
  context.lineWidth = 2 * ratio;
  for (let x = box.x - box.height; x < box.x + box.width; x += 8.5 * ratio) {
    context.beginPath();
    context.moveTo(x, box.y + box.height);
    context.lineTo(x + box.height, box.y);
    context.stroke();
  }
  context.restore();
}

function drawGaps(plot: uPlot, look: ChartLook): void {
  const { ctx, bbox } = plot;
  for (const gap of look.gaps) {
    const x = plot.valToPos(Math.max(gap.from, look.from), 'x', true);
    const width = plot.valToPos(Math.min(gap.to, look.to), 'x', true) - x;
    if (width <= 1) continue;
    hatch(ctx, { x, y: bbox.top, width, height: bbox.height });
    const word = look.gapWord(gap);
    ctx.font = `${11 * devicePixelRatio}px Inter, system-ui, sans-serif`;
    if (ctx.measureText(word).width + 8 * devicePixelRatio > width) continue;
    ctx.fillStyle = readToken('--ink-3');
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.fillText(word, x + width / 2, bbox.top + bbox.height * 0.45);
  }
}

function drawThreshold(plot: uPlot, { threshold }: ChartLook): void {
  if (!threshold) return;
  const { ctx, bbox } = plot;
  const y = plot.valToPos(threshold.value, 'y', true);
  if (y < bbox.top || y > bbox.top + bbox.height) return;
  const below = threshold.blamed === 'below';
  ctx.save();
  ctx.globalAlpha = 0.65;
  ctx.fillStyle = readToken(`--c-${threshold.cause}-tint`);
  ctx.fillRect(bbox.left, below ? y : bbox.top, bbox.width, below ? bbox.top + bbox.height - y : y - bbox.top);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = readToken(`--c-${threshold.cause}`);
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

function writeThreshold(plot: uPlot, { threshold }: ChartLook): void {
  if (!threshold) return;
  const { ctx, bbox } = plot;
  const below = threshold.blamed === 'below';
  ctx.fillStyle = readToken(`--c-${threshold.cause}-text`);
  ctx.font = `${11 * devicePixelRatio}px Inter, system-ui, sans-serif`;
  ctx.textAlign = 'right';
  ctx.textBaseline = below ? 'bottom' : 'top';
  const y = below ? bbox.top + bbox.height - 4 * devicePixelRatio : bbox.top + 4 * devicePixelRatio;
  ctx.fillText(threshold.words, bbox.left + bbox.width - 6 * devicePixelRatio, y);
}

function drawLane(plot: uPlot, look: ChartLook): void {
  if (!look.lane) return;
  const { ctx, bbox } = plot;
  const bottom = bbox.top + bbox.height;
  const full = bbox.height * (LANE_SHARE / (1 + LANE_SHARE)) - 3 * devicePixelRatio;
  ctx.strokeStyle = readToken('--s-1');
  ctx.lineWidth = 1.3 * devicePixelRatio;
  ctx.setLineDash([]);
  look.lane.ts.forEach((at, index) => {
    const lost = look.lane?.max[index] ?? 0;
    if (lost <= 0 || at < look.from || at > look.to) return;
    const x = plot.valToPos(at, 'x', true);
    ctx.beginPath();
    ctx.moveTo(x, bottom);
    ctx.lineTo(x, bottom - full * Math.min(1, lost / LANE_TOP));
    ctx.stroke();
  });
  ctx.fillStyle = readToken('--ink-3');
  ctx.font = `${11 * devicePixelRatio}px Inter, system-ui, sans-serif`;
  ctx.textAlign = 'right';
  ctx.textBaseline = 'bottom';
  ctx.fillText('loss', bbox.left - 6 * devicePixelRatio, bottom);
}

/** uPlot's options in the design's look: horizontal lines only, no fill, no smoothing, no dots. */
export function plotOptions(look: ChartLook): uPlot.Options {
  let ticks: number[] = [];
  const range = (_: uPlot, min: number, max: number): [number, number] => {
    ticks = ticksOf(look, min, max);
    return rangeOf(look, ticks);
  };
  const { from, to, width, height } = look;
  return {
    ...timePlot({
      from,
      to,
      width,
      height,
      time: { labelPx: 54, words: (at) => formatClock(at) },
      values: {
        axisPx: 40,
        scale: { range },
        splits: () => ticks,
        words: (value) => formatSigned(value, Math.abs(value) < 10 && !Number.isInteger(value) ? 1 : 0),
      },
    }),
    cursor: { show: false },
    series: [
      {},
      ...look.lines.map(
        (style, index): uPlot.Series => ({
          stroke: readToken(`--s-${index + 1}`),
          width: 1.3,
          dash: [...DASHES[style]],
          points: { show: false },
          spanGaps: false,
        }),
      ),
    ],
    hooks: {
      drawClear: [(plot) => drawThreshold(plot, look)],
      drawAxes: [(plot) => drawGaps(plot, look)],
      draw: [
        (plot) => {
          drawLane(plot, look);
          writeThreshold(plot, look);
        },
      ],
    },
  };
}
