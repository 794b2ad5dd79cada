import { PERMISSIONS, ROLE_PERMISSIONS, ROLES } from '@svc/contracts/permissions';
import { z } from 'zod';
import { permitted, router, signedIn } from '#api';
import { AppError, type Principal, parseTenantId } from '#kernel';
import { findTenant, type Relational } from '#relational';
import { standingOf } from './access/resolve.ts';
import type { Sessions } from './access/sessions.ts';
import { nameTokens } from './access/tokens.ts';
import { createPeopleProcedures, type PeopleDeps, RoleSchema } from './api-people.ts';
import { createTokenProcedures, type TokenApiDeps } from './api-tokens.ts';
import { ROLE_DESCRIPTION, rolesAmong } from './domain/roles.ts';
import { displayName, findAccount, tenantsOfAccount } from './people/accounts.ts';

export interface IdentityApiDeps extends PeopleDeps, TokenApiDeps {
  relational: Relational;
  sessions: Sessions;
}

const Tenant = z.object({ id: z.string(), name: z.string(), simulated: z.boolean() });
const Time = z.iso.datetime();

const Me = z.object({
  kind: z.enum(['account', 'api_token', 'system']),
  account: z.object({ id: z.string(), email: z.string(), name: z.string() }),
  tenant: Tenant,
  roles: z.array(RoleSchema),
  permissions: z.array(z.enum(PERMISSIONS)),
  /** Those that the account can switch to, this one among them. */
  tenants: z.array(Tenant),
  sign_out_path: z.string().nullable(),
});

const Session = z.object({
  id: z.string(),
  client: z.string(),
  tenant: z.string(),
  created_at: Time,
  last_seen_at: Time,
  expires_at: Time,
  current: z.boolean(),
});

const toTenant = ({ id, name, is_demo }: { id: string; name: string; is_demo: boolean }) => ({ id, name, simulated: is_demo });

export function createIdentityProcedures(deps: IdentityApiDeps) {
  return router({
    ...createOwnProcedures(deps),
    members: createPeopleProcedures(deps),
    tokens: createTokenProcedures(deps),
    roles: createRoleProcedures(),
    sessions: createSessionProcedures(deps),
  });
}

/** Only people have sessions and several tenants. AppError `forbidden` for API tokens. */
function demandAccount(principal: Principal): void {
  if (principal.kind !== 'account') throw new AppError('forbidden', 'Only signed-in people can do this, not API tokens.');
}

function createOwnProcedures({ relational, sessions }: IdentityApiDeps) {
  const readTenant = async (principal: Principal) => {
    const tenant = await findTenant(relational, principal.tenant);
    if (!tenant) throw new AppError('not_found', 'The tenant no longer exists.');
    return toTenant(tenant);
  };

  const me = signedIn
    .meta({ rest: { method: 'GET', path: '/me', tags: ['people'], summary: 'Who I am and what I may do' } })
    .input(z.object({}))
    .output(Me)
    .query(async ({ ctx: { principal } }) => {
      const account = principal.kind === 'account' ? await findAccount(relational, principal.id) : undefined;
      const [token] = account ? [] : await relational.withTenantSql(principal.tenant, (sql) => nameTokens(sql, [principal.id]));
      const tenant = await readTenant(principal);
      const others = account ? (await tenantsOfAccount(relational, account.id)).map(toTenant) : [tenant];
      return {
        kind: principal.kind,
        account: {
          id: principal.id,
          email: account?.email ?? '',
          name: account ? displayName(account) : (token?.[1] ?? principal.kind),
        },
        tenant,
        roles: rolesAmong(standingOf(principal).roles),
        permissions: [...principal.permissions],
        tenants: others,
        sign_out_path: principal.kind === 'account' ? '/auth/logout' : null,
      };
    });

  const tenant = signedIn
    .meta({ rest: { method: 'GET', path: '/tenant', tags: ['people'], summary: 'The tenant of this session or token' } })
    .input(z.object({}))
    .output(Tenant)
    .query(async ({ ctx }) => await readTenant(ctx.principal));

  const switchTenant = signedIn
    .input(z.object({ tenant: z.string().max(63) }))
    .output(z.object({ tenant: z.string() }))
    .mutation(async ({ ctx: { principal }, input }) => {
      demandAccount(principal);
      const { sessionId } = standingOf(principal);
      const to = parseTenantId(input.tenant);
      const moved = sessionId !== undefined && (await sessions.move({ id: sessionId, accountId: principal.id }, to));
      // The same answer for a tenant that does not exist: nobody learns of others' tenants here.
      if (!moved) throw new AppError('forbidden', 'You are not a member of this tenant.');
      return { tenant: to };
    });

  return { me, tenant, switchTenant };
}

function createRoleProcedures() {
  const list = permitted('member.write', {
    rest: { method: 'GET', path: '/roles', tags: ['people'], summary: 'Roles and the permissions they hold' },
  })
    .input(z.object({}))
    .output(
      z.object({
        items: z.array(z.object({ role: RoleSchema, description: z.string(), permissions: z.array(z.enum(PERMISSIONS)) })),
      }),
    )
    .query(() => ({
      items: ROLES.map((role) => ({ role, description: ROLE_DESCRIPTION[role], permissions: [...ROLE_PERMISSIONS[role]] })),
    }));
  return router({ list });
}

function createSessionProcedures({ sessions }: IdentityApiDeps) {
  const list = signedIn
    .meta({ rest: { method: 'GET', path: '/sessions', tags: ['people'], summary: 'My own sessions' } })
    .input(z.object({}))
    .output(z.object({ items: z.array(Session), next_cursor: z.string().nullable() }))
    .query(async ({ ctx: { principal } }) => {
      demandAccount(principal);
      const { sessionId } = standingOf(principal);
      const items = (await sessions.list(principal.id)).map((session) => ({
        id: session.id,
        client: session.client,
        tenant: session.tenant_id,
        created_at: session.created_at.toISOString(),
        last_seen_at: session.last_seen_at.toISOString(),
        expires_at: session.expires_at.toISOString(),
        current: session.id === sessionId,
      }));
      return { items, next_cursor: null };
    });

  const revoke = signedIn
    .meta({
      rest: {
        method: 'DELETE',
        path: '/sessions/:id',
        status: 204,
        tags: ['people'],
        errors: ['not_found'],
        summary: 'End one of my sessions at once',
      },
    })
    .input(z.object({ id: z.string().min(1).max(100) }))
    .output(z.void())
    .mutation(async ({ ctx: { principal }, input }) => {
      demandAccount(principal);
      if (!(await sessions.revoke(principal.id, input.id, principal.tenant)))
        throw new AppError('not_found', 'You have no such session.');
    });

  return router({ list, revoke });
}
