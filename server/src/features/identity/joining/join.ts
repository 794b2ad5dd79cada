import { AppError, type Clock } from '#kernel';
import { isUniqueViolation, type Relational, type TenantSql } from '#relational';
import { findPasswordFault, isSameAddress, normaliseEmail } from '../domain/password-rules.ts';
import {
  createPasswordAccount,
  findAccount,
  findPasswordAccount,
  holdAccount,
  type PasswordAccountRow,
  replacePassword,
  tenantsOfAccount,
} from '../people/accounts.ts';
import { enterByLink, passwordEntries } from '../people/enter.ts';
import { appendEverywhere } from '../people/every-trail.ts';
import { type PresentedLink, useLink } from '../people/links.ts';
import type { AppendAudit } from '../people/members.ts';
import type { Passwords } from './passwords.ts';

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

/** Who joined, or why the account that there is already has to prove itself first. */
export type Joined = { accountId: string } | { accountId: undefined; fault: string };

const UNPROVEN: Joined = {
  accountId: undefined,
  fault: 'This is not the password of the account.',
};

/**
 * Makes the built-in account that a claim or an invitation is for and its membership, and uses the link up, all in one transaction. An
 * account that exists has to prove itself by its password; only a claim, which the operator of the server makes, sets a new one instead,
 * and only for an account of the link's tenant alone. AppError `validation` for what the reader can mend, `conflict` when the link is gone.
 */
export async function joinWithPassword(deps: JoinDeps, link: PresentedLink, form: JoinForm): Promise<Joined> {
  const email = normaliseEmail(form.email);
  if (!email) throw new AppError('validation', 'Enter an e-mail address, for example ines@example.org.');
  if (link.email !== '' && !isSameAddress(email, normaliseEmail(link.email) ?? ''))
    throw new AppError('validation', `This link is only for ${link.email}.`);
  const existing = await findPasswordAccount(deps.relational, email);
  if (existing && !(link.kind === 'claim' && (await isInTenantAlone(deps, existing, link))))
    return await joinWithProof(deps, link, { form, email, account: existing });
  if (form.password !== form.again) throw new AppError('validation', 'The two passwords differ.');
  const fault = findPasswordFault(form.password, email);
  if (fault) throw new AppError('validation', fault);
  const hash = await deps.passwords.hash(form.password, { address: form.address, email });
  try {
    return await use(deps, link, async (sql, now) => {
      if (existing) {
        const tenants = await replacePassword(sql, existing.id, { hash, anyTenant: false, now });
        return tenants && { accountId: existing.id, hasNewPassword: true };
      }
      const name = form.name.trim().slice(0, 100);
      const accountId = await createPasswordAccount(sql, { email, name, passwordHash: hash, now });
      return { accountId, hasNewPassword: false };
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'accounts_builtin_email')) throw error;
    throw new AppError('validation', 'Somebody made an account with this e-mail just now. Try again.', { cause: error });
  }
}

async function isInTenantAlone({ relational }: JoinDeps, { id }: PasswordAccountRow, link: PresentedLink): Promise<boolean> {
  const tenants = await tenantsOfAccount(relational, id);
  return tenants.length === 1 && tenants[0]?.id === link.tenant;
}

type Claimed = { form: JoinForm; email: string; account: PasswordAccountRow };

async function joinWithProof(deps: JoinDeps, link: PresentedLink, { form, email, account }: Claimed): Promise<Joined> {
  const { address, password } = form;
  const stored = account.password_hash ?? undefined;
  if (!(await deps.passwords.prove({ address, email, password, stored })) || stored === undefined) return UNPROVEN;
  return await use(deps, link, async (sql) => {
    // A new password set in the meantime makes the proof void.
    if (!(await holdAccount(sql, account.id, { passwordHash: stored }))) return undefined;
    return { accountId: account.id, hasNewPassword: false };
  });
}

/**
 * Sets a new password for the account that the link is for, ends its sessions and uses the link up. AppError `validation` for what the
 * reader can mend, `conflict` when the link is gone or a tenant made it and the account has since joined another, whose it is as much.
 */
export async function resetPassword(
  deps: JoinDeps,
  link: PresentedLink & { accountId: string },
  form: JoinForm,
): Promise<Joined> {
  const { accountId } = link;
  const account = await findAccount(deps.relational, accountId);
  if (form.password !== form.again) throw new AppError('validation', 'The two passwords differ.');
  const fault = findPasswordFault(form.password, account?.email ?? '');
  if (fault) throw new AppError('validation', fault);
  const hash = await deps.passwords.hash(form.password, { address: form.address, email: account?.email ?? '' });
  const now = new Date(deps.clock.now());
  await deps.relational.withTenantSql(link.tenant, async (sql) => {
    const tenants = await replacePassword(sql, accountId, { hash, anyTenant: link.kind === 'claim', now });
    if (!tenants) throw new AppError('conflict', 'This link is no longer valid.');
    await useLink(sql, link, { by: accountId, now });
    await appendEverywhere(sql, deps.appendAudit, { home: link.tenant, entries: passwordEntries(tenants, accountId, link) });
  });
  return { accountId };
}

/** Gives undefined when the account has to prove itself after all. */
type FindAccount = (sql: TenantSql, now: Date) => Promise<{ accountId: string; hasNewPassword: boolean } | undefined>;

async function use({ relational, clock, appendAudit }: JoinDeps, link: PresentedLink, find: FindAccount): Promise<Joined> {
  const now = new Date(clock.now());
  return await relational.withTenantSql(link.tenant, async (sql) => {
    const found = await find(sql, now);
    if (!found) return UNPROVEN;
    await enterByLink({ sql, appendAudit }, link, { ...found, now });
    return { accountId: found.accountId };
  });
}
