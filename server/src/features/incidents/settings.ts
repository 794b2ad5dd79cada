import type { IncidentSettings } from '@svc/contracts/incidents/acts';
import { actorOf, type Ctx } from '#kernel';
import type { TenantSql } from '#relational';
import type { IncidentsDeps } from './context.ts';

const DEFAULTS: IncidentSettings = { auto_resolve_minutes: 15, edge_failing: false };

export async function readSettings(sql: TenantSql): Promise<IncidentSettings> {
  const { rows } = await sql.query<IncidentSettings>('SELECT auto_resolve_minutes, edge_failing FROM incident_settings');
  return rows[0] ?? DEFAULTS;
}

/** Changes what the tenant chose, with its entry in the trail; nothing where it is so already. */
export async function changeSettings(
  { relational, appendAudit }: IncidentsDeps,
  { principal }: Ctx,
  settings: IncidentSettings,
): Promise<IncidentSettings> {
  return await relational.withTenantSql(principal.tenant, async (sql) => {
    const { rowCount } = await sql.query(
      `INSERT INTO incident_settings AS s (tenant_id, auto_resolve_minutes, edge_failing) VALUES (current_setting('app.tenant_id'), $1, $2)
       ON CONFLICT (tenant_id) DO UPDATE SET auto_resolve_minutes = excluded.auto_resolve_minutes, edge_failing = excluded.edge_failing
       WHERE (s.auto_resolve_minutes, s.edge_failing) IS DISTINCT FROM (excluded.auto_resolve_minutes, excluded.edge_failing)`,
      [settings.auto_resolve_minutes, settings.edge_failing],
    );
    if (rowCount) await appendAudit(sql, { actor: actorOf(principal), action: 'incident_settings.set', detail: { ...settings } });
    return settings;
  });
}
