import { createReservoir, type Reservoir } from '../domain/reservoir.ts';
import type { LatencyRow, SpanQuestion } from '../reader.ts';
import { type Source, scanMatching } from './source.ts';

const NS_PER_MS = 1_000_000n;
const ERROR = 2;
/** Numbers that quantiles of a step are taken of. */
const OF_STEP = 1024;

interface Step {
  durations: Reservoir;
  errors: number;
}

/** Quantiles of all that match, step by step. */
export async function readLatency(
  source: Source,
  { rootsOnly, stepMs, ...question }: SpanQuestion & { rootsOnly: boolean; stepMs: number },
): Promise<LatencyRow[]> {
  const steps = new Map<number, Step>();
  await scanMatching(source, question, (columns) => {
    const [parents, statuses] = [columns.ids('parent_id'), columns.numbers('status')];
    const [starts, durations] = [columns.wides('ts'), columns.wides('duration_ns')];
    return (row) => {
      if (rootsOnly && !parents.isZero(row)) return;
      const at = Math.floor(Number((starts[row] as bigint) / NS_PER_MS) / stepMs) * stepMs;
      const step = steps.get(at) ?? { durations: createReservoir(OF_STEP), errors: 0 };
      steps.set(at, step);
      step.durations.add(Number(durations[row]) / 1e6);
      if (statuses[row] === ERROR) step.errors++;
    };
  });
  const sorted = [...steps].sort(([a], [b]) => a - b);
  return sorted.map(([at, { durations, errors }]) => {
    const [half = 0, most = 0, nearlyAll = 0] = durations.quantiles([0.5, 0.95, 0.99]);
    return { at, total: durations.count, errors, quantiles: [half, most, nearlyAll] };
  });
}
