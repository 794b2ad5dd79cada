import type { TenantSql } from '#relational';
import { TELL } from '../context.ts';
import type { PlanLink, PlanRow } from '../domain/plan.ts';

const ADD_LINKS = `INSERT INTO notify_links (tenant_id, incident_id, connector_id, state, last_seq, acknowledged_at, is_origin, note, updated_at,
    reopened_at, created_at)
  SELECT current_setting('app.tenant_id'), r.incident, r.connector, r.state, r.last_seq, CASE WHEN r.acknowledged THEN $2::timestamptz END,
    r.origin, r.note, r.updated_at, r.reopened_at, $2
  FROM jsonb_to_recordset($1::jsonb) AS r (incident uuid, connector text, state text, last_seq integer, acknowledged boolean, origin boolean,
    note text, updated_at timestamptz, reopened_at timestamptz)
  ON CONFLICT (tenant_id, incident_id, connector_id) DO UPDATE SET state = excluded.state, last_seq = excluded.last_seq,
    acknowledged_at = CASE WHEN excluded.acknowledged_at IS NULL THEN NULL ELSE coalesce(notify_links.acknowledged_at, excluded.acknowledged_at) END,
    acknowledged_by = CASE WHEN excluded.acknowledged_at IS NOT NULL THEN notify_links.acknowledged_by END,
    is_origin = excluded.is_origin, note = excluded.note, updated_at = excluded.updated_at, reopened_at = excluded.reopened_at,
    resolved_at = CASE WHEN excluded.state = 'resolved' THEN coalesce(notify_links.resolved_at, $2) END`;

const ADD_MESSAGES = `INSERT INTO notify_outbox (tenant_id, id, incident_id, connector_id, seq, verb, cause, actor, detail, state, why, is_delayed,
    due_at, expires_at, created_at, done_at)
  SELECT current_setting('app.tenant_id'), r.id, r.incident, r.connector, r.seq, r.verb, r.cause, r.actor, r.detail, r.state, r.why, r.delayed,
    r.due_at, r.expires_at, $2, CASE WHEN r.state <> 'waiting' THEN $2::timestamptz END
  FROM jsonb_to_recordset($1::jsonb) AS r (id uuid, incident uuid, connector text, seq integer, verb text, cause text, actor text, detail text,
    state text, why text, delayed boolean, due_at timestamptz, expires_at timestamptz)`;

const CHANGE_MESSAGES = `UPDATE notify_outbox o SET state = r.state, why = r.why, due_at = r.due_at,
    done_at = CASE WHEN r.state <> 'waiting' THEN $2::timestamptz END
  FROM jsonb_to_recordset($1::jsonb) AS r (id uuid, state text, why text, due_at timestamptz) WHERE o.id = r.id`;

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const linkRow = (incident: string, link: PlanLink) => ({
  ...{ incident, connector: link.connector, state: link.state, last_seq: link.lastSeq, acknowledged: link.isAcknowledged },
  ...{ origin: link.isOrigin, note: link.note, updated_at: iso(link.updatedMs), reopened_at: iso(link.reopenedMs) },
});

const messageRow = (incident: string, connector: string, row: PlanRow) => ({
  ...{ id: row.id, incident, connector, seq: row.seq, verb: row.verb, cause: row.cause, actor: row.actor, detail: row.detail },
  ...{ state: row.state, why: row.why, delayed: row.isDelayed, due_at: iso(row.dueMs), expires_at: iso(row.expiresMs) },
});

/** Writes what was planned, in the transaction that planned it. */
export async function keepLinks(
  sql: TenantSql,
  links: ReadonlyMap<string, ReadonlyMap<string, PlanLink>>,
  at: Date,
): Promise<void> {
  const all = [...links].flatMap(([incident, of]) => [...of.values()].map((link) => ({ incident, link })));
  const changed = all.filter(({ link }) => link.change !== 'none').map(({ incident, link }) => linkRow(incident, link));
  const rowsOf = (change: PlanRow['change']) =>
    all.flatMap(({ incident, link }) =>
      link.rows.filter((row) => row.change === change).map((row) => messageRow(incident, link.connector, row)),
    );
  const [added, altered] = [rowsOf('new'), rowsOf('changed')];
  if (changed.length > 0) await sql.query(ADD_LINKS, [JSON.stringify(changed), at]);
  if (altered.length > 0) await sql.query(CHANGE_MESSAGES, [JSON.stringify(altered), at]);
  if (altered.some(({ state }) => state === 'waiting')) await sql.query(TELL);
  if (added.length > 0) await sql.query(ADD_MESSAGES, [JSON.stringify(added), at]);
}
