import type { Plane, Severity } from '@svc/contracts/incidents/signal';
import { type Anchored, anchorsOf } from '#kernel';
import type { TenantSql } from '#relational';
import { ANCHORS, type IncidentRow } from './rows.ts';
import { upsertRows } from './upsert.ts';

const WORST = `(array_agg(s.severity ORDER BY array_position(ARRAY['critical', 'warning', 'info'], s.severity)))[1]`;

/** The highest severity of an incident's signals; undefined without any. */
export async function readWorst(sql: TenantSql, incident: string): Promise<Severity | undefined> {
  const text = `SELECT ${WORST} AS worst FROM signals s WHERE s.incident_id = $1`;
  return (await sql.query<{ worst: Severity | null }>(text, [incident])).rows[0]?.worst ?? undefined;
}

interface Counted {
  signals: number;
  open: number;
  worst: Severity | null;
  planes: Plane[] | null;
  started: Date | null;
  seen: Date | null;
}

/** Counts an incident anew after signals of it came or went by hand, and what it is recognised by. */
export async function recount(sql: TenantSql, row: IncidentRow, now: Date): Promise<void> {
  const { rows } = await sql.query<Counted>(
    `SELECT count(*)::int AS signals, (count(*) FILTER (WHERE s.recovered_at IS NULL))::int AS open, ${WORST} AS worst,
       array_agg(DISTINCT s.plane) AS planes, min(s.occurred_at) AS started, max(s.last_seen_at) AS seen
     FROM signals s WHERE s.incident_id = $1`,
    [row.id],
  );
  const counted = rows[0];
  if (!counted) return;
  const { signals, open, worst, planes, started, seen } = counted;
  row.signal_count = signals;
  row.open_signal_count = open;
  row.planes = planes ?? [];
  row.recovered_at = open > 0 ? null : (row.recovered_at ?? now);
  if (row.severity_set_by === null && worst) row.severity = worst;
  if (started) row.started_at = started;
  if (seen && seen > row.last_seen_at) row.last_seen_at = seen;
  await renewAnchors(sql, row.id);
}

async function renewAnchors(sql: TenantSql, incident: string): Promise<void> {
  await sql.query('DELETE FROM incident_anchors WHERE incident_id = $1', [incident]);
  const text = `SELECT DISTINCT s.kind, s.target, s.prefix, s.site, s.attributes FROM signals s WHERE s.incident_id = $1`;
  const { rows } = await sql.query<Anchored>(text, [incident]);
  const anchors = rows.flatMap(anchorsOf).map(({ isOwn, ...anchor }) => ({ incident_id: incident, is_own: isOwn, ...anchor }));
  await upsertRows(sql, ANCHORS, { rows: anchors, keep: true });
}
