import type { AuditEntry, TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { AppendAudit } from './members.ts';

export interface TrailEntry {
  tenant: TenantId;
  entry: AuditEntry;
}

/**
 * Writes entries into the trails of several tenants, in the transaction of `home`. It has to be the last thing that the transaction does,
 * and write all of its entries: each trail is closed while its tenant is set, in the order of the tenants' ids, so that two such
 * transactions never wait for each other.
 */
export async function appendEverywhere(
  sql: TenantSql,
  appendAudit: AppendAudit,
  { home, entries }: { home: TenantId; entries: readonly TrailEntry[] },
): Promise<void> {
  const tenants = [...new Set(entries.map(({ tenant }) => tenant))].sort();
  for (const tenant of tenants) {
    await sql.query("SELECT set_config('app.tenant_id', $1, true)", [tenant]);
    for (const { entry } of entries.filter((one) => one.tenant === tenant)) await appendAudit(sql, entry);
    // An entry gets its place in the chain by a deferred trigger, which sees the tenant that is set when it runs.
    if (tenants.length > 1) await sql.query('SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED');
  }
  await sql.query("SELECT set_config('app.tenant_id', $1, true)", [home]);
}
