import { AppError, type Clock, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import type { IdentityConfig } from '../config.ts';
import { chooseTenant, firstRolesOf, groupRolesOf, isMeantFor, type SignedInPerson } from '../domain/admission.ts';
import { isSameAddress } from '../domain/password-rules.ts';
import { BUILTIN_ISSUER, findAccount, holdAccount, tenantsOfAccount, upsertOutsideAccount } from '../people/accounts.ts';
import { enterByLink } from '../people/enter.ts';
import { findLink, type PresentedLink } from '../people/links.ts';
import { type AppendAudit, addMember, findMember, setGroupRoles } from '../people/members.ts';

export interface AdmitDeps {
  relational: Relational;
  appendAudit: AppendAudit;
  clock: Clock;
  config: IdentityConfig;
}

export interface ProvenPerson extends SignedInPerson {
  issuer: string;
  subject: string;
  name: string;
}

export interface Wishes {
  /** Secret of a claim or invitation that the person came with, from its page. */
  link: string | undefined;
  tenant: string | undefined;
  /** When the sign-in began: a password that was replaced later makes it void. */
  since: Date;
}

/**
 * The account and tenant in which a proven person's session begins. A new person from outside becomes a member without roles.
 * AppError `forbidden` when the person is a member of no tenant.
 */
export async function admitPerson(
  deps: AdmitDeps,
  person: ProvenPerson,
  wishes: Wishes,
): Promise<{ accountId: string; tenant: TenantId }> {
  const link = wishes.link === undefined ? undefined : await findUsableLink(deps, person, wishes.link);
  const join = link && ((accountId: string) => joinByLink(deps, link, { accountId, since: wishes.since }));
  const accountId = deps.config.external ? await admitFromOutside(deps, person, join) : await admitBuiltin(deps, person, join);
  const tenants = await tenantsOfAccount(deps.relational, accountId);
  const chosen = chooseTenant(tenants, link?.tenant ?? wishes.tenant);
  if (!chosen)
    throw new AppError('forbidden', 'Your account is not a member of any tenant here. Ask an administrator for an invitation.');
  return { accountId, tenant: chosen.id as TenantId };
}

type Join = (accountId: string) => Promise<void>;

async function admitBuiltin({ relational }: AdmitDeps, { subject }: ProvenPerson, join: Join | undefined): Promise<string> {
  const account = await findAccount(relational, subject);
  if (account?.issuer !== BUILTIN_ISSUER) throw new AppError('unauthorized', 'There is no such account.');
  await join?.(account.id);
  return account.id;
}

async function admitFromOutside(deps: AdmitDeps, person: ProvenPerson, join: Join | undefined): Promise<string> {
  const { relational, config, clock } = deps;
  const { issuer, subject, email, emailVerified, name } = person;
  const accountId = await upsertOutsideAccount(relational, {
    issuer,
    subject,
    email,
    emailVerified,
    name,
    now: new Date(clock.now()),
  });
  if (join) await join(accountId);
  else if ((await tenantsOfAccount(relational, accountId)).length === 0) await joinSignInTenant(deps, accountId, person);
  const groupRoles = groupRolesOf(person, config);
  await relational.withTenantSql(config.signInTenant, async (sql) => {
    const before = await findMember(sql, accountId);
    if (!before || sameWords(before.group_roles, groupRoles)) return;
    await setGroupRoles(sql, accountId, groupRoles);
    await deps.appendAudit(sql, {
      actor: { kind: 'system', id: 'sign-in' },
      action: 'member.set_group_roles',
      object: { type: 'account', id: accountId },
      detail: { roles: groupRoles.join(' ') },
    });
  });
  return accountId;
}

const sameWords = (a: readonly string[], b: readonly string[]): boolean => a.toSorted().join(' ') === b.toSorted().join(' ');

async function joinSignInTenant({ relational, appendAudit, clock, config }: AdmitDeps, accountId: string, person: ProvenPerson) {
  const roles = firstRolesOf(person, config);
  await relational.withTenantSql(config.signInTenant, async (sql) => {
    if (!(await addMember(sql, accountId, { roles, now: new Date(clock.now()) }))) return;
    const object = { type: 'account', id: accountId };
    await appendAudit(sql, {
      actor: { kind: 'account', id: accountId },
      action: 'member.join',
      object,
      detail: { by: 'sign-in', roles: roles.join(' ') },
    });
  });
}

/** AppError `conflict` for a link that is gone or is for a password, `forbidden` when it is for somebody else. */
async function findUsableLink(deps: AdmitDeps, person: ProvenPerson, secret: string): Promise<PresentedLink> {
  const link = await findLink(deps, secret);
  if (link?.state !== 'open' || link.accountId !== undefined)
    throw new AppError('conflict', 'This link was used or has expired.');
  // Built-in accounts are found by their address; an address from outside counts when its provider has verified it.
  const isTheirs = deps.config.external
    ? isMeantFor(person, link.email)
    : link.email === '' || isSameAddress(person.email, link.email);
  if (!isTheirs) throw new AppError('forbidden', 'This link is for a different e-mail address than the one of your account.');
  return link;
}

type Joiner = { accountId: string; since: Date };

async function joinByLink(deps: AdmitDeps, link: PresentedLink, { accountId, since }: Joiner): Promise<void> {
  const { relational, appendAudit } = deps;
  const now = new Date(deps.clock.now());
  await relational.withTenantSql(link.tenant, async (sql) => {
    if (!(await holdAccount(sql, accountId, { since })))
      throw new AppError('unauthorized', 'The password of this account was changed in the meantime.');
    await enterByLink({ sql, appendAudit }, link, { accountId, now, hasNewPassword: false });
  });
}
