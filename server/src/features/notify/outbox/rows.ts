import type { ProviderKind, Verb } from '@svc/contracts/notify/kinds';
import type { LinkState } from '@svc/contracts/notify/outbox';
import type { Reference } from '#kernel';
import type { TenantSql } from '#relational';
import type { Abilities, IncidentNow } from '../context.ts';

/** A connector as its messages are sent. */
export interface SendingConnector {
  id: string;
  name: string;
  provider: ProviderKind;
  configured: boolean;
  secret: Buffer | null;
  secret_version: number;
  abilities: Abilities;
  failures: number;
  tokens: number | null;
  tokens_at: Date | null;
}

export interface LinkRow {
  incident_id: string;
  connector_id: string;
  state: LinkState;
  generation: number;
  reference: Reference | null;
  former: Reference | null;
  opened_at: Date | null;
  acknowledged_at: Date | null;
  resolved_at: Date | null;
  note: string;
  is_origin: boolean;
}

export interface ClaimedRow {
  id: string;
  incident_id: string;
  connector_id: string;
  verb: Verb;
  state: 'waiting' | 'confirming';
  cause: string;
  actor: string;
  detail: string;
  is_delayed: boolean;
  attempts: number;
  repeats: number;
  in_doubt: boolean;
  /** When an attempt that is in doubt was made. */
  doubt_at: Date | null;
  expires_at: Date;
  request: string | null;
  created_at: Date;
}

/** One call of a provider: a message, with others that share it where that is needed. */
export interface Job {
  lease: string;
  connector: SendingConnector;
  messages: { row: ClaimedRow; link: LinkRow; incident: IncidentNow }[];
}

const LINK =
  'incident_id, connector_id, state, generation, reference, former, opened_at, acknowledged_at, resolved_at, note, is_origin';

export const linkKey = (row: { incident_id: string; connector_id: string }): string => `${row.incident_id} ${row.connector_id}`;

/** By `linkKey`. */
export async function readLinks(
  sql: TenantSql,
  of: readonly { incident_id: string; connector_id: string }[],
  isHeld = false,
): Promise<Map<string, LinkRow>> {
  const text = `SELECT ${LINK} FROM notify_links l WHERE l.incident_id = ANY ($2::uuid[]) AND EXISTS (SELECT FROM jsonb_to_recordset($1::jsonb) AS r (incident_id uuid, connector_id text)
      WHERE r.incident_id = l.incident_id AND r.connector_id = l.connector_id)
    ORDER BY l.incident_id, l.connector_id${isHeld ? ' FOR NO KEY UPDATE' : ''}`;
  const wanted = of.map(({ incident_id, connector_id }) => ({ incident_id, connector_id }));
  const { rows } = await sql.query<LinkRow>(text, [JSON.stringify(wanted), [...new Set(of.map((one) => one.incident_id))]]);
  return new Map(rows.map((row) => [linkKey(row), row]));
}
