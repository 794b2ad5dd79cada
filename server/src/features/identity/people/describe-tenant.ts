import { ROLE_PERMISSIONS, ROLES } from '@svc/contracts/permissions';
import type { TenantId } from '#kernel';
import { findTenant, type Relational } from '#relational';
import { DEFAULT_TENANT } from './tenants.ts';

const READERS = ROLES.filter((role) => ROLE_PERMISSIONS[role].includes('agent.read'));

/** What the devices of a tenant tell the people before them: its name, empty where nobody gave it one, and how many may read results. */
export async function describeTenant(
  relational: Relational,
  tenant: TenantId,
): Promise<{ organisation: string; readers: number }> {
  const found = await findTenant(relational, tenant);
  const text = 'SELECT count(*)::int AS readers FROM members WHERE (roles || group_roles) && $1::text[]';
  const { rows } = await relational.withTenantSql(tenant, async (sql) => await sql.query<{ readers: number }>(text, [READERS]));
  const isNamed = found !== undefined && !(tenant === DEFAULT_TENANT && found.name === 'Default');
  return { organisation: isNamed ? found.name : '', readers: rows[0]?.readers ?? 0 };
}
