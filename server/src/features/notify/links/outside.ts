import type { NewsOutcome } from '@svc/contracts/notify/inbound';
import type { ProviderKind } from '@svc/contracts/notify/kinds';
import type { LinkState } from '@svc/contracts/notify/outbox';
import type { ObjectNews, Reference, TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import { keyOf, type NotifyDeps } from '../context.ts';

export interface OutsideNews {
  provider: ProviderKind;
  /** The connector whose provider tells; null: any of the tenant's. */
  connector: string | null;
  news: ObjectNews;
}

interface Found {
  incident_id: string;
  connector_id: string;
  state: LinkState;
  is_current: boolean;
  news_order: number | null;
  reopened_at: Date | null;
  acknowledged_at: Date | null;
  is_by_id: boolean;
  is_reopening: boolean;
}

const KEY = /^svc-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;

const FIND = `SELECT l.incident_id, l.connector_id, l.state, l.news_order, l.reopened_at, l.acknowledged_at, r.is_current IS NOT NULL AS is_by_id,
    (l.incident_id = ANY ($1::uuid[]) OR r.is_current) AS is_current, EXISTS (SELECT FROM notify_outbox o WHERE o.tenant_id = l.tenant_id
      AND o.incident_id = l.incident_id AND o.connector_id = l.connector_id AND o.verb = 'reopen' AND o.state <> 'dropped'
      AND coalesce(o.done_at, $5) > $5::timestamptz - interval '1 minute') AS is_reopening
  FROM notify_links l JOIN notify_connectors c ON c.tenant_id = l.tenant_id AND c.id = l.connector_id
    CROSS JOIN LATERAL (SELECT bool_or(r.generation = l.generation) AS is_current FROM notify_references r WHERE r.tenant_id = l.tenant_id
      AND r.incident_id = l.incident_id AND r.connector_id = l.connector_id AND r.reference_id = ANY ($2::text[])) r
  WHERE c.provider = $3 AND ($4::text IS NULL OR l.connector_id = $4) AND c.deleted_at IS NULL
    AND (l.incident_id = ANY ($1::uuid[]) OR r.is_current IS NOT NULL)
  ORDER BY l.incident_id, l.created_at, l.connector_id FOR UPDATE OF l`;

// Under way, in doubt or not yet confirmed: its id there is not known yet.
const OPENING = `SELECT FROM notify_outbox o JOIN notify_connectors c ON c.tenant_id = o.tenant_id AND c.id = o.connector_id
  WHERE c.provider = $1 AND ($2::text IS NULL OR c.id = $2) AND c.deleted_at IS NULL AND o.verb IN ('open', 'reopen')
    AND (o.state = 'confirming' OR (o.state = 'waiting' AND (o.lease_id IS NOT NULL OR o.in_doubt))) LIMIT 1`;

const SEEN = `UPDATE notify_links SET news_order = coalesce($3, news_order), note = CASE WHEN $4 = '' THEN note ELSE $4 END,
    state = CASE WHEN $5 THEN 'gone' ELSE state END WHERE incident_id = $1 AND connector_id = $2`;
// What the provider tells of is there.
const CONFIRM = `UPDATE notify_outbox SET state = 'confirmed' WHERE incident_id = $1 AND connector_id = $2 AND state IN ('accepted', 'confirming')
  AND (verb IN ('open', 'reopen') OR verb = $3)`;
// Whoever tells of an object by our key says that it was taken: an open that is in doubt is done.
const TAKEN = `UPDATE notify_outbox o SET state = 'confirmed', done_at = $3, lease_id = NULL, lease_until = NULL
  FROM notify_connectors c WHERE c.tenant_id = o.tenant_id AND c.id = o.connector_id AND (c.abilities #>> '{capabilities,hasKey}') = 'true'
    AND o.incident_id = $1 AND o.connector_id = $2 AND o.state = 'waiting' AND o.verb IN ('open', 'reopen')
    AND (o.lease_id IS NOT NULL OR o.in_doubt) RETURNING o.verb`;
const TAKEN_LINK = `UPDATE notify_links SET state = 'open', opened_at = $3, generation = generation + $4, former = CASE WHEN $4 = 1 THEN reference
    ELSE former END, reference = coalesce(reference, $5) WHERE incident_id = $1 AND connector_id = $2`;
const SETTLE = `UPDATE notify_outbox SET state = 'dropped', why = 'it was done there', done_at = $4
  WHERE incident_id = $1 AND connector_id = $2 AND verb = $3 AND state = 'waiting' AND lease_id IS NULL`;
const SETTLE_LINK = `UPDATE notify_links SET state = 'resolved', is_origin = true, resolved_at = $3
  WHERE incident_id = $1 AND connector_id = $2 AND state = 'open'`;
// By whom, unless our own acknowledgement comes back.
const ACKNOWLEDGED = `UPDATE notify_links l SET acknowledged_at = coalesce(acknowledged_at, $4), acknowledged_by = CASE WHEN EXISTS
    (SELECT FROM notify_outbox o WHERE o.tenant_id = l.tenant_id AND o.incident_id = $1 AND o.connector_id = $2 AND o.verb = 'acknowledge'
      AND (o.attempts > 0 OR o.lease_id IS NOT NULL)) THEN acknowledged_by ELSE $3 END WHERE incident_id = $1 AND connector_id = $2`;

/** Incidents and references that news name. */
export function namesOf({ names }: ObjectNews): { incidents: string[]; references: string[] } {
  const keys = names.flatMap((one) => ('key' in one ? [one.key] : []));
  const ids = names.flatMap((one) => ('id' in one ? [one.id] : []));
  // A key may stand where an id is told, and is the reference at those that have no other.
  const incidents = [...keys, ...ids].flatMap((text) => KEY.exec(text)?.[1]?.toLowerCase() ?? []);
  return { incidents, references: ids.filter((id) => !KEY.test(id)) };
}

// A ticket that we re-open into work in progress has been taken by nobody: that is our own echo.
const isOlder = (found: Found, { order, atMs, became }: ObjectNews): boolean =>
  !found.is_current ||
  (became === 'acknowledged' && found.is_reopening) ||
  (order !== null && found.news_order !== null && order <= found.news_order) ||
  (atMs !== null && found.reopened_at !== null && atMs < found.reopened_at.getTime());

const NOTES = { reopened: 're-opened there', deleted: 'deleted there' } as const;

async function note(
  sql: TenantSql,
  { incident_id: incident, connector_id: connector }: Found,
  of: { news: ObjectNews; now: Date },
): Promise<void> {
  const { news, now } = of;
  const words = news.became === 'reopened' || news.became === 'deleted' ? NOTES[news.became] : '';
  await sql.query(SEEN, [incident, connector, news.order, words, news.became === 'deleted']);
  await sql.query(CONFIRM, [incident, connector, news.became === 'resolved' ? 'resolve' : 'acknowledge']);
  const [taken] = (await sql.query<{ verb: string }>(TAKEN, [incident, connector, now])).rows;
  if (!taken) return;
  const reference: Reference = { id: keyOf(incident), label: null, url: null };
  await sql.query(TAKEN_LINK, [incident, connector, now, taken.verb === 'reopen' ? 1 : 0, JSON.stringify(reference)]);
}

/** What was done here already needs not be said to whom tells that it is done there. */
async function settle(
  sql: TenantSql,
  found: Found,
  { became, by, now }: { became: string; by: string | null; now: Date },
): Promise<void> {
  const place = [found.incident_id, found.connector_id];
  // The link first, as whoever plans and records does.
  await sql.query('SELECT FROM notify_links WHERE incident_id = $1 AND connector_id = $2 FOR NO KEY UPDATE', place);
  await sql.query(SETTLE, [...place, became === 'resolved' ? 'resolve' : 'acknowledge', now]);
  if (became === 'resolved') await sql.query(SETTLE_LINK, [...place, now]);
  else await sql.query(ACKNOWLEDGED, [...place, by, now]);
}

async function find(deps: NotifyDeps, tenant: TenantId, { provider, connector, news }: OutsideNews) {
  const { incidents, references } = namesOf(news);
  if (incidents.length === 0 && references.length === 0)
    return { otherwise: 'unknown' as const, found: [] as Found[], bare: undefined };
  return await deps.relational.withSystemSql(tenant, async (sql) => {
    const now = new Date(deps.clock.now());
    const at = news.atMs === null ? now : new Date(news.atMs);
    // Asked first: what is recorded as open meanwhile is found below.
    const isOpening = references.length > 0 && (await sql.query(OPENING, [provider, connector])).rowCount !== 0;
    const named = (await sql.query<Found>(FIND, [incidents, references, provider, connector, at])).rows;
    // Two connectors of one provider share our key: the object that is named by its own id is the one that is meant.
    const rows = named.filter((one) => one.is_by_id || !named.some(({ is_by_id: isById }) => isById));
    const found = rows.filter((one) => !isOlder(one, news));
    for (const one of found) await note(sql, one, { news, now });
    const bare = rows.length === 0 && incidents.length > 0 ? (await deps.readIncidents(sql, incidents))[0]?.id : undefined;
    const unknown = isOpening ? ('waiting' as const) : ('unknown' as const);
    return { otherwise: rows.length > 0 ? ('older' as const) : unknown, found, bare };
  });
}

/**
 * Takes news of an object at a provider: what was acknowledged or resolved there is so here, and is told to all other connectors and never
 * back. Idempotent; the look-up is the tenant's own. What another object stands for by now, and what is older than is known, does nothing.
 * An id that nobody knows is `waiting` while an object is being opened at the provider, whose id it may be: take it again later.
 */
export async function takeNews(
  deps: NotifyDeps,
  tenant: TenantId,
  given: OutsideNews,
): Promise<{ outcome: NewsOutcome; incident: string | null }> {
  const { news, provider } = given;
  const { otherwise, found, bare } = await find(deps, tenant, given);
  const [first] = found;
  const incident = first?.incident_id ?? bare ?? null;
  if (incident === null) return { outcome: otherwise, incident };
  if (news.became === 'reopened' || news.became === 'deleted') return { outcome: 'noted', incident };
  const what = news.became === 'resolved' ? 'resolve' : 'acknowledge';
  // By our key alone of several it is not known which one tells: all are told, of which one does nothing.
  const origin = found.filter((one) => one.incident_id === incident).length === 1 ? first : undefined;
  const actor = origin ? `connector/${origin.connector_id}` : `provider/${provider}`;
  const detail = news.by === null ? '' : `by ${news.by.slice(0, 200)}`;
  const isDone = await deps.actFromOutside(tenant, { incident, what, actor, detail });
  if (origin) {
    const now = new Date(deps.clock.now());
    await deps.relational.withSystemSql(tenant, (sql) =>
      settle(sql, origin, { became: news.became, by: news.by?.slice(0, 200) ?? null, now }),
    );
  }
  if (!isDone) return { outcome: 'nothing_to_do', incident };
  return { outcome: news.became === 'resolved' ? 'resolved' : 'acknowledged', incident };
}
