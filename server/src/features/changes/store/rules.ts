import type { TargetRule } from '@svc/contracts/changes/webhook';
import type { TenantId } from '#kernel';
import type { TenantSql } from '#relational';

/** Rows of a webhook's table, in the order in which they are looked at. */
export async function readRules(sql: TenantSql, id: string): Promise<TargetRule[]> {
  const text =
    'SELECT repository, environment, path, target, prefix FROM change_target_rules WHERE webhook_id = $1 ORDER BY position';
  return (await sql.query<TargetRule>(text, [id])).rows;
}

export async function writeRules(
  sql: TenantSql,
  tenant: TenantId,
  { id, rules }: { id: string; rules: readonly TargetRule[] },
): Promise<void> {
  await sql.query('DELETE FROM change_target_rules WHERE webhook_id = $1', [id]);
  await sql.query(
    `INSERT INTO change_target_rules (tenant_id, webhook_id, position, repository, environment, path, target, prefix)
     SELECT $1, $2, n.position, n.repository, n.environment, n.path, n.target, n.prefix
     FROM jsonb_to_recordset($3::jsonb) AS n (position integer, repository text, environment text, path text, target text, prefix text)`,
    [tenant, id, JSON.stringify(rules.map((rule, position) => ({ ...rule, position })))],
  );
}
