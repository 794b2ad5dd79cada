import { canonicalHost } from '@svc/contracts/tests/target';
import { AppError, actorOf, type Ctx } from '#kernel';
import type { TenantSql } from '#relational';
import type { ProposalsDeps } from './context.ts';

/** Hosts that a tenant does not want to have proposed. */

const MAX_DISMISSED = 1000;
/** Those of one tenant take turns, so that two at once cannot pass the bound together. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('discovery-dismissals/' || current_setting('app.tenant_id'), 0))";

export const readDismissed = async (sql: TenantSql): Promise<Set<string>> => {
  const { rows } = await sql.query<{ host: string }>('SELECT host FROM discovery_dismissals ORDER BY host LIMIT $1', [
    MAX_DISMISSED,
  ]);
  return new Set(rows.map(({ host }) => host));
};

type Deps = Pick<ProposalsDeps, 'relational' | 'appendAudit' | 'clock'>;

/** The same again changes nothing. AppError `conflict` beyond the bound. */
export async function dismissHost(
  { relational, appendAudit, clock }: Deps,
  ctx: Ctx,
  { host: written }: { host: string },
): Promise<{ host: string }> {
  const host = canonicalHost(written).slice(0, 253);
  await relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    await sql.query(LOCK);
    const { rows } = await sql.query<{ count: number }>('SELECT count(*)::int AS count FROM discovery_dismissals');
    if ((rows[0]?.count ?? 0) >= MAX_DISMISSED)
      throw new AppError('conflict', `At most ${MAX_DISMISSED} hosts are dismissed. Take some back first.`);
    await sql.query(
      `INSERT INTO discovery_dismissals (tenant_id, host, dismissed_by, dismissed_at)
       VALUES (current_setting('app.tenant_id'), $1, $2, $3) ON CONFLICT DO NOTHING`,
      [host, ctx.principal.id, new Date(clock.now())],
    );
    await appendAudit(sql, { actor: actorOf(ctx.principal), action: 'ai.dismiss', detail: { target: host } });
  });
  return { host };
}

/** Takes it back; a host that was not dismissed stays so. */
export async function restoreHost(
  { relational, appendAudit }: Deps,
  ctx: Ctx,
  { host: written }: { host: string },
): Promise<{ host: string }> {
  const host = canonicalHost(written).slice(0, 253);
  await relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    await sql.query('DELETE FROM discovery_dismissals WHERE host = $1', [host]);
    await appendAudit(sql, { actor: actorOf(ctx.principal), action: 'ai.restore', detail: { target: host } });
  });
  return { host };
}
