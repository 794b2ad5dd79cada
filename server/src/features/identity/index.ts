/**
 * People, sessions, API tokens and roles (docs/people-and-audit.md).
 * In: every API request through resolveRequest; what the slice sign-in does below /auth. Out: a principal in exactly one tenant, default deny.
 * people/ are accounts, members and links; access/ is what proves who asks, sessions and tokens; joining/ is how somebody proven comes in.
 */

import type { ServerResponse } from 'node:http';
import type { Permission } from '@svc/contracts/permissions';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { Sealer } from '#crypto';
import { AppError, type Clock, type Ctx, EVERY_ROLE, type Slice, type Subject, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import { createCookies } from './access/cookies.ts';
import { createOpenRequests } from './access/open-requests.ts';
import { createResolve } from './access/resolve.ts';
import { createSessions } from './access/sessions.ts';
import { mintToken, type NewToken, nameTokens } from './access/tokens.ts';
import { createIdentityProcedures } from './api.ts';
import type { IdentityConfig } from './config.ts';
import { eraseIdentity, erasePeople, findPeople, IDENTITY_TABLES } from './erase.ts';
import { exportIdentity } from './export.ts';
import { describeAccounts, displayName } from './people/accounts.ts';
import { describeTenant } from './people/describe-tenant.ts';
import { findLinkPeople } from './people/links.ts';
import { listPeople, type Person } from './people/list-people.ts';
import { type AppendAudit, keepAnAdmin } from './people/members.ts';
import { createTenants, DEFAULT_TENANT, SYSTEM } from './people/tenants.ts';
import { createVault } from './secrets.ts';
import { createSignInVerbs } from './sign-in-verbs.ts';

export type { IdentityConfig, NewToken };

export interface IdentityDeps {
  relational: Relational;
  appendAudit: AppendAudit;
  sealer: Sealer;
  clock: Clock;
  config: IdentityConfig;
  buildTag: 'release' | 'dev';
  log: FastifyBaseLogger;
  /** What a password costs in tests that sign in often; never less outside of them. */
  passwordIterations?: () => number | undefined;
}

const PURGE_EVERY_MS = 15 * 60_000;

/** Refuses SVC_AUTH_MODE=dev in a release build, whoever composed it. */
function findOpenTenant({ config, buildTag }: IdentityDeps): TenantId | undefined {
  if (config.authMode !== 'dev') return undefined;
  if (buildTag !== 'dev') throw new AppError('validation', 'SVC_AUTH_MODE=dev exists only in a build made with the dev tag.');
  return DEFAULT_TENANT;
}

export function createIdentity(deps: IdentityDeps) {
  const { relational, appendAudit, clock, config, log } = deps;
  const vault = createVault(deps.sealer);
  const cookies = createCookies(config.publicUrl);
  const sessions = createSessions({ relational, appendAudit, clock, vault });
  const links = { relational, appendAudit, clock, publicUrl: config.publicUrl };
  const tenants = createTenants(links);
  const openRequests = createOpenRequests({ relational, clock, sessions, log });
  const resolve = createResolve({ relational, clock, cookies, sessions, openTenant: findOpenTenant(deps) });
  let purging: NodeJS.Timeout | undefined;

  const nameAccounts = async (ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const accounts = await describeAccounts(relational, ids);
    return new Map(accounts.map((account) => [account.id, displayName(account)]));
  };
  const purge = async () => {
    await sessions.purge().catch((error: unknown) => log.warn({ err: error }, 'expired sessions were not removed'));
  };

  return {
    name: 'identity',
    roles: EVERY_ROLE,
    /** Who sent a request; undefined for nobody. See resolve.ts; its `ended` comes when access is lost before `response` is closed. */
    resolveRequest: async (request: FastifyRequest, response: ServerResponse): Promise<Ctx | undefined> =>
      await openRequests.follow(response, () => resolve(request)),
    cookieName: cookies.sessionName,
    procedures: createIdentityProcedures({ ...links, sessions, nameAccounts }),
    /** People of the tenant by what they may do. */
    listPeople: (tenant: TenantId, permission: Permission): Promise<Person[]> => listPeople(relational, tenant, permission),
    /** Display names of people, API tokens and invitations, for the audit trail. Somebody whose account is erased has none. */
    nameActors: async (tenant: TenantId, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
      const { tokens, links } = await relational.withTenantSql(tenant, async (sql) => ({
        tokens: await nameTokens(sql, ids),
        links: await findLinkPeople(sql, ids),
      }));
      const joined = links.flatMap(({ used_by: by }) => by ?? []);
      const accounts = await nameAccounts([...new Set([...ids, ...joined])]);
      const invited = links.flatMap(({ id, used_by: by, email }) => {
        // Once it was used it stands for whoever used it: an address that was erased with its account does not come back from here.
        const name = by === null ? email : accounts.get(by);
        return name ? [[id, name] as const] : [];
      });
      return new Map([...accounts, ...tokens, ...invited]);
    },
    /** Name and readers of a tenant, for the people at its devices. */
    describeTenant: async (tenant: TenantId) => await describeTenant(relational, tenant),
    /** Makes a tenant unless it is there; true when it is new. */
    ensureTenant: tenants.ensure,
    /**
     * A single-use link, valid 24 hours, that makes whoever opens it an admin of the tenant. An account of this tenant alone gets a new
     * password by it; any other proves itself first.
     */
    createClaimLink: tenants.createClaimLink,
    /** For the operator of the server: a single-use link, valid 24 hours, that sets a new password for an account of any tenants. */
    createPasswordLink: tenants.createPasswordLink,
    /** For the command line; the secret is in the answer and nowhere else. */
    mintToken: async (tenant: TenantId, token: Omit<NewToken, 'actor'>): Promise<{ id: string; secret: string }> => {
      await tenants.demand(tenant);
      return await mintToken({ relational, appendAudit, clock }, tenant, { ...token, actor: SYSTEM });
    },
    /** Makes the first tenants and, while `default` has no admin, a claim link to print; undefined when there is nobody to wait for. */
    welcome: async (): Promise<{ claimUrl: string; expiresAt: Date } | undefined> => await tenants.welcome(config),
    /** Makes the first tenants; true while `default` has no admin. Makes no link. */
    prepare: async (): Promise<boolean> => await tenants.prepare(config),
    signIn: createSignInVerbs({ ...deps, cookies, sessions, vault }),
    data: {
      owns: { relational: IDENTITY_TABLES },
      exportRows: (tenant: TenantId) => exportIdentity(relational, tenant),
      eraseTenant: (tenant: TenantId) => eraseIdentity(relational, tenant),
      eraseSubject: (tenant: TenantId, subject: Subject) => erasePeople(relational, tenant, subject),
    },
    /** Members of a tenant by their address. */
    findPeople: (tenant: TenantId, email: string) => findPeople(relational, tenant, email),
    keepAnAdmin: async (tenant: TenantId, accounts: readonly string[]): Promise<void> =>
      await relational.withSystemSql(tenant, async (sql) => {
        for (const account of accounts) await keepAnAdmin(sql, account);
      }),
    start: async (): Promise<void> => {
      await openRequests.start();
      purging = setInterval(() => void purge(), PURGE_EVERY_MS);
      purging.unref();
    },
    close: async (): Promise<void> => {
      clearInterval(purging);
      await openRequests.close();
    },
  } satisfies Slice & Record<string, unknown>;
}
