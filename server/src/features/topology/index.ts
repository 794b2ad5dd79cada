import type { EvidenceQuestion } from '@svc/contracts/causes/facts';
import type { Slice, TenantId } from '#kernel';
import { type LeasedWork, startTenantRounds } from '#relational';
import { keptTables } from '#telemetry';
import { createTopologyProcedures } from './api.ts';
import { computeEdges } from './compute.ts';
import type { TopologyDeps } from './context.ts';
import { findMapEvidence } from './evidence.ts';
import { EDGES } from './export.ts';
import { raiseFailingEdges, startRaisingEdges } from './failing-edges.ts';
import { readMap } from './read-map.ts';
import { createClickhouseReader } from './reader-clickhouse.ts';
import { readSeenPeers, readSeenServices } from './seen-peers.ts';

/** A tenant whose minutes did not change costs one small read. */
const ROUNDS = { name: 'service-map', everyMs: 60_000, firstMs: 15_000 } as const;

/**
 * The service map (docs/telemetry/service-map.md): each minute one process computes who called whom out of the spans and flows that
 * the otlp slice stored; a minute that changes later is computed again.
 */
export function createTopology(deps: TopologyDeps) {
  const { relational, log, clock, maxEdges, noteConnections } = deps;
  const { store } = deps.telemetry;
  const reader = createClickhouseReader(store);
  let rounds: ReturnType<typeof startTenantRounds> | undefined;
  let raising: LeasedWork | undefined;
  const compute = (tenant: TenantId): Promise<number> => computeEdges({ store, clock, maxEdges, noteConnections }, tenant);
  return {
    name: 'topology',
    roles: ['evaluate'],
    data: keptTables(store, { exported: [EDGES], derived: ['edge_minutes', 'edge_marks'] }),
    procedures: createTopologyProcedures({ map: (ctx, input) => readMap({ reader, clock }, ctx, input) }),
    /** Computes the changed minutes of one tenant now; gives how many. */
    compute,
    /** Whom services call, of a window in minutes since 1970. */
    seenPeers: (tenant: TenantId, window: { from: number; to: number }) => readSeenPeers(store, tenant, window),
    /** Services that were called since a time, with their hosts. */
    seenServices: (tenant: TenantId, fromMs: number) => readSeenServices(store, tenant, fromMs),
    /** Raises what fails on the map of one tenant now; nothing where nobody takes it. */
    raiseFailing: async (tenant: TenantId): Promise<void> => {
      if (deps.incidents) await raiseFailingEdges({ ...deps, store, incidents: deps.incidents }, tenant);
    },
    /** What the service map knows about an incident. */
    evidence: (tenant: TenantId, question: EvidenceQuestion) => findMapEvidence({ store, reader }, tenant, question),
    start: () => {
      rounds = startTenantRounds(relational, { ...ROUNDS, log, visit: async (tenant) => void (await compute(tenant)) });
      if (deps.incidents) raising = startRaisingEdges({ store, relational, incidents: deps.incidents, clock, log });
    },
    close: async () => {
      await raising?.close();
      await rounds?.close();
    },
  } satisfies Slice & Record<string, unknown>;
}
