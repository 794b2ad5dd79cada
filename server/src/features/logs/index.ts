import type { EvidenceQuestion } from '@svc/contracts/causes/facts';
import type { Slice, TenantId } from '#kernel';
import { keptTables } from '#telemetry';
import { createLogProcedures } from './api.ts';
import type { LogsDeps } from './context.ts';
import { findLogEvidence } from './evidence.ts';
import { LOGS } from './export.ts';
import { listLogs, readContext, readLog, tailLogs } from './list.ts';
import { countByStep, listFacets } from './summarise.ts';

/** Logs that came by OTLP: read, counted and followed (docs/telemetry/logs.md). The otlp slice stores them. */
export function createLogs(deps: LogsDeps) {
  return {
    name: 'logs',
    roles: ['api'],
    data: keptTables(deps.telemetry.store, { exported: [LOGS] }),
    procedures: createLogProcedures({
      list: (ctx, input) => listLogs(deps, ctx, input),
      record: (ctx, input) => readLog(deps, ctx, input),
      histogram: (ctx, input) => countByStep(deps, ctx, input),
      facets: (ctx, input) => listFacets(deps, ctx, input),
      tail: (ctx, input) => tailLogs(deps, ctx, input),
      context: (ctx, input) => readContext(deps, ctx, input),
    }),
    /** What logs know about an incident. */
    evidence: (tenant: TenantId, question: EvidenceQuestion) => findLogEvidence(deps.telemetry.store, tenant, question),
  } satisfies Slice & Record<string, unknown>;
}
