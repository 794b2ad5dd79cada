import { findTenant, type TenantSql } from '#relational';
import { abilitiesOf, type ConnectorsDeps, shownOf } from './change.ts';
import type { OwnConnector } from './connections.ts';

const KEEP = `INSERT INTO notify_connectors (tenant_id, id, provider, name, configured, shown, abilities, created_by, created_at)
  VALUES ($1, $2, $3, $4, true, $5, $6, 'configuration', $7)
  ON CONFLICT (tenant_id, id) DO UPDATE SET provider = excluded.provider, name = excluded.name, shown = excluded.shown,
    abilities = excluded.abilities, deleted_at = NULL,
    -- Another start may bring another credential: what was broken is tried again.
    state = CASE WHEN notify_connectors.state = 'broken' THEN 'active' ELSE notify_connectors.state END
  WHERE notify_connectors.configured`;

async function keepOne(deps: ConnectorsDeps, one: OwnConnector): Promise<void> {
  const { relational, ensureTenant, providers, clock, log } = deps;
  const provider = providers[one.provider];
  if (!provider) return;
  await ensureTenant(one.tenant);
  // The configuration outlives the tenant: a start must not fail on it, nor bring the tenant back.
  if (!(await findTenant(relational, one.tenant))) {
    log.warn({ tenant: one.tenant }, 'SVC_NOTIFY_CONNECTORS names a tenant that was erased: remove it');
    return;
  }
  const values = [
    ...[one.tenant, one.id, one.provider, one.name, JSON.stringify(shownOf(provider, one.connection))],
    ...[JSON.stringify(abilitiesOf(provider, one.connection)), new Date(clock.now())],
  ];
  await relational.withSystemSql(one.tenant, (sql: TenantSql) => sql.query(KEEP, values));
}

/** Gives connectors of the configuration their rows, once for all replicas; addresses and credentials stay in the configuration. */
export async function keepConfigured(deps: ConnectorsDeps): Promise<void> {
  for (const one of deps.connections.own.values()) await keepOne(deps, one);
}
