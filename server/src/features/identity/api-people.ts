import { ROLES, type Role } from '@svc/contracts/permissions';
import { z } from 'zod';
import { listLimit, listLimitQuery, permitted, router } from '#api';
import { AppError, actorOf, type Clock, type Ctx } from '#kernel';
import type { Relational } from '#relational';
import { revokeTokensOf } from './access/tokens.ts';
import { mayGrant, rolesAmong } from './domain/roles.ts';
import { BUILTIN_ISSUER, describeAccounts, displayName, findAccount, tenantsOfAccount } from './people/accounts.ts';
import { createLink, type LinkDeps, listOpenLinks, revokeLink } from './people/links.ts';
import { type AppendAudit, findMember, listMembers, removeMember, setMemberRoles } from './people/members.ts';

export interface PeopleDeps extends LinkDeps {
  relational: Relational;
  appendAudit: AppendAudit;
  clock: Clock;
}

export const RoleSchema = z.enum(ROLES);
export const Roles = z.array(RoleSchema).max(ROLES.length);
const Time = z.iso.datetime();

const Member = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  roles: z.array(RoleSchema),
  /** Given by the identity provider's groups; not changed here. */
  group_roles: z.array(RoleSchema),
  created_at: Time,
  last_seen_at: Time.nullable(),
  is_me: z.boolean(),
});

const Invite = z.object({
  id: z.string(),
  kind: z.enum(['claim', 'invite']),
  roles: z.array(RoleSchema),
  email: z.string(),
  created_at: Time,
  expires_at: Time,
});

const ListInput = z.object({ limit: listLimit, cursor: z.string().max(100).optional() });

/** AppError `forbidden` for roles whose permissions the caller does not hold. */
export function demandGrantable(ctx: Ctx, roles: readonly Role[]): void {
  if (!mayGrant(ctx.principal.permissions, roles))
    throw new AppError('forbidden', 'You cannot grant permissions that you do not have.');
}

const tags = ['people'];

export const createPeopleProcedures = (deps: PeopleDeps) =>
  router({ ...createMemberProcedures(deps), ...createInviteProcedures(deps) });

function createMemberProcedures(deps: PeopleDeps) {
  const list = permitted('member.write', {
    rest: {
      method: 'GET',
      path: '/members',
      tags,
      summary: 'People of the tenant and open invitations',
      query: ListInput.extend({ limit: listLimitQuery }),
    },
  })
    .input(ListInput)
    .output(z.object({ items: z.array(Member), invites: z.array(Invite), next_cursor: z.string().nullable() }))
    .query(async ({ ctx, input }) => await listPeople(deps, ctx, input));

  const setRoles = permitted('member.write', {
    rest: {
      method: 'PUT',
      path: '/members/:id/roles',
      tags,
      errors: ['not_found', 'conflict'],
      summary: 'Replace the roles of a person',
    },
  })
    .input(z.object({ id: z.string().min(1).max(100), roles: Roles }))
    .output(z.object({ id: z.string(), roles: z.array(RoleSchema) }))
    .mutation(async ({ ctx, input }) => {
      demandGrantable(ctx, input.roles);
      const roles = rolesAmong(input.roles);
      await deps.relational.withSystemSql(ctx.principal.tenant, async (sql) => {
        const before = await setMemberRoles(sql, input.id, roles);
        await deps.appendAudit(sql, {
          actor: actorOf(ctx.principal),
          action: 'member.set_roles',
          object: { type: 'account', id: input.id },
          detail: { before: before.join(' '), roles: roles.join(' ') },
        });
      });
      return { id: input.id, roles };
    });

  const remove = permitted('member.write', {
    rest: {
      method: 'DELETE',
      path: '/members/:id',
      status: 204,
      tags,
      errors: ['not_found', 'conflict'],
      summary: 'Take a person out of the tenant',
    },
  })
    .input(z.object({ id: z.string().min(1).max(100) }))
    .output(z.void())
    .mutation(async ({ ctx, input }) => {
      const by = { actor: actorOf(ctx.principal), now: new Date(deps.clock.now()) };
      await deps.relational.withSystemSql(ctx.principal.tenant, async (sql) => {
        await removeMember(sql, input.id);
        const object = { type: 'account', id: input.id };
        await deps.appendAudit(sql, { actor: by.actor, action: 'member.remove', object });
        await revokeTokensOf({ sql, appendAudit: deps.appendAudit }, input.id, by);
      });
    });

  return { list, setRoles, remove, resetPassword: createResetProcedure(deps) };
}

function createResetProcedure(deps: PeopleDeps) {
  return permitted('member.write', {
    rest: {
      method: 'POST',
      path: '/members/:id/password-link',
      status: 201,
      tags,
      errors: ['not_found', 'conflict'],
      summary: 'Make a single-use link, valid for 24 hours, by which a person sets a new password',
    },
  })
    .input(z.object({ id: z.string().min(1).max(100) }))
    .output(z.object({ url: z.string(), expires_at: Time }))
    .mutation(async ({ ctx, input: { id } }) => {
      const { tenant } = ctx.principal;
      const member = await deps.relational.withTenantSql(tenant, (sql) => findMember(sql, id));
      if (!member) throw new AppError('not_found', 'This person is not a member of the tenant.');
      demandGrantable(ctx, rolesAmong([...member.roles, ...member.group_roles]));
      const account = await findAccount(deps.relational, id);
      if (account?.issuer !== BUILTIN_ISSUER)
        throw new AppError('conflict', 'This person has no password here: they sign in with another provider.');
      // An account in several tenants belongs to none of their admins alone.
      if ((await tenantsOfAccount(deps.relational, id)).length > 1) {
        const command = `npm run svc -- admin-link --tenant ${tenant} --account ${shown(account.email)}`;
        throw new AppError(
          'conflict',
          `This person is in several tenants: only the operator of the server can make the link, with "${command}".`,
        );
      }
      const wish = { kind: 'invite' as const, roles: [], email: account.email, accountId: id, actor: actorOf(ctx.principal) };
      const { url, expiresAt } = await createLink(deps, tenant, wish);
      return { url, expires_at: expiresAt.toISOString() };
    });
}

/** As part of a command that somebody copies into a shell: an address that a shell would read as more is not written out. */
const shown = (email: string | null): string => (email && /^[\w.+-]+@[\w.-]+$/.test(email) ? email : 'E-MAIL');

function createInviteProcedures(deps: PeopleDeps) {
  const invite = permitted('member.write', {
    rest: {
      method: 'POST',
      path: '/members/invites',
      status: 201,
      tags,
      summary: 'Make a single-use invitation link, valid for 7 days',
    },
  })
    .input(z.object({ roles: Roles, email: z.union([z.email().max(254), z.literal('')]).default('') }))
    .output(z.object({ id: z.string(), url: z.string(), expires_at: Time }))
    .mutation(async ({ ctx, input }) => {
      demandGrantable(ctx, input.roles);
      const wish = { kind: 'invite' as const, roles: input.roles, email: input.email, actor: actorOf(ctx.principal) };
      const { id, url, expiresAt } = await createLink(deps, ctx.principal.tenant, wish);
      return { id, url, expires_at: expiresAt.toISOString() };
    });

  const revokeInvite = permitted('member.write', {
    rest: {
      method: 'DELETE',
      path: '/members/invites/:id',
      status: 204,
      tags,
      errors: ['not_found'],
      summary: 'Withdraw an open invitation',
    },
  })
    .input(z.object({ id: z.uuid() }))
    .output(z.void())
    .mutation(async ({ ctx, input }) => {
      await deps.relational.withTenantSql(ctx.principal.tenant, async (sql) => {
        await revokeLink(sql, input.id, new Date(deps.clock.now()));
        const object = { type: 'access_link', id: input.id };
        await deps.appendAudit(sql, { actor: actorOf(ctx.principal), action: 'invite.revoke', object });
      });
    });

  return { invite, revokeInvite };
}

async function listPeople(
  { relational, clock }: PeopleDeps,
  ctx: Ctx,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
) {
  const found = await relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    const members = await listMembers(sql, cursor ?? '', limit + 1);
    const ids = members.map((member) => member.account_id);
    const seen = await sql.query<{ account_id: string; last_seen_at: Date }>('SELECT * FROM directory_last_seen($1)', [ids]);
    return { members, seen: seen.rows, links: await listOpenLinks(sql, new Date(clock.now())) };
  });
  const shown = found.members.slice(0, limit);
  const accounts = await describeAccounts(
    relational,
    shown.map((member) => member.account_id),
  );
  const byId = new Map(accounts.map((account) => [account.id, account]));
  const seenAt = new Map(found.seen.map((row) => [row.account_id, row.last_seen_at.toISOString()]));
  const items = shown.map(({ account_id: id, roles, group_roles, created_at }) => {
    const account = byId.get(id);
    return {
      id,
      email: account?.email ?? '',
      name: account ? displayName(account) : '',
      roles: rolesAmong(roles),
      group_roles: rolesAmong(group_roles),
      created_at: created_at.toISOString(),
      last_seen_at: seenAt.get(id) ?? null,
      is_me: id === ctx.principal.id,
    };
  });
  const invites = found.links.map((link) => ({
    ...link,
    roles: rolesAmong(link.roles),
    created_at: link.created_at.toISOString(),
    expires_at: link.expires_at.toISOString(),
  }));
  const last = shown.at(-1);
  return { items, invites, next_cursor: found.members.length > limit && last ? last.account_id : null };
}
