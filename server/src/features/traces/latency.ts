import type { Ctx } from '#kernel';
import { chooseStepMs } from '#telemetry';
import type { LatencyInput } from './api.ts';
import { readerOf, type TracesContext, windowOf } from './context.ts';
import { askRootsFirst } from './roots-first.ts';
import type { Latency } from './views.ts';

/** How many there were, how many failed and how long they took, step by step. */
export async function readTraceLatency(deps: TracesContext, ctx: Ctx, { steps, ...filter }: LatencyInput): Promise<Latency> {
  const window = windowOf(deps, filter);
  const stepMs = chooseStepMs(window.toMs - window.fromMs, steps);
  const reader = readerOf(deps, ctx);
  const { of, answer } = await askRootsFirst(
    filter,
    (rootsOnly) => reader.latency({ filter, window, rootsOnly, stepMs }),
    (rows) => rows.length === 0,
  );
  return {
    of,
    from: new Date(window.fromMs).toISOString(),
    to: new Date(window.toMs).toISOString(),
    step_ms: stepMs,
    steps: answer.map(({ at, total, errors, quantiles: [p50_ms, p95_ms, p99_ms] }) => ({
      at: new Date(at).toISOString(),
      total,
      errors,
      p50_ms,
      p95_ms,
      p99_ms,
    })),
  };
}
