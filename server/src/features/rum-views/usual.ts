import type { Clock, TenantId } from '#kernel';
import type { Usual, ViewReader } from './reader.ts';

/** The median of a week is another one only slowly. */
const FRESH_MS = 5 * 60_000;
const MAX_TENANTS = 1000;

/** What is usual of a tenant's hosts, remembered for a few minutes. */
export function createUsual({ reader, clock }: { reader: Pick<ViewReader, 'usual'>; clock: Clock }) {
  const kept = new Map<TenantId, { atMs: number; usual: ReadonlyMap<string, Usual> }>();
  return async (tenant: TenantId): Promise<ReadonlyMap<string, Usual>> => {
    const known = kept.get(tenant);
    if (known && Math.abs(clock.now() - known.atMs) < FRESH_MS) return known.usual;
    const rows = await reader.usual(tenant);
    const usual = new Map(rows.map((row) => [`${row.app}\n${row.host}`, row]));
    if (kept.size >= MAX_TENANTS) kept.clear();
    kept.set(tenant, { atMs: clock.now(), usual });
    return usual;
  };
}
