import type { TenantId } from '#kernel';
import type { FleetContext, TenantFacts } from './context.ts';

const KEPT_MS = 5 * 60_000;
const MAX_TENANTS = 10_000;

/**
 * What devices are told of their tenant, up to five minutes old: each status of each device asks, one read answers all. Where it
 * cannot be read, devices are told what was known, or nothing.
 */
export function createTenantFacts({ describeTenant, clock, log }: Pick<FleetContext, 'describeTenant' | 'clock' | 'log'>) {
  const kept = new Map<TenantId, { readAtMs: number; facts: Promise<TenantFacts | undefined> }>();
  return async (tenant: TenantId): Promise<TenantFacts | undefined> => {
    const known = kept.get(tenant);
    const now = clock.now();
    if (known && now - known.readAtMs < KEPT_MS && now >= known.readAtMs) return await known.facts;
    if (kept.size >= MAX_TENANTS) kept.clear();
    const facts = describeTenant(tenant).catch((error: unknown) => {
      log.warn({ err: error, tenant }, 'what devices are told of their tenant could not be read');
      return known?.facts;
    });
    kept.set(tenant, { readAtMs: now, facts });
    return await facts;
  };
}
