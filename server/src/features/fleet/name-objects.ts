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

/** More of one name, or in one request, nobody means. */
const MOST_NAMED = 50;

/** Devices that are there and bear one of these names, in lower case: as somebody named them, and what the device calls itself. */
export async function findNamed(
  { relational }: Pick<FleetContext, 'relational'>,
  tenant: TenantId,
  names: readonly string[],
): Promise<{ name: string; host: string | null }[]> {
  if (names.length === 0) return [];
  const text = `SELECT DISTINCT coalesce(given_name, device_name) AS name, device_name AS host FROM agents
    WHERE (lower(given_name) = ANY ($1) OR lower(device_name) = ANY ($1)) AND revoked_at IS NULL AND retired_at IS NULL
    ORDER BY 1, 2 LIMIT ${MOST_NAMED}`;
  const { rows } = await relational.withTenantSql(
    tenant,
    async (sql) => await sql.query<{ name: string; host: string | null }>(text, [names]),
  );
  return rows;
}
