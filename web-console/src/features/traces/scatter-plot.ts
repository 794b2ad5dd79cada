import type uPlot from 'uplot';
import type { Latency, Scatter } from '../../api-types.ts';
import { BRUSH_CURSOR, reportBrush, timePlot } from '../../ui/charts/time-plot.ts';
import { readToken } from '../../ui/charts/use-size.ts';
import { formatClock, formatMs } from '../../ui/words/format.ts';
import { drawQuantiles, LEAST_MS } from './quantile-lines.ts';

export type Point = Scatter['points'][number];

interface ScatterLook {
  from: number;
  to: number;
  points: readonly Point[];
  /** Drawn over the points. */
  latency: Latency | undefined;
  width: number;
  height: number;
  /** Only so that a change of it draws anew. */
  theme: string;
  onBrush: (from: number, to: number) => void;
}

/** Powers of ten around all durations, so that a lone point has room above and below. */
function decadesOf(points: readonly Point[]): [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const { ms } of points) {
    least = Math.min(least, Math.max(ms, LEAST_MS));
    most = Math.max(most, ms);
  }
  if (most === 0) return [1, 1000];
  const low = 10 ** Math.floor(Math.log10(least));
  return [low, Math.max(10 ** Math.ceil(Math.log10(most * 1.05)), low * 10)];
}

const decadeTicks = ([low, high]: [number, number]): number[] => {
  const ticks: number[] = [];
  for (let at = low; at <= high * 1.001; at *= 10) ticks.push(at);
  // More labels than these would touch.
  const every = Math.ceil(ticks.length / 6);
  return ticks.filter((_, index) => index % every === 0);
};

function drawPoints(plot: uPlot, points: readonly Point[]): void {
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  const place = ({ at, ms }: Point): [number, number] => [
    plot.valToPos(at, 'x', true),
    plot.valToPos(Math.max(ms, LEAST_MS), 'y', true),
  ];
  ctx.save();
  ctx.fillStyle = readToken('--s-2');
  ctx.globalAlpha = 0.65;
  for (const point of points) {
    if (point.error) continue;
    const [x, y] = place(point);
    ctx.beginPath();
    ctx.arc(x, y, 2.2 * ratio, 0, 2 * Math.PI);
    ctx.fill();
  }
  // Failed ones over the others, told by their shape as well.
  ctx.globalAlpha = 1;
  ctx.strokeStyle = readToken('--error');
  ctx.lineWidth = 1.6 * ratio;
  const arm = 3 * ratio;
  for (const point of points) {
    if (!point.error) continue;
    const [x, y] = place(point);
    ctx.beginPath();
    ctx.moveTo(x - arm, y - arm);
    ctx.lineTo(x + arm, y + arm);
    ctx.moveTo(x - arm, y + arm);
    ctx.lineTo(x + arm, y - arm);
    ctx.stroke();
  }
  ctx.restore();
}

/** uPlot's options for points over time on a logarithmic axis; a drag chooses a stretch of time. */
export function scatterOptions(look: ScatterLook): uPlot.Options {
  const decades = decadesOf(look.points);
  const { from, to, width, height } = look;
  return {
    ...timePlot({
      from,
      to,
      width,
      height,
      time: { labelPx: 70, words: (at) => formatClock(at) },
      values: {
        axisPx: 56,
        scale: { distr: 3, range: () => decades },
        splits: () => decadeTicks(decades),
        words: (ms) => (ms < 1 ? `${Math.round(ms * 1000)}\u202fµs` : formatMs(ms)),
      },
    }),
    cursor: BRUSH_CURSOR,
    series: [{}, { paths: () => null, points: { show: false } }],
    hooks: {
      draw: [
        (plot) => {
          drawPoints(plot, look.points);
          if (look.latency) drawQuantiles(plot, look.latency);
        },
      ],
      setSelect: [reportBrush(look.onBrush)],
    },
  };
}
