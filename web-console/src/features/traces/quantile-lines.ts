import type uPlot from 'uplot';
import type { Latency } from '../../api-types.ts';
import { readToken } from '../../ui/charts/use-size.ts';

export type Step = Latency['steps'][number];

/** What took no measurable time still needs a place on a logarithmic axis. */
export const LEAST_MS = 0.001;

/** From a solid line for half of them to dots for nearly all. */
export const QUANTILES = [
  { name: 'p50', of: (step: Step): number => step.p50_ms, dash: [] },
  { name: 'p95', of: (step: Step): number => step.p95_ms, dash: [5, 3] },
  { name: 'p99', of: (step: Step): number => step.p99_ms, dash: [1.3, 2.6] },
] as const;

/** In a step on average, so that one in twenty of them is no accident. */
const IN_A_STEP = 60;
const LEAST_IN_A_STEP = 20;
const MOST_STEPS = 300;
const LEAST_STEPS = 12;

/** Into how many steps so many are cut, so that each has enough to tell quantiles of; undefined for too few. */
export function stepsFor(total: number): number | undefined {
  if (total < LEAST_STEPS * LEAST_IN_A_STEP) return undefined;
  return Math.min(MOST_STEPS, Math.max(LEAST_STEPS, Math.floor(total / IN_A_STEP)));
}

/** The step that a time is in, if anything began there. */
export const stepAt = ({ steps, step_ms }: Latency, at: number): Step | undefined =>
  steps.find((step) => Date.parse(step.at) <= at && at < Date.parse(step.at) + step_ms);

/** Runs of steps without one missing between them, as Unix milliseconds of their middles. */
export function runsOf({ steps, step_ms }: Latency): { at: number; step: Step }[][] {
  const runs: { at: number; step: Step }[][] = [];
  let end: number | undefined;
  for (const step of steps) {
    const begin = Date.parse(step.at);
    if (begin !== end) runs.push([]);
    runs.at(-1)?.push({ at: begin + step_ms / 2, step });
    end = begin + step_ms;
  }
  return runs;
}

/** Lines over the points; a step with nothing breaks them, and one that stands alone is as wide as it is long. */
export function drawQuantiles(plot: uPlot, latency: Latency): void {
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  const runs = runsOf(latency);
  const left = plot.bbox.left;
  const right = left + plot.bbox.width;
  const x = (at: number): number => Math.min(right, Math.max(left, plot.valToPos(at, 'x', true)));
  ctx.save();
  ctx.strokeStyle = readToken('--s-1');
  ctx.lineWidth = 1.3 * ratio;
  for (const { of, dash } of QUANTILES) {
    ctx.setLineDash(dash.map((length) => length * ratio));
    const y = (step: Step): number => plot.valToPos(Math.max(of(step), LEAST_MS), 'y', true);
    ctx.beginPath();
    for (const run of runs) {
      const half = run.length === 1 ? latency.step_ms / 2 : 0;
      for (const [index, { at, step }] of run.entries()) {
        if (index === 0) ctx.moveTo(x(at - half), y(step));
        ctx.lineTo(x(at + half), y(step));
      }
    }
    ctx.stroke();
  }
  ctx.restore();
}
