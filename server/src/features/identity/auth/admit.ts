import { AppError, type Clock, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import type { IdentityConfig } from '../config.ts';
import { chooseTenant, firstRolesOf, groupRolesOf } from '../domain/admission.ts';
import { BUILTIN_ISSUER, findAccount, tenantsOfAccount, upsertOutsideAccount } from '../people/accounts.ts';
import { findLink, useLink } from '../people/links.ts';
import { type AppendAudit, addMember, findMember, setGroupRoles } from '../people/members.ts';
import type { ProvenPerson } from './relying-party.ts';

export interface AdmitDeps {
  relational: Relational;
  appendAudit: AppendAudit;
  clock: Clock;
  config: IdentityConfig;
}

export interface Wishes {
  /** Secret of a claim or invitation that the person came with; only with a provider outside. */
  link: string | undefined;
  tenant: string | undefined;
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
  const accountId = deps.config.external ? await admitFromOutside(deps, person, wishes) : await admitBuiltin(deps, person);
  const tenants = await tenantsOfAccount(deps.relational, accountId);
  const chosen = chooseTenant(tenants, wishes.tenant);
  if (!chosen)
    throw new AppError('forbidden', 'Your account is a member of no tenant here. Ask an administrator for an invitation.');
  return { accountId, tenant: chosen.id as TenantId };
}

async function admitBuiltin({ relational }: AdmitDeps, { subject }: ProvenPerson): Promise<string> {
  const account = await findAccount(relational, subject);
  if (account?.issuer !== BUILTIN_ISSUER) throw new AppError('unauthorized', 'There is no such account.');
  return account.id;
}

async function admitFromOutside(deps: AdmitDeps, person: ProvenPerson, wishes: Wishes): Promise<string> {
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
  if (wishes.link !== undefined) await joinByLink(deps, accountId, wishes.link);
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

async function joinByLink(deps: AdmitDeps, accountId: string, secret: string): Promise<void> {
  const link = await findLink(deps, secret);
  if (link?.state !== 'open') throw new AppError('conflict', 'This link was used or has expired.');
  const now = new Date(deps.clock.now());
  await deps.relational.withTenantSql(link.tenant, async (sql) => {
    const roles = await useLink(sql, link, { by: accountId, now });
    await addMember(sql, accountId, { roles, now });
    await deps.appendAudit(sql, {
      actor: { kind: 'account', id: accountId },
      action: 'member.join',
      object: { type: 'account', id: accountId },
      detail: { by: link.kind, link: link.id, roles: roles.join(' ') },
    });
  });
}
