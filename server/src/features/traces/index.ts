import type { EvidenceQuestion } from '@svc/contracts/causes/facts';
import type { Slice, TenantId } from '#kernel';
import { keptTables } from '#telemetry';
import { createTracesProcedures } from './api.ts';
import type { TracesContext, TracesDeps } from './context.ts';
import { findTraceEvidence } from './evidence.ts';
import { SPANS } from './export.ts';
import { readFacets, readValues } from './facets.ts';
import { readTraceLatency } from './latency.ts';
import { listSpans } from './list-spans.ts';
import { listTraces } from './list-traces.ts';
import { exportTrace, readSpan } from './read-span.ts';
import { readLogs, readTrace } from './read-trace.ts';
import { readTraceScatter } from './scatter.ts';

/** Traces that came by OTLP: found, read and given back (docs/telemetry/traces.md). The otlp slice stores them. */
export function createTraces(given: TracesDeps) {
  const deps: TracesContext = { ...given, cuts: new Map() };
  return {
    name: 'traces',
    roles: ['api'],
    data: keptTables(given.telemetry.store, { exported: [SPANS] }),
    procedures: createTracesProcedures({
      list: (ctx, input) => listTraces(deps, ctx, input),
      spans: (ctx, input) => listSpans(deps, ctx, input),
      scatter: (ctx, input) => readTraceScatter(deps, ctx, input),
      latency: (ctx, input) => readTraceLatency(deps, ctx, input),
      facets: (ctx, input) => readFacets(deps, ctx, input),
      values: (ctx, input) => readValues(deps, ctx, input),
      get: (ctx, input) => readTrace(deps, ctx, input),
      span: (ctx, input) => readSpan(deps, ctx, input),
      logs: (ctx, input) => readLogs(deps, ctx, input),
      otlp: (ctx, input) => exportTrace(deps, ctx, input),
    }),
    /** What traces know about an incident. */
    evidence: (tenant: TenantId, question: EvidenceQuestion) => findTraceEvidence(given.telemetry.store, tenant, question),
  } satisfies Slice & Record<string, unknown>;
}
