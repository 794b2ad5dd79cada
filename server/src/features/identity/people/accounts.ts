import { uuidv7 } from 'uuidv7';
import type { TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';

/** The built-in identity provider's people; a word, not an address, so that they stay when SVC_PUBLIC_URL changes. */
export const BUILTIN_ISSUER = 'builtin';

export interface AccountRow {
  id: string;
  issuer: string;
  subject: string;
  email: string;
  email_verified: boolean;
  name: string;
}

export interface PasswordAccountRow {
  id: string;
  email: string;
  name: string;
  password_hash: string | null;
}

export interface TenantOfAccount {
  id: string;
  name: string;
  is_demo: boolean;
}

type Directory = Pick<Relational, 'directory'>;

export async function findAccount(relational: Directory, id: string): Promise<AccountRow | undefined> {
  return (await relational.directory<AccountRow>('describe_accounts', [[id]]))[0];
}

export const describeAccounts = async (relational: Directory, ids: readonly string[]): Promise<AccountRow[]> =>
  ids.length === 0 ? [] : await relational.directory<AccountRow>('describe_accounts', [ids]);

/** What people are called on a page. */
export const displayName = ({ name, email, subject }: Pick<AccountRow, 'name' | 'email' | 'subject'>): string =>
  name || email || subject;

export async function findPasswordAccount(relational: Directory, email: string): Promise<PasswordAccountRow | undefined> {
  return (await relational.directory<PasswordAccountRow>('find_password_account', [email]))[0];
}

export const tenantsOfAccount = async (relational: Directory, accountId: string): Promise<TenantOfAccount[]> =>
  await relational.directory<TenantOfAccount>('tenants_of_account', [accountId]);

/** In the caller's transaction. A second account with this e-mail is a unique violation of `accounts_builtin_email`. */
export async function createPasswordAccount(
  sql: TenantSql,
  account: { email: string; name: string; passwordHash: string; now: Date },
): Promise<string> {
  const id = uuidv7();
  const { email, name, passwordHash, now } = account;
  await sql.query('SELECT * FROM directory_create_password_account($1, $2, $3, $4, $5)', [id, email, name, passwordHash, now]);
  return id;
}

/**
 * In the caller's transaction; ends every session of the account, since whoever knew the old password may hold one. Returns its tenants and
 * the transaction's own. Undefined, and nothing changed, for an account of another tenant, unless `anyTenant`.
 */
export async function replacePassword(
  sql: TenantSql,
  accountId: string,
  password: { hash: string; anyTenant: boolean; now: Date },
): Promise<TenantId[] | undefined> {
  const values = [accountId, password.hash, password.anyTenant, password.now];
  const text = 'SELECT * FROM directory_replace_password($1, $2, $3, $4)';
  const { rows } = await sql.query<{ tenant_id: TenantId }>(text, values);
  return rows.length === 0 ? undefined : rows.map((row) => row.tenant_id);
}

/**
 * Keeps the account's password as it is until the transaction ends. False when it is not the proven one any more, or was replaced after
 * the sign-in began: then the proof counts for nothing.
 */
export async function holdAccount(
  sql: TenantSql,
  accountId: string,
  proof: { passwordHash: string } | { since: Date },
): Promise<boolean> {
  const values = 'since' in proof ? [accountId, null, proof.since] : [accountId, proof.passwordHash, null];
  const { rowCount } = await sql.query('SELECT * FROM directory_hold_account($1, $2, $3)', values);
  return (rowCount ?? 0) > 0;
}

/** The account of an outside identity provider's subject, made at its first sign-in and brought up to date at each. */
export async function upsertOutsideAccount(
  relational: Directory,
  person: { issuer: string; subject: string; email: string; emailVerified: boolean; name: string; now: Date },
): Promise<string> {
  const args = [uuidv7(), person.issuer, person.subject, person.email, person.emailVerified, person.name, person.now];
  const [row] = await relational.directory<{ id: string }>('upsert_account', args);
  if (!row) throw new Error('directory_upsert_account gave no row');
  return row.id;
}
