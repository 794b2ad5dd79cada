import type { TenantId } from '#kernel';
import type { FleetContext } from './context.ts';

/**
 * Names of devices and labels of enrol tokens by id, as they are now: a device that is removed has none. Ids of anything else are left
 * out.
 */
export async function nameObjects(
  { relational }: Pick<FleetContext, 'relational'>,
  tenant: TenantId,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const text = `SELECT id::text, coalesce(given_name, device_name) AS name FROM agents WHERE id::text = ANY ($1)
    UNION ALL SELECT id::text, label AS name FROM enrol_tokens WHERE id::text = ANY ($1)`;
  const { rows } = await relational.withTenantSql(
    tenant,
    async (sql) => await sql.query<{ id: string; name: string | null }>(text, [ids]),
  );
  return new Map(rows.flatMap(({ id, name }) => (name ? [[id, name] as const] : [])));
}
