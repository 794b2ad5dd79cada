import type { Verb } from '@svc/contracts/notify/kinds';
import type { LinkState, MessageState } from '@svc/contracts/notify/outbox';
import type { TenantSql } from '#relational';
import type { Abilities } from '../context.ts';
import type { PlanConnector, PlanLink } from '../domain/plan.ts';

/** Those that may be told something: paused ones and those whose credential is refused, too, whose messages wait. */
export async function readTellable(sql: TenantSql): Promise<Map<string, PlanConnector>> {
  const { rows } = await sql.query<{ id: string; abilities: Abilities }>(
    'SELECT id, abilities FROM notify_connectors WHERE deleted_at IS NULL ORDER BY id',
  );
  return new Map(
    rows.map(({ id, abilities: { capabilities } }) => {
      const { canUpdate, canAcknowledge, canResolve } = capabilities;
      return [id, { id, canUpdate, canAcknowledge, canResolve }];
    }),
  );
}

interface LinkRow {
  incident_id: string;
  connector_id: string;
  state: LinkState;
  last_seq: number;
  acknowledged_at: Date | null;
  is_origin: boolean;
  note: string;
  updated_at: Date | null;
  reopened_at: Date | null;
}

interface MessageRow {
  id: string;
  incident_id: string;
  connector_id: string;
  seq: number;
  verb: Verb;
  state: MessageState;
  why: string;
  cause: string;
  actor: string;
  detail: string;
  is_delayed: boolean;
  due_at: Date;
  expires_at: Date;
  is_in_flight: boolean;
}

// Held until the transaction ends: whoever records what became of a message waits for it. Their keys are not: whoever takes a message up that
// it writes twice makes PostgreSQL look up its link, and would wait for this, which waits for the message.
const LINKS = `SELECT incident_id, connector_id, state, last_seq, acknowledged_at, is_origin, note, updated_at, reopened_at FROM notify_links
  WHERE incident_id = ANY ($1::uuid[]) ORDER BY incident_id, connector_id FOR NO KEY UPDATE`;
const MESSAGES = `SELECT id, incident_id, connector_id, seq, verb, state, why, cause, actor, detail, is_delayed, due_at, expires_at,
    (lease_id IS NOT NULL OR in_doubt) AS is_in_flight
  FROM notify_outbox WHERE incident_id = ANY ($1::uuid[]) AND state IN ('waiting', 'confirming') ORDER BY seq FOR UPDATE`;

/** Links of incidents by incident and connector, with what is not done of them. */
export async function loadLinks(sql: TenantSql, incidents: readonly string[]): Promise<Map<string, Map<string, PlanLink>>> {
  const found = new Map<string, Map<string, PlanLink>>(incidents.map((id) => [id, new Map()]));
  for (const row of (await sql.query<LinkRow>(LINKS, [incidents])).rows)
    found.get(row.incident_id)?.set(row.connector_id, {
      ...{ connector: row.connector_id, state: row.state, lastSeq: row.last_seq, isAcknowledged: row.acknowledged_at !== null },
      ...{ isOrigin: row.is_origin, note: row.note, updatedMs: row.updated_at?.getTime() ?? null },
      ...{ reopenedMs: row.reopened_at?.getTime() ?? null, rows: [], change: 'none' },
    });
  for (const row of (await sql.query<MessageRow>(MESSAGES, [incidents])).rows)
    found
      .get(row.incident_id)
      ?.get(row.connector_id)
      ?.rows.push({
        ...{ id: row.id, seq: row.seq, verb: row.verb, state: row.state, why: row.why, cause: row.cause, actor: row.actor },
        ...{ detail: row.detail, isDelayed: row.is_delayed, dueMs: row.due_at.getTime(), expiresMs: row.expires_at.getTime() },
        ...{ isInFlight: row.is_in_flight, change: 'none' },
      });
  return found;
}
