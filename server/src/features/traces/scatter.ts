import type { Ctx } from '#kernel';
import type { TraceFilter } from './api.ts';
import { readerOf, type TracesContext, windowOf } from './context.ts';
import type { Scatter } from './views.ts';

/** How long it took over time, as a bounded sample. */
export async function readTraceScatter(deps: TracesContext, ctx: Ctx, filter: TraceFilter): Promise<Scatter> {
  const window = windowOf(deps, filter);
  const question = { filter, window };
  const reader = readerOf(deps, ctx);
  const named = filter.service ?? filter.operation ?? filter.kind ?? filter.attribute;
  const ofRoots = named === undefined ? await reader.points({ ...question, rootsOnly: true }) : undefined;
  // Where no root arrives (only one service of many is instrumented) the spans themselves say how long it took.
  const of = ofRoots && ofRoots.totals.total > 0 ? 'roots' : 'spans';
  const { points, totals } = of === 'roots' && ofRoots ? ofRoots : await reader.points({ ...question, rootsOnly: false });
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
