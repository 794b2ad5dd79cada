import { AppError, type AuditEntry, parseTenantId, type TenantId } from '#kernel';
import { findTenant } from '#relational';
import type { IdentityConfig } from '../config.ts';
import { normaliseEmail } from '../domain/password-rules.ts';
import { findPasswordAccount, tenantsOfAccount } from './accounts.ts';
import { createLink, type LinkDeps } from './links.ts';
import { hasAdmin } from './members.ts';

export const SYSTEM: AuditEntry['actor'] = { kind: 'system', id: 'svc' };
export const DEFAULT_TENANT = parseTenantId('default');

export interface PasswordLink {
  url: string;
  expiresAt: Date;
  /** Of the account, all of whose trails tell of the link. */
  tenants: readonly TenantId[];
}

/** Tenants as the operator of the server makes and enters them. */
export function createTenants(deps: LinkDeps) {
  const { relational, appendAudit } = deps;

  const demand = async (tenant: TenantId): Promise<void> => {
    if (!(await findTenant(relational, tenant))) throw new AppError('not_found', `There is no tenant "${tenant}".`);
  };

  /** Makes a tenant unless it is there, with its audit entry; true when it is new. */
  const ensure = async (id: TenantId, { name, simulated }: { name: string; simulated: boolean }): Promise<boolean> =>
    await relational.withTenantSql(id, async (sql) => {
      const { rows } = await sql.query<{ created: boolean }>('SELECT * FROM directory_create_tenant($1, $2, $3)', [
        id,
        name,
        simulated,
      ]);
      if (rows[0]?.created !== true) return false;
      await appendAudit(sql, { actor: SYSTEM, action: 'tenant.create', object: { type: 'tenant', id } });
      return true;
    });

  const createClaimLink = async (tenant: TenantId): Promise<{ id: string; url: string; expiresAt: Date }> => {
    await demand(tenant);
    return await createLink(deps, tenant, { kind: 'claim', roles: ['admin'], email: '', actor: SYSTEM });
  };

  /** A link that sets a new password for an account, in whichever tenants it is; AppError `not_found` when there is none. */
  const createPasswordLink = async (tenant: TenantId, email: string): Promise<PasswordLink> => {
    await demand(tenant);
    const account = await findPasswordAccount(relational, normaliseEmail(email) ?? '');
    if (!account) throw new AppError('not_found', `There is no account "${email}" with a password here.`);
    const tenants = (await tenantsOfAccount(relational, account.id)).map(({ id }) => parseTenantId(id));
    const wish = { kind: 'claim' as const, roles: [], email: account.email, accountId: account.id, alsoIn: tenants };
    return { ...(await createLink(deps, tenant, { ...wish, actor: SYSTEM })), tenants };
  };

  /** Makes the first tenants; true while `default` waits for its first administrator. */
  const prepare = async (config: IdentityConfig): Promise<boolean> => {
    await ensure(DEFAULT_TENANT, { name: 'Default', simulated: false });
    await ensure(config.signInTenant, { name: config.signInTenant, simulated: false });
    if (config.external && config.bootstrapAdmin) return false;
    return !(await relational.withTenantSql(DEFAULT_TENANT, hasAdmin));
  };

  const welcome = async (config: IdentityConfig): Promise<{ claimUrl: string; expiresAt: Date } | undefined> => {
    if (!(await prepare(config))) return undefined;
    const { url, expiresAt } = await createClaimLink(DEFAULT_TENANT);
    return { claimUrl: url, expiresAt };
  };

  return { demand, ensure, createClaimLink, createPasswordLink, prepare, welcome };
}
