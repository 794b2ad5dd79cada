import type { SetAsideMessage } from '#bus';
import { ingestCounts, keepsNothing, type Slice, type TenantId } from '#kernel';
import { createResultsMount, type PublishDeps } from './ingress.ts';
import { countSetAside, createPublishBudget } from './publish-budget.ts';

export type EndpointIntakeDeps = Omit<PublishDeps, 'budget'>;

/**
 * Results of the agents on people's machines come in over gRPC and go to the bus (docs/contract/results.md). A tenant that sends more
 * than its consumers store waits: compose/ tells what they stored.
 */
export function createEndpointIntake(deps: EndpointIntakeDeps) {
  const budget = createPublishBudget();
  const { mount, tally } = createResultsMount({ ...deps, budget });
  return {
    name: 'endpoint-intake',
    roles: ['ingest'],
    grpc: [mount],
    counts: () => ingestCounts(tally.read(), { source: 'agents', success: 'accepted' }),
    data: keepsNothing('what it publishes is stored by results and endpoint'),
    /** Results of a tenant became readable as raw results. */
    noteStored: (tenant: TenantId, count: number): void => budget.stored('results', tenant, count),
    /** Results of a tenant are in the view. */
    noteViewed: (tenant: TenantId, count: number): void => budget.stored('view', tenant, count),
    noteSetAside: (tenant: TenantId, messages: readonly SetAsideMessage[]): void => countSetAside(budget, tenant, messages),
  } satisfies Slice & Record<string, unknown>;
}
