import type { TenantSql } from '#relational';
import { tellCause } from '../domain/sentence.ts';
import { INCIDENT_COLUMNS, type IncidentRow } from '../store/rows.ts';

/** Incidents as slices tell others of them. Those of these that there are. */
const toTold = (row: IncidentRow) => ({
  ...{ id: row.id, number: row.number, status: row.status, severity: row.severity, title: row.title, target: row.target },
  ...{ prefix: row.prefix, site: row.site, planes: row.planes, startedAt: row.started_at, openedAt: row.opened_at },
  ...{ resolvedAt: row.resolved_at, recoveredAt: row.recovered_at },
  ...{ signalCount: row.signal_count, openSignalCount: row.open_signal_count },
});

/** The first of its signals that fails and says why: it mostly gave the incident its title. */
const CAUSE = `(SELECT jsonb_build_object('title', s.title, 'cause', s.attributes->>'test.cause') FROM signals s
  WHERE s.incident_id = i.id AND s.recovered_at IS NULL AND s.attributes ? 'test.cause' ORDER BY s.occurred_at LIMIT 1)`;
const TOLD = `SELECT ${INCIDENT_COLUMNS}, ${CAUSE} AS cause FROM incidents i WHERE i.id = ANY ($1::uuid[])`;

/** As they are within the caller's transaction. */
export async function readTold(sql: TenantSql, ids: readonly string[]) {
  const { rows } = await sql.query<IncidentRow & { cause: { title: string; cause: string } | null }>(TOLD, [ids]);
  return rows.map((row) => ({ ...toTold(row), cause: tellCause(row.title, row.cause) }));
}

/** The newest. */
export async function readRecent(sql: TenantSql, limit: number) {
  const text = `SELECT ${INCIDENT_COLUMNS} FROM incidents i ORDER BY i.number DESC LIMIT $1`;
  const { rows } = await sql.query<IncidentRow>(text, [limit]);
  return rows.map((row) => ({ ...toTold(row), acknowledgedAt: row.acknowledged_at }));
}
