import type { Slice, TenantId } from '#kernel';
import { startTenantRounds } from '#relational';
import { keptTables } from '#telemetry';
import { createTopologyProcedures } from './api.ts';
import { computeEdges } from './compute.ts';
import type { TopologyDeps } from './context.ts';
import { EDGES } from './export.ts';
import { readMap } from './read-map.ts';
import { createClickhouseReader } from './reader-clickhouse.ts';

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
  const compute = (tenant: TenantId): Promise<number> => computeEdges({ store, clock, maxEdges, noteConnections }, tenant);
  return {
    name: 'topology',
    roles: ['evaluate'],
    data: keptTables(store, { exported: [EDGES], derived: ['edge_minutes', 'edge_marks'] }),
    procedures: createTopologyProcedures({ map: (ctx, input) => readMap({ reader, clock }, ctx, input) }),
    /** Computes the changed minutes of one tenant now; gives how many. */
    compute,
    start: () => {
      rounds = startTenantRounds(relational, { ...ROUNDS, log, visit: async (tenant) => void (await compute(tenant)) });
    },
    close: async () => await rounds?.close(),
  } satisfies Slice & Record<string, unknown>;
}
