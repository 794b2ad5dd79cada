import { z } from 'zod';
import { listLimit, listLimitQuery, permitted, router } from '#api';
import { actorOf } from '#kernel';
import { listTokens, mintToken, revokeToken, type TokenDeps } from './access/tokens.ts';
import { demandGrantable, RoleSchema, Roles } from './api-people.ts';
import { rolesAmong } from './domain/roles.ts';

const Time = z.iso.datetime();
const DAY_MS = 86_400_000;

const Token = z.object({
  id: z.string(),
  name: z.string(),
  roles: z.array(RoleSchema),
  created_by: z.object({ id: z.string(), name: z.string().nullable() }),
  created_at: Time,
  expires_at: Time.nullable(),
  last_used_at: Time.nullable(),
  revoked_at: Time.nullable(),
});

const ListInput = z.object({ limit: listLimit, cursor: z.uuid().optional() });

export interface TokenApiDeps extends TokenDeps {
  nameAccounts: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

const tags = ['tokens'];

export function createTokenProcedures(deps: TokenApiDeps) {
  const list = permitted('member.write', {
    rest: {
      method: 'GET',
      path: '/tokens',
      tags,
      summary: 'API tokens, newest first',
      query: ListInput.extend({ limit: listLimitQuery }),
    },
  })
    .input(ListInput)
    .output(z.object({ items: z.array(Token), next_cursor: z.string().nullable() }))
    .query(async ({ ctx, input }) => {
      const { tenant } = ctx.principal;
      const found = await deps.relational.withTenantSql(tenant, (sql) => listTokens(sql, input.cursor, input.limit + 1));
      const shown = found.slice(0, input.limit);
      const names = await deps.nameAccounts([...new Set(shown.map((token) => token.created_by))]);
      const items = shown.map((token) => ({
        ...token,
        roles: rolesAmong(token.roles),
        created_by: { id: token.created_by, name: names.get(token.created_by) ?? null },
        created_at: token.created_at.toISOString(),
        expires_at: token.expires_at?.toISOString() ?? null,
        last_used_at: token.last_used_at?.toISOString() ?? null,
        revoked_at: token.revoked_at?.toISOString() ?? null,
      }));
      return { items, next_cursor: found.length > input.limit ? (shown.at(-1)?.id ?? null) : null };
    });

  const mint = permitted('member.write', {
    rest: {
      method: 'POST',
      path: '/tokens',
      status: 201,
      tags,
      errors: ['conflict'],
      summary: 'Create an API token; its secret is shown once',
    },
  })
    .input(
      z.object({
        name: z.string().trim().min(1).max(200),
        roles: Roles.min(1),
        expires_in_days: z.int().min(1).max(3650).optional(),
      }),
    )
    .output(z.object({ id: z.string(), secret: z.string(), expires_at: Time.nullable() }))
    .mutation(async ({ ctx, input }) => {
      demandGrantable(ctx, input.roles);
      const days = input.expires_in_days;
      const expiresAt = days === undefined ? undefined : new Date(deps.clock.now() + days * DAY_MS);
      const wish = { name: input.name, roles: rolesAmong(input.roles), expiresAt, actor: actorOf(ctx.principal) };
      return { ...(await mintToken(deps, ctx.principal.tenant, wish)), expires_at: expiresAt?.toISOString() ?? null };
    });

  const revoke = permitted('member.write', {
    rest: {
      method: 'DELETE',
      path: '/tokens/:id',
      status: 204,
      tags,
      errors: ['not_found'],
      summary: 'Revoke an API token at once',
    },
  })
    .input(z.object({ id: z.uuid() }))
    .output(z.void())
    .mutation(async ({ ctx, input }) => {
      await revokeToken(deps, ctx.principal.tenant, { id: input.id, actor: actorOf(ctx.principal) });
    });

  return router({ list, mint, revoke });
}
