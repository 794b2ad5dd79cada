import type { TenantId } from '#kernel';
import { asSystem, type Fence, type LeasedWork, startLeasedWork, visitTenants } from '#relational';
import type { EndpointDeps, SettleShared, SharedScope } from './context.ts';
import { findSharedCauses } from './domain/shared-causes.ts';
import { toSignals } from './domain/shared-signals.ts';
import { judgedGroups, readVerdictGroups } from './read/summary.ts';

const SCOPE: SharedScope = { plane: 'endpoint', kind: 'endpoint.shared_cause', scope: 'fleet' };
const EVERY_MS = 30_000;

type Deps = Pick<EndpointDeps, 'relational' | 'clock' | 'log'> & { settle: SettleShared };

/** What the slow devices of a tenant share now, from three devices on. Idempotent. */
export async function raiseShared({ relational, clock, settle }: Deps, tenant: TenantId, fence?: Fence): Promise<void> {
  const nowMs = clock.now();
  const groups = await asSystem(relational).withTenantSql(tenant, (sql) => readVerdictGroups(sql, nowMs));
  const present = toSignals(findSharedCauses(judgedGroups(groups)), nowMs);
  await settle(tenant, { ...SCOPE, ...(fence ? { fence } : {}) }, present);
}

export const startRaisingShared = (deps: Deps): LeasedWork =>
  startLeasedWork(deps.relational, {
    name: 'endpoint-shared-causes',
    everyMs: EVERY_MS,
    log: deps.log,
    work: async (fence) => await visitTenants(deps, fence, async (tenant) => await raiseShared(deps, tenant, fence)),
  });
