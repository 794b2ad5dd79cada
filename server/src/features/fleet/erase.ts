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

/** Every replica sends these devices away. */
async function sendAway({ relational, verifier }: FleetContext, tenant: TenantId, agents: readonly string[]): Promise<void> {
  await relational.withSystemSql(tenant, async (sql) => {
    for (const id of agents) await sql.query('SELECT pg_notify($1, $2)', [REVOKED_CHANNEL, `${tenant}/${id}`]);
  });
  for (const id of agents) verifier.forget(tenant, id);
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
  await sendAway(context, tenant, agents);
  if (email === undefined) return erased;
  const { rowCount } = await relational.withSystemSql(tenant, (sql) => sql.query(FORGET_OWNER, [email]));
  return { ...erased, enrol_tokens: rowCount ?? 0 };
}

/** Devices whose owner has this address, in lower case, or the one with this id. */
export async function findDevicesOf(
  { relational }: FleetContext,
  tenant: TenantId,
  of: { email: string } | { agent: string },
): Promise<string[]> {
  const [where, value] = 'email' in of ? ['lower(owner_email) = $1', of.email] : ['id = $1', of.agent];
  const text = `SELECT id FROM agents WHERE ${where}`;
  const { rows } = await relational.withTenantSql(tenant, (sql) => sql.query<{ id: string }>(text, [value]));
  return rows.map(({ id }) => id);
}
