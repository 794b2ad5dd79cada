import type { ProviderKind, Verb } from '@svc/contracts/notify/kinds';
import type { MessageState, NotifyPulse, OutboxCounts, OutboxMessage, OutboxQuery } from '@svc/contracts/notify/outbox';
import { AppError, type Ctx, type Reference, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import { keyOf, type NotifyDeps } from '../context.ts';

interface MessageRow {
  id: string;
  incident_id: string;
  connector_id: string;
  connector_name: string;
  provider: ProviderKind;
  verb: Verb;
  cause: string;
  actor: string;
  state: MessageState;
  why: string;
  attempts: number;
  repeats: number;
  said: string;
  reference: Reference | null;
  created_at: Date;
  tried_at: Date | null;
  due_at: Date;
  expires_at: Date;
  done_at: Date | null;
  blocked_until: Date | null;
}

const SELECT = `SELECT o.id, o.incident_id, o.connector_id, c.name AS connector_name, c.provider, o.verb, o.cause, o.actor, o.state, o.why,
    o.attempts, o.repeats, o.said, l.reference, o.created_at, o.tried_at, o.due_at, o.expires_at, o.done_at, c.blocked_until
  FROM notify_outbox o JOIN notify_connectors c ON c.tenant_id = o.tenant_id AND c.id = o.connector_id
    JOIN notify_links l ON l.tenant_id = o.tenant_id AND l.incident_id = o.incident_id AND l.connector_id = o.connector_id`;

const COUNTS = `SELECT count(*) FILTER (WHERE state IN ('waiting', 'confirming'))::int AS waiting, count(*) FILTER (WHERE state = 'dead')::int AS dead,
    count(*) FILTER (WHERE state = 'held_back')::int AS held_back,
    count(*) FILTER (WHERE state IN ('sent', 'accepted', 'confirmed'))::int AS sent, coalesce(sum(repeats), 0)::int AS possible_repeats
  FROM notify_outbox`;

/** `<time>_<id>` of the last one before. */
const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f-]{36})$/;

function placeOf(cursor: string | undefined): { at: string; id: string } | undefined {
  if (cursor === undefined) return undefined;
  const [, at = '', id = ''] = CURSOR.exec(cursor) ?? [];
  if (id === '')
    throw new AppError('validation', 'The cursor is none of ours.', { faults: [{ path: 'cursor', message: 'not one of ours' }] });
  return { at, id };
}

const PENDING: readonly MessageState[] = ['waiting', 'confirming'];
const SYSTEM = 'system';
const later = (a: Date, b: Date | null): Date => (b && b > a ? b : a);

async function present(deps: NotifyDeps, { sql, rows }: { sql: TenantSql; rows: readonly MessageRow[] }) {
  const ids = [...new Set(rows.map((row) => row.incident_id))];
  const incidents = new Map((ids.length === 0 ? [] : await deps.readIncidents(sql, ids)).map((one) => [one.id, one]));
  return (names: ReadonlyMap<string, string>): OutboxMessage[] =>
    rows.map((row) => ({
      id: row.id,
      incident: {
        ...{ id: row.incident_id, number: incidents.get(row.incident_id)?.number ?? 0 },
        title: incidents.get(row.incident_id)?.title ?? '',
      },
      connector: { id: row.connector_id, name: row.connector_name, provider: row.provider },
      ...{ verb: row.verb, cause: row.cause, state: row.state, why: row.why, attempts: row.attempts, said: row.said },
      actor: { id: row.actor, name: row.actor === SYSTEM ? SYSTEM : (names.get(row.actor) ?? 'former member') },
      possible_repeats: row.repeats,
      dedup_key: keyOf(row.incident_id),
      external: row.reference && { label: row.reference.label, url: row.reference.url },
      created_at: row.created_at.toISOString(),
      tried_at: row.tried_at?.toISOString() ?? null,
      next_at: PENDING.includes(row.state) ? later(row.due_at, row.blocked_until).toISOString() : null,
      expires_at: row.expires_at.toISOString(),
      done_at: row.done_at?.toISOString() ?? null,
    }));
}

const namesOf = async (deps: NotifyDeps, tenant: TenantId, rows: readonly MessageRow[]): Promise<ReadonlyMap<string, string>> => {
  const actors = [...new Set(rows.map(({ actor }) => actor))].filter((actor) => actor !== SYSTEM);
  return actors.length === 0 ? new Map() : await deps.nameActors(tenant, actors);
};

/** Messages of a tenant, the newest first. */
export async function listMessages(
  deps: NotifyDeps,
  { principal: { tenant } }: Ctx,
  query: OutboxQuery,
): Promise<{ items: OutboxMessage[]; next_cursor: string | null; counts: OutboxCounts }> {
  const place = placeOf(query.cursor);
  const { rows, counts, toItems } = await deps.relational.withTenantSql(tenant, async (sql) => {
    const found = await sql.query<MessageRow>(
      `${SELECT} WHERE ($1::text[] IS NULL OR o.state = ANY ($1)) AND ($2::text IS NULL OR o.connector_id = $2)
         AND ($3::uuid IS NULL OR o.incident_id = $3) AND ($4::timestamptz IS NULL OR (o.created_at, o.id) < ($4, $5::uuid))
       ORDER BY o.created_at DESC, o.id DESC LIMIT $6`,
      [query.state ?? null, query.connector ?? null, query.incident ?? null, place?.at ?? null, place?.id ?? null, query.limit],
    );
    const counted = (await sql.query<OutboxCounts>(COUNTS)).rows[0];
    return { rows: found.rows, counts: counted, toItems: await present(deps, { sql, rows: found.rows }) };
  });
  const last = rows.length === query.limit ? rows.at(-1) : undefined;
  return {
    items: toItems(await namesOf(deps, tenant, rows)),
    next_cursor: last ? `${last.created_at.toISOString()}_${last.id}` : null,
    counts: counts ?? { waiting: 0, dead: 0, held_back: 0, sent: 0, possible_repeats: 0 },
  };
}

/** What the navigation shows. */
export async function readPulse(deps: NotifyDeps, { principal: { tenant } }: Ctx): Promise<NotifyPulse> {
  const { rows } = await deps.relational.withTenantSql(tenant, (sql) =>
    sql.query<NotifyPulse>(`SELECT (SELECT count(*)::int FROM notify_outbox WHERE state = 'dead') AS dead,
      (SELECT count(*)::int FROM notify_outbox WHERE state = 'waiting') AS waiting,
      count(*) FILTER (WHERE state = 'broken')::int AS broken,
      count(*) FILTER (WHERE state = 'active' AND failing_since IS NOT NULL)::int AS failing FROM notify_connectors WHERE deleted_at IS NULL`),
  );
  return rows[0] ?? { dead: 0, waiting: 0, broken: 0, failing: 0 };
}
