import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock, TenantId } from '#kernel';
import { type Fence, type LeasedWork, type Relational, startLeasedWork, visitTenants } from '#relational';
import type { ColumnStore } from '#telemetry';
import { type EdgeRatios, isFailing, toSignal } from './domain/edge-failing.ts';
import { readRatios, readServedNames } from './ratios-clickhouse.ts';

export interface EdgeScope {
  plane: 'otlp';
  kind: 'otlp.edge_failing';
  scope: string;
}

/** An edge that failed when it was looked at last. */
export interface OpenEdge {
  dedupKey: string;
  occurredAt: Date;
}

/** What the incidents give. */
export interface EdgeThreads {
  settle(tenant: TenantId, scope: EdgeScope & { fence?: Fence }, present: readonly RaisedSignal[]): Promise<void>;
  openKeys(tenant: TenantId, kind: 'otlp.edge_failing'): Promise<readonly OpenEdge[]>;
  /** Whether the tenant switched it on. */
  watchesEdges(tenant: TenantId): Promise<boolean>;
}

export interface FailingEdgesDeps {
  store: ColumnStore;
  relational: Relational;
  incidents: EdgeThreads;
  clock: Clock;
  log: FastifyBaseLogger;
}

const SCOPE: EdgeScope = { plane: 'otlp', kind: 'otlp.edge_failing', scope: 'map' };
const EVERY_MS = 60_000;
const MINUTE_MS = 60_000;
/** Minutes before this one should have been computed. */
const RIPE_MINUTES = 3;
/** More at once than anybody reads; those with most failures are kept. */
const MAX_FAILING = 200;

export const edgeKey = ({ source, target, kind }: Pick<EdgeRatios, 'source' | 'target' | 'kind'>): string =>
  `${source}\n${target}\n${kind}`.slice(0, 256);

/**
 * Looks at the edges of one tenant, and settles those that fail. What happened before an edge began to fail is what is usual for it, so
 * that an hour of failures does not become its range. Idempotent; nothing is settled while minutes are still to be computed.
 */
export async function raiseFailingEdges(deps: FailingEdgesDeps, tenant: TenantId, fence?: Fence): Promise<void> {
  const { store, incidents, clock } = deps;
  const scope = { ...SCOPE, ...(fence ? { fence } : {}) };
  const open = await incidents.openKeys(tenant, SCOPE.kind);
  if (!(await incidents.watchesEdges(tenant))) {
    if (open.length > 0) await incidents.settle(tenant, scope, []);
    return;
  }
  const end = Math.floor(clock.now() / MINUTE_MS) - RIPE_MINUTES;
  const since = new Map(open.map(({ dedupKey, occurredAt }) => [dedupKey, Math.floor(occurredAt.getTime() / MINUTE_MS)]));
  const ratios = await readRatios(store, tenant, { end, since });
  if (!ratios) return;
  const failing = ratios
    .filter((edge) => isFailing(edge, since.has(edgeKey(edge))))
    .sort((a, b) => b.errors - a.errors)
    .slice(0, MAX_FAILING);
  const names = await readServedNames(store, tenant, { end, services: failing.map(({ target }) => target) });
  const signals = failing.map((edge) => toSignal(edge, { names: names.get(edge.target) ?? [], key: edgeKey(edge), end }));
  await incidents.settle(tenant, scope, signals);
}

export const startRaisingEdges = (deps: FailingEdgesDeps): LeasedWork =>
  startLeasedWork(deps.relational, {
    name: 'otlp-failing-edges',
    everyMs: EVERY_MS,
    log: deps.log,
    work: async (fence) => await visitTenants(deps, fence, async (tenant) => await raiseFailingEdges(deps, tenant, fence)),
  });
