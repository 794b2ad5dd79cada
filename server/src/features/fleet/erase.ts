import type { ErasedRows, Subject, TenantId } from '#kernel';
import { eraseTables } from '#relational';
import { REVOKED_CHANNEL } from './authority/verify-agent.ts';
import type { FleetContext } from './context.ts';

const TABLES = ['agent_renewals', 'agents', 'enrol_tokens', 'agent_policies', 'agent_intermediates'] as const;

/** Every replica looks at its connected devices again: those whose rows are gone are sent away. */
async function recheck({ relational, verifier }: FleetContext, tenant: TenantId): Promise<void> {
  await relational.withSystemSql(
    tenant,
    async (sql) => void (await sql.query('SELECT pg_notify($1, $2)', [REVOKED_CHANNEL, ''])),
  );
  await verifier.recheckAll();
}

export async function eraseFleet(context: FleetContext, tenant: TenantId): Promise<ErasedRows> {
  const erased = await eraseTables(
    context.relational,
    tenant,
    TABLES.map((table) => ({ table })),
  );
  await recheck(context, tenant);
  return erased;
}

const FORGET_OWNER = 'UPDATE enrol_tokens SET owner_email = NULL WHERE lower(owner_email) = $1';

/** Their devices go, with the address on the tokens that enrolled them; a device that is erased has to be enrolled anew. */
export async function eraseDevices(context: FleetContext, tenant: TenantId, { agents, email }: Subject): Promise<ErasedRows> {
  const { relational } = context;
  const erased = await eraseTables(relational, tenant, [
    { table: 'agent_renewals', where: 'agent_id = ANY ($1::uuid[])', value: agents },
    { table: 'agents', where: 'id = ANY ($1::uuid[])', value: agents },
  ]);
  if (agents.length > 0) await recheck(context, tenant);
  if (email === undefined) return erased;
  const { rowCount } = await relational.withSystemSql(tenant, (sql) => sql.query(FORGET_OWNER, [email]));
  return { ...erased, enrol_tokens: rowCount ?? 0 };
}

export async function findDevicesOf({ relational }: FleetContext, tenant: TenantId, email: string): Promise<string[]> {
  const text = 'SELECT id FROM agents WHERE lower(owner_email) = $1';
  const { rows } = await relational.withTenantSql(tenant, (sql) => sql.query<{ id: string }>(text, [email]));
  return rows.map(({ id }) => id);
}
