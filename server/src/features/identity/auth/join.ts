import { AppError, type Clock } from '#kernel';
import { isUniqueViolation, type Relational } from '#relational';
import { findPasswordFault, normaliseEmail } from '../domain/password-rules.ts';
import {
  createPasswordAccount,
  findAccount,
  findPasswordAccount,
  replacePassword,
  type TenantOfAccount,
} from '../people/accounts.ts';
import { type PresentedLink, useLink } from '../people/links.ts';
import { type AppendAudit, addMember } from '../people/members.ts';

/** PBKDF2, bounded in how many run at once. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * Whether this is the account's password. Takes as long for an account that does not exist (`stored` undefined), and is then false;
   * AppError `rate_limited` after too many wrong ones.
   */
  prove(claim: { address: string; email: string; password: string; stored: string | undefined }): Promise<boolean>;
}

export interface JoinDeps {
  relational: Relational;
  appendAudit: AppendAudit;
  clock: Clock;
  passwords: Passwords;
}

export interface JoinForm {
  email: string;
  name: string;
  password: string;
  again: string;
  /** That the form came from. */
  address: string;
}

/**
 * Makes the built-in account that a claim or an invitation is for (or takes the one with this e-mail) and its membership, and uses the
 * link up, all in one transaction. AppError `validation` for what the reader can mend, `conflict` when the link is gone.
 */
export async function joinWithPassword(deps: JoinDeps, link: PresentedLink, form: JoinForm): Promise<string> {
  const email = normaliseEmail(form.email);
  if (!email) throw new AppError('validation', 'Enter an e-mail address, for example ines@example.org.');
  if (form.password !== form.again) throw new AppError('validation', 'The two passwords differ.');
  const existing = await findPasswordAccount(deps.relational, email);
  if (existing && link.kind === 'invite') {
    const { address, password } = form;
    if (!(await deps.passwords.prove({ address, email, password, stored: existing.password_hash ?? undefined }))) {
      throw new AppError('validation', 'There is an account with this e-mail already: enter the password it has.');
    }
    return await use(deps, link, async () => ({ accountId: existing.id, replaced: false }));
  }
  const fault = findPasswordFault(form.password, email);
  if (fault) throw new AppError('validation', fault);
  const passwordHash = await deps.passwords.hash(form.password);
  return await use(deps, link, async (sql, now) => {
    if (existing) {
      // Only the operator of the server makes claim links: one is also the way back in when the password was lost.
      await replacePassword(sql, existing.id, passwordHash);
      return { accountId: existing.id, replaced: true };
    }
    const name = form.name.trim().slice(0, 100);
    return { accountId: await createPasswordAccount(sql, { email, name, passwordHash, now }), replaced: false };
  });
}

/**
 * Sets a new password for the account that the link is for, ends its sessions and uses the link up. AppError `validation` for what the
 * reader can mend, `conflict` when the link is gone or the account has since joined another tenant, whose it is as much.
 */
export async function resetPassword(
  deps: JoinDeps,
  link: PresentedLink & { accountId: string },
  form: JoinForm,
): Promise<string> {
  const { accountId } = link;
  const account = await findAccount(deps.relational, accountId);
  if (form.password !== form.again) throw new AppError('validation', 'The two passwords differ.');
  const fault = findPasswordFault(form.password, account?.email ?? '');
  if (fault) throw new AppError('validation', fault);
  const passwordHash = await deps.passwords.hash(form.password);
  await deps.relational.withTenantSql(link.tenant, async (sql) => {
    const { rows } = await sql.query<TenantOfAccount>('SELECT * FROM directory_tenants_of_account($1)', [accountId]);
    if (rows.length !== 1 || rows[0]?.id !== link.tenant) throw new AppError('conflict', 'This link is void.');
    await useLink(sql, link, { by: accountId, now: new Date(deps.clock.now()) });
    await replacePassword(sql, accountId, passwordHash);
    const object = { type: 'account', id: accountId };
    await deps.appendAudit(sql, { actor: { kind: 'account', id: accountId }, action: 'password.replace', object });
  });
  return accountId;
}

type Sql = Parameters<AppendAudit>[0];
type FindAccount = (sql: Sql, now: Date) => Promise<{ accountId: string; replaced: boolean }>;

async function use(deps: JoinDeps, link: PresentedLink, findAccount: FindAccount): Promise<string> {
  const now = new Date(deps.clock.now());
  try {
    return await deps.relational.withTenantSql(link.tenant, async (sql) => {
      const { accountId, replaced } = await findAccount(sql, now);
      const roles = await useLink(sql, link, { by: accountId, now });
      await addMember(sql, accountId, { roles, now });
      const actor = { kind: 'account' as const, id: accountId };
      const object = { type: 'account', id: accountId };
      const detail = { by: link.kind, link: link.id, roles: roles.join(' ') };
      await deps.appendAudit(sql, { actor, action: 'member.join', object, detail });
      if (replaced) await deps.appendAudit(sql, { actor, action: 'password.replace', object });
      return accountId;
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'accounts_builtin_email')) throw error;
    throw new AppError('validation', 'Somebody made an account with this e-mail just now. Try again.', { cause: error });
  }
}
