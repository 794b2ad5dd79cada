import type { ProviderKind, Verb } from '@svc/contracts/notify/kinds';
import type { IncidentNotice, LinkState, MessageState } from '@svc/contracts/notify/outbox';
import { AppError, type Ctx, type Reference } from '#kernel';
import type { NotifyDeps } from '../context.ts';

interface NoticeRow {
  connector_id: string;
  name: string;
  provider: ProviderKind;
  state: LinkState;
  reference: Reference | null;
  opened_at: Date | null;
  acknowledged_at: Date | null;
  acknowledged_by: string | null;
  resolved_at: Date | null;
  is_origin: boolean;
  note: string;
  told: MessageState | null;
  repeats: number;
  pending: { verb: Verb; state: MessageState; due_at: string; said: string } | null;
}

const SELECT = `SELECT l.connector_id, c.name, c.provider, l.state, l.reference, l.opened_at, l.acknowledged_at, l.acknowledged_by, l.resolved_at,
    l.is_origin, l.note,
    (SELECT o.state FROM notify_outbox o WHERE o.tenant_id = l.tenant_id AND o.incident_id = l.incident_id AND o.connector_id = l.connector_id
      AND o.verb = 'open' ORDER BY o.seq DESC LIMIT 1) AS told,
    (SELECT coalesce(sum(o.repeats), 0)::int FROM notify_outbox o WHERE o.tenant_id = l.tenant_id AND o.incident_id = l.incident_id
      AND o.connector_id = l.connector_id) AS repeats,
    (SELECT jsonb_build_object('verb', o.verb, 'state', o.state, 'due_at', o.due_at, 'said', o.said) FROM notify_outbox o
      WHERE o.tenant_id = l.tenant_id AND o.incident_id = l.incident_id AND o.connector_id = l.connector_id
        AND o.state IN ('waiting', 'confirming', 'dead') ORDER BY o.seq LIMIT 1) AS pending
  FROM notify_links l JOIN notify_connectors c ON c.tenant_id = l.tenant_id AND c.id = l.connector_id
  WHERE l.incident_id = $1 ORDER BY l.created_at, lower(c.name), l.connector_id`;

const TOLD: Readonly<Record<MessageState, IncidentNotice['told']>> = {
  ...{ waiting: 'waiting', confirming: 'accepted', accepted: 'accepted', sent: 'sent', confirmed: 'confirmed' },
  ...{ dead: 'dead', given_up: 'dropped', dropped: 'dropped', held_back: 'dropped' },
};

const iso = (date: Date | null): string | null => date?.toISOString() ?? null;

/** Who was told of an incident, and what became of it there. AppError `not_found` for one that is not this tenant's. */
export async function noticesOf(deps: NotifyDeps, { principal: { tenant } }: Ctx, incident: string): Promise<IncidentNotice[]> {
  const rows = await deps.relational.withTenantSql(tenant, async (sql) => {
    const [known] = await deps.readIncidents(sql, [incident]);
    if (!known) throw new AppError('not_found', 'There is no such incident.');
    return (await sql.query<NoticeRow>(SELECT, [incident])).rows;
  });
  return rows.map((row) => ({
    connector: { id: row.connector_id, name: row.name, provider: row.provider },
    state: row.state,
    external: row.reference && { label: row.reference.label, url: row.reference.url },
    told_at: iso(row.opened_at),
    told: row.told === null ? 'waiting' : TOLD[row.told],
    ...{
      acknowledged_at: iso(row.acknowledged_at),
      acknowledged_there_by: row.acknowledged_by,
      resolved_at: iso(row.resolved_at),
    },
    ...{ is_origin: row.is_origin, note: row.note, possible_repeats: row.repeats },
    open_message: row.pending && {
      ...{ verb: row.pending.verb, state: row.pending.state, said: row.pending.said },
      next_at: row.pending.state === 'dead' ? null : new Date(row.pending.due_at).toISOString(),
    },
  }));
}
