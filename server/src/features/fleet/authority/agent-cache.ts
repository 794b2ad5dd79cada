import type { VerifiedAgent } from '#edge';
import type { TenantId } from '#kernel';

const MAX_CACHED = 150_000;

/** What is known of one tenant: its agents by certificate, oldest first, and all certificates of each agent. */
interface Own {
  byFingerprint: Map<string, VerifiedAgent>;
  fingerprints: Map<string, Set<string>>;
}

/**
 * Agents that were checked in full, by certificate, with a way to all certificates of one agent. Bounded: the tenant that has most here gives up
 * its oldest, so that no tenant costs one that has fewer its place.
 */
export function createAgentCache(maxCached = MAX_CACHED) {
  const tenants = new Map<TenantId, Own>();
  const tenantOf = new Map<string, TenantId>();

  const ownOf = (tenant: TenantId): Own => {
    const own = tenants.get(tenant) ?? { byFingerprint: new Map(), fingerprints: new Map() };
    tenants.set(tenant, own);
    return own;
  };
  const drop = (fingerprint: string): void => {
    const tenant = tenantOf.get(fingerprint);
    if (tenant === undefined) return;
    const { byFingerprint, fingerprints } = ownOf(tenant);
    const agentId = byFingerprint.get(fingerprint)?.agentId ?? '';
    tenantOf.delete(fingerprint);
    byFingerprint.delete(fingerprint);
    const others = fingerprints.get(agentId);
    others?.delete(fingerprint);
    if (others?.size === 0) fingerprints.delete(agentId);
    if (byFingerprint.size === 0) tenants.delete(tenant);
  };
  /** At the bound: the oldest of the tenant that has most, of this one where several have as many. */
  const makeRoom = (newcomer: TenantId): void => {
    let most = tenants.get(newcomer)?.byFingerprint;
    for (const { byFingerprint } of tenants.values()) if (byFingerprint.size > (most?.size ?? 0)) most = byFingerprint;
    const oldest = most?.keys().next().value;
    if (oldest !== undefined) drop(oldest);
  };

  return {
    get(fingerprint: string): VerifiedAgent | undefined {
      const tenant = tenantOf.get(fingerprint);
      return tenant === undefined ? undefined : tenants.get(tenant)?.byFingerprint.get(fingerprint);
    },
    drop,
    dropAgent(tenant: TenantId, agentId: string): void {
      for (const fingerprint of [...(tenants.get(tenant)?.fingerprints.get(agentId) ?? [])]) drop(fingerprint);
    },
    keep(agent: VerifiedAgent): void {
      const { tenant, agentId, fingerprint } = agent;
      if (!tenantOf.has(fingerprint) && tenantOf.size >= maxCached) makeRoom(tenant);
      const { byFingerprint, fingerprints } = ownOf(tenant);
      tenantOf.set(fingerprint, tenant);
      byFingerprint.set(fingerprint, agent);
      fingerprints.set(agentId, (fingerprints.get(agentId) ?? new Set()).add(fingerprint));
    },
    idsByTenant: (): Map<TenantId, string[]> =>
      new Map([...tenants].map(([tenant, { fingerprints }]) => [tenant, [...fingerprints.keys()]])),
  };
}
