import type { TenantId } from '#kernel';
import { type SystemDoor, startTenantRounds } from '#relational';
import type { IncidentsDeps } from './context.ts';

/** As long as the audit trail that names them (docs/limits.md). */
export const KEPT_DAYS = 400;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const FIRST_MS = 120_000;
const AT_ONCE = 5000;

const REMOVALS = [
  `DELETE FROM signals WHERE ctid = ANY (ARRAY(SELECT s.ctid FROM signals s LEFT JOIN incidents i ON i.tenant_id = s.tenant_id
     AND i.id = s.incident_id WHERE s.recovered_at < $1 AND (i.id IS NULL OR i.status = 'resolved') LIMIT ${AT_ONCE}))`,
  // One of whose signals are left waits for them. Its trail goes with it.
  `DELETE FROM incidents WHERE ctid = ANY (ARRAY(SELECT i.ctid FROM incidents i WHERE i.status = 'resolved' AND i.resolved_at < $1
     AND NOT EXISTS (SELECT FROM signals s WHERE s.tenant_id = i.tenant_id AND s.incident_id = i.id) LIMIT ${AT_ONCE}))`,
] as const;

/** Removes what is older than the retention, a few thousand rows in each transaction. */
export async function removeOld({ clock }: Pick<IncidentsDeps, 'clock'>, tenant: TenantId, door: SystemDoor): Promise<void> {
  const before = new Date(clock.now() - KEPT_DAYS * DAY_MS);
  for (const text of REMOVALS)
    for (let gone = AT_ONCE; gone === AT_ONCE; )
      gone = (await door.withTenantSql(tenant, (sql) => sql.query(text, [before]))).rowCount ?? 0;
}

export const startRetention = (deps: IncidentsDeps) =>
  startTenantRounds(deps.relational, {
    name: 'incidents-retention',
    everyMs: HOUR_MS,
    firstMs: FIRST_MS,
    visit: async (tenant, system) => await removeOld(deps, tenant, system),
    log: deps.log,
  });
