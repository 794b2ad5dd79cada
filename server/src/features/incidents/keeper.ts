import type { TenantId } from '#kernel';
import { type Fence, startLeasedWork, visitTenants } from '#relational';
import type { IncidentsDeps } from './context.ts';
import { WINDOW_MS } from './domain/correlate.ts';
import { readSettings } from './settings.ts';
import { INCIDENT_COLUMNS, type IncidentRow } from './store/rows.ts';
import { writeIncidents } from './store/write-incidents.ts';
import { changeIncidents, SYSTEM, type Work } from './work.ts';

const EVERY_MS = 10_000;
/** What still fails was seen within this time. */
const SEEN_EVERY_MS = 30_000;
const MINUTE_MS = 60_000;
/** Of one tenant and round. */
const MAX_RESOLVED = 500;

const DUE = `SELECT ${INCIDENT_COLUMNS} FROM incidents i WHERE i.status <> 'resolved' AND i.open_signal_count = 0
  AND i.recovered_at <= $1 ORDER BY i.recovered_at LIMIT ${MAX_RESOLVED}`;
/** An event that goes on has been seen, whether or not anything new is said of it. */
const STALE = "i.status <> 'resolved' AND i.open_signal_count > 0 AND i.last_seen_at < $1";

async function resolveRecovered({ sql, now, note }: Work, minutes: number): Promise<void> {
  if (minutes === 0) return;
  const { rows } = await sql.query<IncidentRow>(DUE, [new Date(now.getTime() - minutes * MINUTE_MS)]);
  for (const row of rows) Object.assign(row, { status: 'resolved', resolved_at: now, resolved_by: SYSTEM });
  await writeIncidents(sql, rows);
  const detail = `nothing failed for ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  for (const incident of rows) note({ incident, kind: 'resolved', actor: SYSTEM, detail });
}

/**
 * One look at a tenant: what has recovered for long enough resolves, what still fails is seen. Idempotent, and refused where another one
 * holds the lease.
 */
export async function keepIncidents(deps: IncidentsDeps, tenant: TenantId, fence?: Fence): Promise<void> {
  const nowMs = deps.clock.now();
  const stale = new Date(nowMs - SEEN_EVERY_MS);
  // A tenant with nothing to do costs one read, and makes nobody wait.
  const { isDue, minutes } = await deps.relational.withSystemSql(tenant, async (sql) => {
    const { auto_resolve_minutes: wait } = await readSettings(sql);
    const { rows } = await sql.query<{ due: boolean }>(
      `SELECT EXISTS (SELECT FROM incidents i WHERE ${STALE}) OR EXISTS (SELECT FROM incidents i WHERE i.status <> 'resolved'
           AND i.open_signal_count = 0 AND i.recovered_at <= $2 AND $3)
         OR EXISTS (SELECT FROM incidents i WHERE i.status = 'resolved' AND i.resolved_at < $4 AND i.resolved_at > $5
           AND EXISTS (SELECT FROM incident_anchors a WHERE a.tenant_id = i.tenant_id AND a.incident_id = i.id)) AS due`,
      [stale, new Date(nowMs - wait * MINUTE_MS), wait > 0, new Date(nowMs - 2 * WINDOW_MS), new Date(nowMs - 4 * WINDOW_MS)],
    );
    return { isDue: rows[0]?.due === true, minutes: wait };
  });
  if (!isDue) return;
  await changeIncidents(deps, { tenant, fence }, async (work) => {
    await resolveRecovered(work, minutes);
    await work.sql.query(`UPDATE incidents i SET last_seen_at = $2 WHERE ${STALE}`, [stale, work.now]);
    // Nothing can join them any more.
    await work.sql.query(
      `DELETE FROM incident_anchors a USING incidents i WHERE i.tenant_id = a.tenant_id AND i.id = a.incident_id
         AND i.status = 'resolved' AND i.resolved_at < $1`,
      [new Date(nowMs - 2 * WINDOW_MS)],
    );
  });
}

export const startKeeper = (deps: IncidentsDeps) =>
  startLeasedWork(deps.relational, {
    name: 'incidents-keeper',
    everyMs: EVERY_MS,
    log: deps.log,
    work: async (fence) => await visitTenants(deps, fence, async (tenant) => await keepIncidents(deps, tenant, fence)),
  });
