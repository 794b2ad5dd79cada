import type { TenantId } from '#kernel';
import type { FleetContext } from '../context.ts';
import { readPolicy } from './policy.ts';

const MAX_CACHED_POLICIES = 10_000;

export interface CachedPolicy {
  /** As it is sent. */
  text: string;
  /** Asked at every status, so it is kept apart: the text of 32 long targets takes a while to parse. */
  tellShared: boolean;
}

/** The policy of each tenant, read once until it changes. */
export function createPolicyCache(context: FleetContext) {
  const policies = new Map<TenantId, Promise<CachedPolicy>>();
  return {
    async read(tenant: TenantId): Promise<CachedPolicy> {
      const known = policies.get(tenant);
      if (known) return await known;
      if (policies.size >= MAX_CACHED_POLICIES) policies.clear();
      const loading = readPolicy(context, tenant).then(({ policy }) => ({
        text: JSON.stringify(policy),
        tellShared: policy.tellShared,
      }));
      policies.set(tenant, loading);
      loading.catch(() => policies.delete(tenant));
      return await loading;
    },
    drop: (tenant: TenantId): boolean => policies.delete(tenant),
    clear: (): void => policies.clear(),
  };
}
