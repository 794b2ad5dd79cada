import type { TenantId } from '#kernel';
import type { EndpointContext, EndpointDeps } from './context.ts';

const KEPT_MS = 60_000;
const MAX_TENANTS = 10_000;

/** Keeps the newest version for a minute: finding it is a scan of the tenant's rows, and it changes with releases only. */
export function createNewestVersion({ relational, clock }: EndpointDeps): EndpointContext['newestVersionOf'] {
  const kept = new Map<TenantId, { readAtMs: number; version: Promise<string | null> }>();
  const read = async (tenant: TenantId): Promise<string | null> => {
    const text = `SELECT agent_version FROM endpoint_summary WHERE agent_version_sort IS NOT NULL ORDER BY agent_version_sort DESC LIMIT 1`;
    const { rows } = await relational.withTenantSql(tenant, async (sql) => await sql.query<{ agent_version: string }>(text));
    return rows[0]?.agent_version ?? null;
  };
  return async (tenant) => {
    const known = kept.get(tenant);
    if (known && clock.now() - known.readAtMs < KEPT_MS && clock.now() >= known.readAtMs) return await known.version;
    if (kept.size >= MAX_TENANTS) kept.clear();
    const version = read(tenant);
    kept.set(tenant, { readAtMs: clock.now(), version });
    version.catch(() => kept.delete(tenant));
    return await version;
  };
}
