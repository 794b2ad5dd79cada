import type { Role } from '@svc/contracts/permissions';
import { AppError, type AuditEntry } from '#kernel';
import type { TenantSql } from '#relational';

export interface MemberRow {
  account_id: string;
  roles: string[];
  group_roles: string[];
  created_at: Date;
}

export type AppendAudit = (sql: TenantSql, entry: AuditEntry) => Promise<void>;

const COLUMNS = 'account_id, roles, group_roles, created_at';

export async function listMembers(sql: TenantSql, after: string, limit: number): Promise<MemberRow[]> {
  const text = `SELECT ${COLUMNS} FROM members WHERE account_id > $1 ORDER BY account_id LIMIT $2`;
  return (await sql.query<MemberRow>(text, [after, limit])).rows;
}

export async function findMember(sql: TenantSql, accountId: string): Promise<MemberRow | undefined> {
  return (await sql.query<MemberRow>(`SELECT ${COLUMNS} FROM members WHERE account_id = $1`, [accountId])).rows[0];
}

/** Adds the member, or adds roles to one that is there; true when it is new. */
export async function addMember(
  sql: TenantSql,
  accountId: string,
  grant: { roles: readonly Role[]; now: Date },
): Promise<boolean> {
  const { rows } = await sql.query<{ is_new: boolean }>(
    `INSERT INTO members AS m (tenant_id, account_id, roles, created_at) VALUES (current_setting('app.tenant_id'), $1, $2, $3)
     ON CONFLICT (tenant_id, account_id)
     DO UPDATE SET roles = (SELECT coalesce(array_agg(DISTINCT role), '{}') FROM unnest(m.roles || excluded.roles) AS role)
     RETURNING (xmax = 0) AS is_new`,
    [accountId, grant.roles, grant.now],
  );
  return rows[0]?.is_new === true;
}

export async function setGroupRoles(sql: TenantSql, accountId: string, roles: readonly Role[]): Promise<void> {
  await sql.query('UPDATE members SET group_roles = $2 WHERE account_id = $1 AND group_roles <> $2', [accountId, roles]);
}

/** Locks the tenant's admins and refuses when nobody but this account would be left to administer it. */
export async function keepAnAdmin(sql: TenantSql, accountId: string): Promise<void> {
  const { rows } = await sql.query<{ account_id: string }>(
    "SELECT account_id FROM members WHERE 'admin' = ANY (roles || group_roles) ORDER BY account_id FOR UPDATE",
  );
  const admins = rows.map((row) => row.account_id);
  if (admins.includes(accountId) && admins.length === 1) {
    throw new AppError('conflict', 'This is the last admin of the tenant. Make someone else an admin first.');
  }
}

export async function hasAdmin(sql: TenantSql): Promise<boolean> {
  const { rowCount } = await sql.query("SELECT 1 FROM members WHERE 'admin' = ANY (roles || group_roles) LIMIT 1");
  return (rowCount ?? 0) > 0;
}

/** Replaces what was granted here; what groups give stays. Gives the roles before. */
export async function setMemberRoles(sql: TenantSql, accountId: string, roles: readonly Role[]): Promise<string[]> {
  const before = await findMember(sql, accountId);
  if (!before) throw new AppError('not_found', 'This person is not a member of the tenant.');
  if (!roles.includes('admin') && !before.group_roles.includes('admin')) await keepAnAdmin(sql, accountId);
  await sql.query('UPDATE members SET roles = $2 WHERE account_id = $1', [accountId, roles]);
  return before.roles;
}

/** Takes the person out of the tenant and ends their sessions in it. */
export async function removeMember(sql: TenantSql, accountId: string): Promise<void> {
  await keepAnAdmin(sql, accountId);
  const { rowCount } = await sql.query('DELETE FROM members WHERE account_id = $1', [accountId]);
  if (rowCount === 0) throw new AppError('not_found', 'This person is not a member of the tenant.');
  await sql.query('SELECT * FROM directory_revoke_sessions($1, false)', [accountId]);
}
