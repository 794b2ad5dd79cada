import type { Subscription } from '#bus';
import type { HasRole, Health, Slice, Subject, TenantId } from '#kernel';
import type { LeasedWork } from '#relational';
import { removeAgentCopies, writeAgentCopies } from './agent-copies.ts';
import { createEndpointProcedures, type EndpointVerbs } from './api.ts';
import { subscribeView } from './consume.ts';
import type { EndpointContext, EndpointDeps } from './context.ts';
import { eraseEndpoint, exportEndpoint } from './export.ts';
import { startHeartbeat } from './heartbeat.ts';
import { createNewestVersion } from './newest-version.ts';
import { startRaisingShared } from './raise-shared.ts';
import { exportCsv } from './read/csv.ts';
import { readDevice, readDeviceSeries } from './read/device.ts';
import { findByCode } from './read/find-by-code.ts';
import { listEndpoints } from './read/list.ts';
import { listHistory, listLatest } from './read/results-view.ts';
import { readSharedTold } from './read/shared-told.ts';
import { listSharing, type SharedPlaceOf } from './read/sharing-devices.ts';
import { summariseFleet } from './read/summary.ts';

export type { AgentCopy } from './agent-copies.ts';
export type { EndpointDeps } from './context.ts';

/** A consumer this far behind shows what is minutes old. */
const LAG_DEGRADED = 100_000;

const createVerbs = (deps: EndpointContext): EndpointVerbs => ({
  list: async (ctx, input) => await listEndpoints(deps, ctx, input),
  summary: async (ctx) => await summariseFleet(deps, ctx),
  csv: async (ctx, input) => await exportCsv(deps, ctx, input),
  latest: async (ctx, input) => await listLatest(deps, ctx, input),
  device: async (ctx, input) => await readDevice(deps, ctx, input),
  series: async (ctx, input) => await readDeviceSeries(deps, ctx, input),
  history: async (ctx, input) => await listHistory(deps, ctx, input),
  findByCode: async (ctx, input) => await findByCode(deps, ctx, input),
});

/**
 * Endpoint: a consumer keeps one row an agent out of the results on the bus, which is what the fleet table sorts and filters
 * (docs/contract/results.md). Fleet writes its copies through `writeAgentCopies`.
 */
export function createEndpoint(deps: EndpointDeps) {
  let subscription: Subscription | undefined;
  let stopHeartbeat = () => {};
  let raising: LeasedWork | undefined;
  const slice = {
    name: 'endpoint',
    roles: ['consume', 'evaluate'],
    procedures: createEndpointProcedures(createVerbs({ ...deps, newestVersionOf: createNewestVersion(deps) })),
    start: async (hasRole: HasRole): Promise<void> => {
      if (hasRole('evaluate') && deps.settle) raising = startRaisingShared({ ...deps, settle: deps.settle });
      if (!hasRole('consume')) return;
      subscription = await subscribeView({ ...deps, onStored: deps.onViewed });
      stopHeartbeat = startHeartbeat(deps.relational, deps.log);
    },
    health: async (): Promise<Health> => {
      const lag = (await subscription?.lag()) ?? 0;
      if (lag > LAG_DEGRADED) return { status: 'degraded', detail: `The endpoint view is ${lag} results behind.` };
      return { status: 'ok' };
    },
    data: {
      owns: { relational: ['consumer_heartbeats', 'endpoint_sessions', 'endpoint_states', 'endpoint_summary'] },
      exportRows: (tenant: TenantId) => exportEndpoint(deps.relational, tenant),
      eraseTenant: (tenant: TenantId) => eraseEndpoint(deps.relational, tenant),
      eraseSubject: (tenant: TenantId, { agents }: Subject) => eraseEndpoint(deps.relational, tenant, agents),
    },
    close: async (): Promise<void> => {
      await raising?.close();
      stopHeartbeat();
      await subscription?.close();
    },
  } satisfies Slice;
  const readShared = (tenant: TenantId) => readSharedTold(deps, tenant);
  return {
    ...slice,
    writeAgentCopies,
    removeAgentCopies,
    readShared,
    /** Which devices are hurt by what they share, for whoever may see devices. */
    listSharing: (tenant: TenantId, place: SharedPlaceOf & { limit?: number }) => listSharing(deps, tenant, place),
  };
}
