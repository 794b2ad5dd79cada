import { router } from '#api';
import type { createAudit } from '../features/audit/index.ts';
import type { createCardinalityProcedures } from '../features/cardinality/api.ts';
import type { createEndpointProcedures } from '../features/endpoint/api.ts';
import type { createFleetProcedures } from '../features/fleet/api.ts';
import type { createIdentity } from '../features/identity/index.ts';
import type { createLogProcedures } from '../features/logs/api.ts';
import type { createMetricProcedures } from '../features/metrics/api.ts';
import type { createOtlpProcedures } from '../features/otlp/api.ts';
import type { createExportProcedures } from '../features/otlp-export/api.ts';
import type { createQuarantineProcedures } from '../features/quarantine/api.ts';
import type { createTopologyProcedures } from '../features/topology/api.ts';
import type { createTracesProcedures } from '../features/traces/api.ts';

/** The procedures of all slices under their names. */
export interface Procedures {
  audit: ReturnType<typeof createAudit>['procedures'];
  cardinality: ReturnType<typeof createCardinalityProcedures>;
  endpoint: ReturnType<typeof createEndpointProcedures>;
  fleet: ReturnType<typeof createFleetProcedures>;
  logs: ReturnType<typeof createLogProcedures>;
  topology: ReturnType<typeof createTopologyProcedures>;
  metrics: ReturnType<typeof createMetricProcedures>;
  otlp: ReturnType<typeof createOtlpProcedures>;
  traces: ReturnType<typeof createTracesProcedures>;
  identity: Awaited<ReturnType<typeof createIdentity>>['procedures'];
  otlpExport: ReturnType<typeof createExportProcedures>;
  bus: ReturnType<typeof createQuarantineProcedures>;
}

export const createAppRouter = (procedures: Procedures) => router({ ...procedures });

/** What the console and other tRPC clients import, as a type. */
export type AppRouter = ReturnType<typeof createAppRouter>;
