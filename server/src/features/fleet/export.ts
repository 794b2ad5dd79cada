import type { RowsOfTable, TenantId } from '#kernel';
import type { FleetContext } from './context.ts';

const PAGE = 1000;

// Sealed keys and hashes of secrets are no data of the tenant and stay here.
const TABLES: Readonly<Record<string, string>> = {
  agents: `id, given_name, device_name, owner_email, site, os, os_version, arch, model, ring, state, paused_until, protocol,
    agent_version, policy_version, simulated, enrolled_at, last_contact_at, revoked_at, retired_at`,
  enrol_tokens: 'id, label, site, owner_email, uses, used, expires_at, created_at, created_by, last_used_at, revoked_at',
};

/** The tenant's rows a page at a time, by id. */
export async function* exportFleet({ relational }: FleetContext, tenant: TenantId): AsyncGenerator<RowsOfTable> {
  for (const [table, columns] of Object.entries(TABLES)) {
    for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
      const rows = await relational.withTenantSql(tenant, async (sql) => {
        const text = `SELECT ${columns} FROM ${table} WHERE id > $1 ORDER BY id LIMIT ${PAGE}`;
        return (await sql.query<{ id: string } & Record<string, unknown>>(text, [after])).rows;
      });
      if (rows.length > 0) yield { table, rows };
      const last = rows[PAGE - 1];
      if (!last) break;
      after = last.id;
    }
  }
  const rows = await relational.withTenantSql(tenant, async (sql) => {
    return (await sql.query('SELECT version, policy, created_at, created_by FROM agent_policies ORDER BY version')).rows;
  });
  if (rows.length > 0) yield { table: 'agent_policies', rows };
}
