import type { Ctx } from '#kernel';
import type { TraceFilter } from './api.ts';
import { readerOf, type TracesContext, windowOf } from './context.ts';
import { askRootsFirst } from './roots-first.ts';
import type { Scatter } from './views.ts';

/** How long it took over time, as a bounded sample. */
export async function readTraceScatter(deps: TracesContext, ctx: Ctx, filter: TraceFilter): Promise<Scatter> {
  const window = windowOf(deps, filter);
  const reader = readerOf(deps, ctx);
  const {
    of,
    answer: { points, totals },
  } = await askRootsFirst(
    filter,
    (rootsOnly) => reader.points({ filter, window, rootsOnly }),
    (answer) => answer.totals.total === 0,
  );
  const known = new Map(points.map((row) => [`${row.traceId}${row.spanId}`, row]));
  const [p50, p95, p99] = totals.total > 0 ? totals.quantiles : [];
  return {
    of,
    from: new Date(window.fromMs).toISOString(),
    to: new Date(window.toMs).toISOString(),
    total: totals.total,
    errors: totals.errors,
    p50_ms: p50 ?? null,
    p95_ms: p95 ?? null,
    p99_ms: p99 ?? null,
    points: [...known.values()].map(({ traceId, spanId, error, ...rest }) => ({
      trace_id: traceId,
      span_id: spanId,
      error: error === 1,
      ...rest,
    })),
  };
}
