import type { Relational } from './port.ts';

/**
 * The closed list of tables without tenant row-level security: what must be read before a tenant is known. The app role has no
 * grant on them; it calls SECURITY DEFINER functions `directory_*`. The RLS test takes exactly these as exceptions.
 */
export const DIRECTORY_TABLES: readonly string[] = [
  '_prisma_migrations',
  'account_tenants',
  'accounts',
  'agent_root_ca',
  'audit_keys',
  'built_in_runner',
  'change_webhook_directory',
  'consumer_heartbeats',
  'credential_keys',
  'ended_sessions',
  'enrol_token_directory',
  'identity_keys',
  'joins_elsewhere',
  'leases',
  'notify_inbound_directory',
  'oidc_artifacts',
  'otlp_token_directory',
  'rum_app_directory',
  'rum_key_directory',
  'rum_unknown_keys',
  'runner_token_directory',
  'sessions',
  'sign_in_attempts',
  'tenant_erasures',
  'tenants',
];

export interface TenantRow {
  id: string;
  name: string;
  is_demo: boolean;
  created_at: Date;
}

/** True when the tenant is new; an existing one is left as it is. The id must be a parsed slug. */
export async function createTenant(
  relational: Relational,
  tenant: { id: string; name: string; isDemo?: boolean },
): Promise<boolean> {
  const rows = await relational.directory<{ created: boolean }>('create_tenant', [
    tenant.id,
    tenant.name,
    tenant.isDemo ?? false,
  ]);
  return rows[0]?.created === true;
}

export const listTenants = async (relational: Relational): Promise<TenantRow[]> =>
  await relational.directory<TenantRow>('list_tenants');

/** Ids of tenants that were erased or are being erased; `listTenants` does not give them. */
export const listErasedTenants = async (relational: Relational): Promise<string[]> =>
  (await relational.directory<{ tenant_id: string }>('list_erasures')).map((row) => row.tenant_id);

export async function findTenant(relational: Relational, id: string): Promise<TenantRow | undefined> {
  return (await relational.directory<TenantRow>('find_tenant', [id]))[0];
}

export interface Lease {
  name: string;
  /** Who asks: unique for each process. */
  holder: string;
  ttlMs: number;
}

/** Takes or renews the ownership of one periodic work; false while another holder has it. The database's clock decides. */
export async function takeLease(relational: Relational, lease: Lease): Promise<boolean> {
  return (
    (await relational.directory<{ taken: boolean }>('take_lease', [lease.name, lease.holder, lease.ttlMs]))[0]?.taken === true
  );
}

/** Gives a lease back early, so that another replica need not wait for its end. */
export async function releaseLease(relational: Relational, lease: Pick<Lease, 'name' | 'holder'>): Promise<void> {
  await relational.directory('release_lease', [lease.name, lease.holder]);
}
