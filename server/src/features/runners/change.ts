import type { UpdateRunner } from '@svc/contracts/tests/runner-api';
import { AppError, actorOf, type Ctx, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { RunnersDeps } from './context.ts';

type Deps = Pick<RunnersDeps, 'relational' | 'appendAudit' | 'clock'>;

/** On it every replica hears that the runners of a tenant are others now: `<tenant>`. */
export const RUNNERS_CHANNEL = 'svc_runners';
/** On it every replica hears of runners that are not trusted any more: `<tenant>/<runner>`. */
export const REVOKED_CHANNEL = 'svc_runner_revoked';

export const notifyRunners = async (sql: TenantSql): Promise<void> => {
  await sql.query("SELECT pg_notify($1, current_setting('app.tenant_id'))", [RUNNERS_CHANNEL]);
};

export async function updateRunner(
  { relational, appendAudit }: Deps,
  ctx: Ctx,
  input: UpdateRunner,
): Promise<{ changed: number }> {
  const { id, name, labels, site } = input;
  return await relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    const { rowCount } = await sql.query(
      `UPDATE runners SET name = coalesce($2, name), labels = coalesce($3::jsonb, labels), site = CASE WHEN $4 THEN $5 ELSE site END
       WHERE id = $1 AND revoked_at IS NULL`,
      [id, name ?? null, labels === undefined ? null : JSON.stringify(labels), site !== undefined, site ?? null],
    );
    if (rowCount === 0) throw new AppError('not_found', 'There is no such runner.');
    await appendAudit(sql, { actor: actorOf(ctx.principal), action: 'runner.update', object: { type: 'runner', id } });
    await notifyRunners(sql);
    return { changed: 1 };
  });
}

/** Its certificate counts for nothing from now on, its streams end at once, and its key never enrols again. */
export async function removeRunner(
  { relational, appendAudit, clock }: Deps,
  ctx: Ctx,
  { id }: { id: string },
): Promise<{ changed: number }> {
  const { tenant } = ctx.principal;
  return await relational.withTenantSql(tenant, async (sql) => {
    const { rowCount } = await sql.query('UPDATE runners SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL', [
      ...[id, new Date(clock.now())],
    ]);
    if (rowCount === 0) throw new AppError('not_found', 'There is no such runner.');
    await appendAudit(sql, { actor: actorOf(ctx.principal), action: 'runner.remove', object: { type: 'runner', id } });
    await sql.query('SELECT pg_notify($1, $2)', [REVOKED_CHANNEL, `${tenant}/${id}`]);
    await notifyRunners(sql);
    return { changed: 1 };
  });
}

/** Names of runners, for the audit trail. */
export async function nameRunners(
  { relational }: Pick<Deps, 'relational'>,
  tenant: TenantId,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const text = 'SELECT id::text AS id, name FROM runners WHERE id::text = ANY ($1)';
  const { rows } = await relational.withTenantSql(tenant, (sql) => sql.query<{ id: string; name: string }>(text, [ids]));
  return new Map(rows.map(({ id, name }) => [id, name]));
}
