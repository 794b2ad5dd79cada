import type { ErasedRows, Subject, TenantId } from '#kernel';
import { eraseTables, type Relational, type TenantSql } from '#relational';
import { describeAccounts } from './people/accounts.ts';
import { keepAnAdmin } from './people/members.ts';

/** Of the tenant, and of people in any. */
export const IDENTITY_TABLES = [
  ...['access_links', 'account_tenants', 'accounts', 'api_tokens', 'credential_keys', 'ended_sessions'],
  ...['joins_elsewhere', 'members', 'sessions', 'sign_in_attempts', 'tenants'],
];

type Store = Pick<Relational, 'withSystemSql' | 'directory'>;

const MEMBERS = 'SELECT account_id FROM members';

const membersOf = async ({ withSystemSql }: Pick<Store, 'withSystemSql'>, tenant: TenantId): Promise<string[]> =>
  (await withSystemSql(tenant, (sql) => sql.query<{ account_id: string }>(MEMBERS))).rows.map((row) => row.account_id);

/** Accounts that no tenant knows any more, name, address and password with them; in the transaction in which they left the last one. */
const eraseStrangers = async (sql: TenantSql, ids: readonly string[]): Promise<number> =>
  (await sql.query('SELECT * FROM directory_erase_strangers($1)', [ids])).rowCount ?? 0;

/** Tokens, links and members; then the people who were in no other tenant. */
export async function eraseIdentity(store: Store, tenant: TenantId): Promise<ErasedRows> {
  const credentials = await eraseTables(store, tenant, [{ table: 'api_tokens' }, { table: 'access_links' }]);
  const members = await membersOf(store, tenant);
  const remove = async (sql: TenantSql) => {
    const { rowCount } = await sql.query('DELETE FROM members WHERE account_id = ANY ($1)', [members]);
    return { members: rowCount ?? 0, accounts: await eraseStrangers(sql, members) };
  };
  return { ...credentials, ...(await store.withSystemSql(tenant, remove)) };
}

/** A person's membership, sessions in the tenant, tokens and links, and the account where no other tenant knows it. */
export async function erasePeople(store: Store, tenant: TenantId, { accounts, email }: Subject): Promise<ErasedRows> {
  return await store.withSystemSql(tenant, async (sql) => {
    for (const account of accounts) await keepAnAdmin(sql, account);
    const remove = async (text: string, values: unknown[]): Promise<number> => (await sql.query(text, values)).rowCount ?? 0;
    for (const account of accounts) await sql.query('SELECT * FROM directory_revoke_sessions($1, false)', [account]);
    return {
      api_tokens: await remove('DELETE FROM api_tokens WHERE acts_for = ANY ($1) OR created_by = ANY ($1)', [accounts]),
      access_links: await remove(
        'DELETE FROM access_links WHERE lower(email) = $2 OR used_by = ANY ($1) OR account_id = ANY ($1)',
        [accounts, email ?? null],
      ),
      members: await remove('DELETE FROM members WHERE account_id = ANY ($1)', [accounts]),
      accounts: await eraseStrangers(sql, accounts),
    };
  });
}

/** Members of the tenant with this address, lower case. */
export async function findPeople(store: Store, tenant: TenantId, email: string): Promise<string[]> {
  const accounts = await describeAccounts(store, await membersOf(store, tenant));
  return accounts.filter((account) => account.email.toLowerCase() === email).map(({ id }) => id);
}
