import type { SharedTold } from '@svc/contracts/agent/shared-told';
import type { TenantId } from '#kernel';
import type { FleetContext } from './context.ts';

const KEPT_MS = 30_000;
const MAX_TENANTS = 10_000;

type Told = ReadonlyMap<string, SharedTold>;
const NOTHING: Told = new Map();

/** What the devices of a tenant share, up to half a minute old: each status of each device asks, one read answers all. */
export function createSharedTold({ readShared, clock, log }: Pick<FleetContext, 'readShared' | 'clock' | 'log'>) {
  const kept = new Map<TenantId, { readAtMs: number; told: Promise<Told> }>();
  return async (tenant: TenantId, agentId: string): Promise<SharedTold | null> => {
    const now = clock.now();
    let known = kept.get(tenant);
    if (!known || now - known.readAtMs >= KEPT_MS || now < known.readAtMs) {
      if (kept.size >= MAX_TENANTS) kept.clear();
      const told = readShared(tenant).catch((error: unknown) => {
        log.warn({ err: error, tenant }, 'what devices share could not be read');
        return NOTHING;
      });
      known = { readAtMs: now, told };
      kept.set(tenant, known);
    }
    return (await known.told).get(agentId) ?? null;
  };
}
