import type { FastifyRequest } from 'fastify';
import { type Clock, type Ctx, type Principal, parseTenantId, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import { ALL_PERMISSIONS, mayGrant, permissionsOf, rolesAmong } from '../domain/roles.ts';
import type { Cookies } from './cookies.ts';
import { demandOwnOrigin } from './own-origin.ts';
import type { Sessions } from './sessions.ts';
import { findToken, permissionsOfToken, TOKEN_PREFIX } from './tokens.ts';

export interface ResolveDeps {
  relational: Relational;
  clock: Clock;
  cookies: Cookies;
  sessions: Sessions;
  /** Only a dev build may: then whoever has no credential acts as admin of this tenant. */
  openTenant: TenantId | undefined;
}

/** What the credential says beyond the principal, for the slice's own procedures. */
export interface Standing {
  roles: readonly string[];
  /** Of the browser session; undefined for API tokens. */
  sessionId: string | undefined;
  /** Whom an API token acts for. */
  owner?: string;
}

const MAX_SECRET_LENGTH = 200;
const standings = new WeakMap<Principal, Standing>();

export const standingOf = (principal: Principal): Standing => standings.get(principal) ?? { roles: [], sessionId: undefined };

/**
 * Who sent a request; undefined for nobody. Read from the database each time, so that revoking is felt by the very next request, in
 * this process and in any other. A wrong bearer token is nobody: the cookie beside it does not count then. AppError `forbidden` for a
 * state change by cookie that no page of ours sent.
 */
export function createResolve(deps: ResolveDeps): (request: FastifyRequest) => Promise<Ctx | undefined> {
  const toCtx = (request: FastifyRequest, principal: Principal, standing: Standing): Ctx => {
    standings.set(principal, standing);
    return { principal, requestId: request.id };
  };

  const byToken = async (request: FastifyRequest, secret: string): Promise<Ctx | undefined> => {
    if (!secret.startsWith(TOKEN_PREFIX) || secret.length > MAX_SECRET_LENGTH) return undefined;
    const token = await findToken(deps.relational, secret, new Date(deps.clock.now()));
    if (!token) return undefined;
    const { id, roles, owner } = token;
    const tenant = parseTenantId(token.tenant_id);
    const principal: Principal = { kind: 'api_token', id, tenant, permissions: permissionsOfToken(token) };
    const held = rolesAmong(roles).filter((role) => mayGrant(principal.permissions, [role]));
    return toCtx(request, principal, { roles: held, sessionId: undefined, owner });
  };

  const bySession = async (request: FastifyRequest, secret: string): Promise<Ctx | undefined> => {
    if (secret.length > MAX_SECRET_LENGTH) return undefined;
    const session = await deps.sessions.find(secret);
    if (!session) return undefined;
    demandOwnOrigin(request);
    const { account_id: id, tenant_id: tenant, roles } = session;
    return toCtx(request, { kind: 'account', id, tenant, permissions: permissionsOf(roles) }, { roles, sessionId: session.id });
  };

  return async (request) => {
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const [scheme = '', secret = ''] = authorization.split(' ', 2);
      return scheme.toLowerCase() === 'bearer' ? await byToken(request, secret) : undefined;
    }
    const secret = deps.cookies.read(request, 'session');
    const found = secret === undefined ? undefined : await bySession(request, secret);
    if (found || deps.openTenant === undefined) return found;
    demandOwnOrigin(request);
    const principal: Principal = { kind: 'system', id: 'dev', tenant: deps.openTenant, permissions: ALL_PERMISSIONS };
    return toCtx(request, principal, { roles: ['admin'], sessionId: undefined });
  };
}
