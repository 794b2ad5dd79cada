import { AppError, type AuditEntry, actorOf, type Ctx } from '#kernel';
import type { TenantSql } from '#relational';
import { COPY_COLUMNS, type CopyRow, SHOWN_NAME, toCopy } from './agent-rows.ts';
import type { RenameAgent, SetOwner, SetSite } from './api.ts';
import { REVOKED_CHANNEL } from './authority/verify-agent.ts';
import type { FleetContext } from './context.ts';

interface AgentChange {
  column: 'given_name' | 'site' | 'owner_email';
  /** SQL of what people see of the column in the agents table `a`. */
  shown: string;
  /** Column that says that a person has spoken, so that a device no longer does. */
  byPerson?: 'site_by_person' | 'owner_by_person';
  value: string | null;
  action: string;
}

/** One change of some agents with its copies and one audit entry each; ids of another tenant, or gone, change nothing. */
async function changeAgents(
  context: FleetContext,
  ctx: Ctx,
  { ids, column, shown, byPerson, value, action }: AgentChange & { ids: readonly string[] },
): Promise<{ changed: number }> {
  return await context.relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    const { rows } = await sql.query<CopyRow & { before: string | null; after: string | null }>(
      `WITH former AS (SELECT a.id, ${shown} AS before FROM agents a
         WHERE a.id = ANY($1::uuid[]) AND a.revoked_at IS NULL AND a.retired_at IS NULL FOR UPDATE)
       UPDATE agents a SET ${column} = $2${byPerson ? `, ${byPerson} = true` : ''} FROM former WHERE a.id = former.id RETURNING ${COPY_COLUMNS}, former.before, ${shown} AS after`,
      [ids, value],
    );
    await context.writeAgentCopies(sql, rows.map(toCopy));
    await auditEach(context, sql, {
      ctx,
      action,
      changes: rows.map(({ id, before, after }) => ({ id, change: { agentId: id, before, after } })),
    });
    return { changed: rows.length };
  });
}

async function auditEach(
  context: FleetContext,
  sql: TenantSql,
  { ctx, action, changes }: { ctx: Ctx; action: string; changes: readonly (Pick<AuditEntry, 'change'> & { id: string })[] },
): Promise<void> {
  const actor: AuditEntry['actor'] = actorOf(ctx.principal);
  for (const { id, ...change } of changes)
    await context.appendAudit(sql, { actor, action, object: { type: 'agent', id }, ...change });
}

/** `name: null` gives the device its own name back; `not_found` for an agent that this tenant does not have. */
export async function renameAgent(context: FleetContext, ctx: Ctx, { id, name }: RenameAgent): Promise<{ changed: number }> {
  const change = { column: 'given_name', shown: SHOWN_NAME, value: name, action: 'agent.rename' } as const;
  const result = await changeAgents(context, ctx, { ids: [id], ...change });
  if (result.changed === 0) throw new AppError('not_found', 'There is no such device.');
  return result;
}

export const setAgentSite = async (context: FleetContext, ctx: Ctx, { ids, site }: SetSite) =>
  await changeAgents(context, ctx, {
    ids,
    column: 'site',
    shown: 'a.site',
    byPerson: 'site_by_person',
    value: site,
    action: 'agent.set_site',
  });

export const setAgentOwner = async (context: FleetContext, ctx: Ctx, { ids, owner }: SetOwner) =>
  await changeAgents(context, ctx, {
    ids,
    column: 'owner_email',
    shown: 'a.owner_email',
    byPerson: 'owner_by_person',
    value: owner,
    action: 'agent.set_owner',
  });

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
    await auditEach(context, sql, { ctx, action, changes: rows });
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
