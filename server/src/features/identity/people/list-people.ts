import { type Permission, ROLE_PERMISSIONS, type Role } from '@svc/contracts/permissions';
import type { TenantId } from '#kernel';
import type { Relational } from '#relational';
import { describeAccounts, displayName } from './accounts.ts';
import { listMembers } from './members.ts';

/** Whom a choice among people offers at most. */
const MOST = 1000;

export interface Person {
  id: string;
  name: string;
}

/** People of the tenant whose roles hold a permission, by name; at most MOST of them. */
export async function listPeople(relational: Relational, tenant: TenantId, permission: Permission): Promise<Person[]> {
  const members = await relational.withTenantSql(tenant, (sql) => listMembers(sql, '', MOST));
  const holds = (role: string): boolean => ROLE_PERMISSIONS[role as Role]?.includes(permission) ?? false;
  const ids = members
    .filter(({ roles, group_roles }) => [...roles, ...group_roles].some(holds))
    .map(({ account_id }) => account_id);
  const accounts = await describeAccounts(relational, ids);
  return accounts
    .map((account) => ({ id: account.id, name: displayName(account) }))
    .toSorted((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
}
