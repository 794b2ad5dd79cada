import { AppError, type AuditEntry, actorOf, type Ctx } from '#kernel';
import type { TenantSql } from '#relational';
import { COPY_COLUMNS, type CopyRow, toCopy } from './agent-rows.ts';
import type { RenameAgent, SetOwner, SetSite } from './api.ts';
import { REVOKED_CHANNEL } from './authority/verify-agent.ts';
import type { FleetContext } from './context.ts';

interface AgentChange {
  /** SQL of the SET list; $1 is the ids, $2 the value. */
  set: string;
  value: string | Date | null;
  action: string;
}

/** One change of some agents with its copies and one audit entry each; ids of another tenant, or gone, change nothing. */
async function changeAgents(
  context: FleetContext,
  ctx: Ctx,
  { ids, set, value, action }: AgentChange & { ids: readonly string[] },
): Promise<{ changed: number }> {
  return await context.relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    const { rows } = await sql.query<CopyRow>(
      `UPDATE agents a SET ${set} WHERE a.id = ANY($1::uuid[]) AND a.revoked_at IS NULL AND a.retired_at IS NULL
       RETURNING ${COPY_COLUMNS}`,
      [ids, value],
    );
    await context.writeAgentCopies(sql, rows.map(toCopy));
    await auditEach(context, sql, { ctx, action, ids: rows.map((row) => row.id) });
    return { changed: rows.length };
  });
}

async function auditEach(
  context: FleetContext,
  sql: TenantSql,
  { ctx, action, ids }: { ctx: Ctx; action: string; ids: readonly string[] },
): Promise<void> {
  const actor: AuditEntry['actor'] = actorOf(ctx.principal);
  for (const id of ids) await context.appendAudit(sql, { actor, action, object: { type: 'agent', id } });
}

/** `name: null` gives the device its own name back; `not_found` for an agent that this tenant does not have. */
export async function renameAgent(context: FleetContext, ctx: Ctx, { id, name }: RenameAgent): Promise<{ changed: number }> {
  const change = { ids: [id], set: 'given_name = $2', value: name, action: 'agent.rename' };
  const result = await changeAgents(context, ctx, change);
  if (result.changed === 0) throw new AppError('not_found', 'There is no such device.');
  return result;
}

export const setAgentSite = async (context: FleetContext, ctx: Ctx, { ids, site }: SetSite) =>
  await changeAgents(context, ctx, { ids, set: 'site = $2', value: site, action: 'agent.set_site' });

export const setAgentOwner = async (context: FleetContext, ctx: Ctx, { ids, owner }: SetOwner) =>
  await changeAgents(context, ctx, { ids, set: 'owner_email = $2', value: owner, action: 'agent.set_owner' });

/** Ends the trust in agents: their streams close at once here, and in every replica as it hears of it. */
async function endTrust(
  context: FleetContext,
  ctx: Ctx,
  { ids, column, action }: { ids: readonly string[]; column: 'revoked_at' | 'retired_at'; action: string },
): Promise<{ changed: number }> {
  const { tenant } = ctx.principal;
  const gone = await context.relational.withTenantSql(tenant, async (sql) => {
    const { rows } = await sql.query<{ id: string }>(
      `UPDATE agents SET ${column} = $2 WHERE id = ANY($1::uuid[]) AND ${column} IS NULL RETURNING id`,
      [ids, new Date(context.clock.now())],
    );
    const changed = rows.map((row) => row.id);
    await context.removeAgentCopies(sql, changed);
    await auditEach(context, sql, { ctx, action, ids: changed });
    for (const id of changed) await sql.query('SELECT pg_notify($1, $2)', [REVOKED_CHANNEL, `${tenant}/${id}`]);
    return changed;
  });
  for (const id of gone) context.verifier.forget(tenant, id);
  return { changed: gone.length };
}

export const retireAgents = async (context: FleetContext, ctx: Ctx, { ids }: { ids: readonly string[] }) =>
  await endTrust(context, ctx, { ids, column: 'retired_at', action: 'agent.retire' });

export const revokeAgents = async (context: FleetContext, ctx: Ctx, { ids }: { ids: readonly string[] }) =>
  await endTrust(context, ctx, { ids, column: 'revoked_at', action: 'agent.revoke' });
