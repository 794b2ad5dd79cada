import { randomUUID } from 'node:crypto';
import { gatherRows, refill, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { NotifyDeps } from '../context.ts';
import { type ClaimedRow, type Job, linkKey, readLinks, type SendingConnector } from './rows.ts';

const LEASE_MS = 60_000;
/** Of one look at a tenant. */
const MAX_CONNECTORS = 100;
/** Where what is due has to wait for a rate, for another worker, or for messages under way. */
const AGAIN_MS = 200;

const LEASED = "lease_until IS NOT NULL AND state IN ('waiting', 'confirming') AND lease_until > clock_timestamp()";
const FREE = '(o.lease_until IS NULL OR o.lease_until < clock_timestamp())';
// A message waits for those before it about the same incident. By their key, lest a planner with old statistics reads all that waits for each.
const FIRST = `o.seq = (SELECT e.seq FROM notify_outbox e WHERE e.tenant_id = o.tenant_id AND e.incident_id = o.incident_id
  AND e.connector_id = o.connector_id AND e.state IN ('waiting', 'confirming') ORDER BY e.seq LIMIT 1)`;
const DUE = `o.state IN ('waiting', 'confirming') AND o.due_at <= $1 AND ${FREE} AND ${FIRST}`;

// Its key is not locked: whoever writes a link refers to it.
const READY = `SELECT c.id, c.name, c.provider, c.configured, c.secret, c.secret_version, c.abilities, c.failures, c.tokens, c.tokens_at
  FROM notify_connectors c WHERE c.deleted_at IS NULL AND c.state = 'active' AND coalesce(c.blocked_until <= $1, true)
    AND EXISTS (SELECT FROM notify_outbox o WHERE o.tenant_id = c.tenant_id AND o.connector_id = c.id AND ${DUE})
  ORDER BY c.tokens_at NULLS FIRST, c.id LIMIT ${MAX_CONNECTORS} FOR NO KEY UPDATE OF c SKIP LOCKED`;

const UNDER_WAY = `SELECT connector_id, count(DISTINCT lease_id)::int AS n FROM notify_outbox
  WHERE connector_id = ANY ($1::text[]) AND ${LEASED} GROUP BY connector_id`;

const TAKE = `UPDATE notify_outbox u SET lease_id = $4, lease_until = clock_timestamp() + $5 * interval '1 millisecond', tried_at = $1,
    attempts = u.attempts + CASE WHEN u.state = 'waiting' THEN 1 ELSE 0 END,
    in_doubt = u.in_doubt OR (u.lease_id IS NOT NULL AND u.state = 'waiting')
  FROM (SELECT o.id, o.tried_at FROM notify_outbox o WHERE o.connector_id = $2 AND ${DUE} ORDER BY o.due_at, o.id LIMIT $3
    FOR UPDATE OF o SKIP LOCKED) p
  WHERE u.id = p.id RETURNING u.id, u.incident_id, u.connector_id, u.verb, u.state, u.cause, u.actor, u.detail, u.is_delayed, u.attempts,
    u.repeats, u.in_doubt, p.tried_at AS doubt_at, u.expires_at, u.request, u.created_at, u.due_at`;

const SEPARATE = 'UPDATE notify_outbox SET lease_id = $2 WHERE id = ANY ($1::uuid[])';
const GIVE_BACK = `UPDATE notify_outbox SET lease_id = NULL, lease_until = NULL, attempts = greatest(0, attempts - CASE WHEN state = 'waiting' THEN 1 ELSE 0 END)
  WHERE id = ANY ($1::uuid[])`;
const SPEND = 'UPDATE notify_connectors SET tokens = $2, tokens_at = $3 WHERE id = $1';

// Of each connector the first that is free, and the first lease that ends: thousands may wait.
const NEXT = `SELECT least((SELECT min(greatest(d.due_at, c.blocked_until)) FROM notify_connectors c CROSS JOIN LATERAL (
    SELECT o.due_at FROM notify_outbox o WHERE o.tenant_id = c.tenant_id AND o.connector_id = c.id AND o.state IN ('waiting', 'confirming')
      AND ${FREE} AND ${FIRST} ORDER BY o.due_at LIMIT 1) d WHERE c.state = 'active' AND c.deleted_at IS NULL),
  (SELECT min(lease_until) FROM notify_outbox WHERE ${LEASED})) AS at`;

interface Claimed {
  jobs: Job[];
  /** When to look again; undefined: nothing waits. */
  nextMs: number | undefined;
}

async function claimOf(
  sql: TenantSql,
  connector: SendingConnector,
  { underWay, nowMs, leaseMs }: { underWay: number; nowMs: number; leaseMs: number },
): Promise<{ lease: string; rows: ClaimedRow[] }[]> {
  const { pace } = connector.abilities;
  const tokens = refill({ tokens: connector.tokens, atMs: connector.tokens_at?.getTime() ?? null }, pace, nowMs);
  // One message finds out for all whether a connector that failed answers again.
  const room = (connector.failures > 0 ? 1 : pace.concurrency) - underWay;
  const calls = Math.min(room, Math.floor(tokens));
  if (calls <= 0) return [];
  const most = calls * Math.max(1, pace.gathers);
  const taken = await sql.query<ClaimedRow & { due_at: Date }>(TAKE, [
    new Date(nowMs),
    connector.id,
    most,
    randomUUID(),
    leaseMs,
  ]);
  const rows = taken.rows.toSorted((a, b) => a.due_at.getTime() - b.due_at.getTime() || (a.id < b.id ? -1 : 1));
  const { groups, left } = gatherRows(rows, { calls, gathers: pace.gathers });
  if (left.length > 0) await sql.query(GIVE_BACK, [left.map(({ id }) => id)]);
  const claimed: { lease: string; rows: ClaimedRow[] }[] = [];
  for (const group of groups) {
    const lease = randomUUID();
    await sql.query(SEPARATE, [group.map(({ id }) => id), lease]);
    claimed.push({ lease, rows: group });
  }
  await sql.query(SPEND, [connector.id, tokens - groups.length, new Date(nowMs)]);
  return claimed;
}

async function claimAll(deps: NotifyDeps, sql: TenantSql): Promise<Claimed> {
  const nowMs = deps.clock.now();
  const now = new Date(nowMs);
  const ready = (await sql.query<SendingConnector>(READY, [now])).rows;
  const taken: (Omit<Job, 'messages'> & { rows: ClaimedRow[] })[] = [];
  if (ready.length > 0) {
    const counted = await sql.query<{ connector_id: string; n: number }>(UNDER_WAY, [ready.map(({ id }) => id)]);
    const underWay = new Map(counted.rows.map(({ connector_id: id, n }) => [id, n]));
    for (const connector of ready) {
      const how = { underWay: underWay.get(connector.id) ?? 0, nowMs, leaseMs: deps.leaseMs ?? LEASE_MS };
      for (const claimed of await claimOf(sql, connector, how)) taken.push({ connector, ...claimed });
    }
  }
  const rows = taken.flatMap((one) => one.rows);
  const links = rows.length === 0 ? new Map() : await readLinks(sql, rows);
  const ids = [...new Set(rows.map(({ incident_id: id }) => id))];
  const incidents = new Map((ids.length === 0 ? [] : await deps.readIncidents(sql, ids)).map((one) => [one.id, one]));
  const jobs = taken.map(({ rows: own, ...job }) => ({
    ...job,
    messages: own.flatMap((row) => {
      const [link, incident] = [links.get(linkKey(row)), incidents.get(row.incident_id)];
      return link && incident ? [{ row, link, incident }] : [];
    }),
  }));
  // Whatever was taken asks again when it is done.
  const at = taken.length > 0 ? now : (await sql.query<{ at: Date | null }>(NEXT)).rows[0]?.at;
  return {
    jobs: jobs.filter(({ messages }) => messages.length > 0),
    nextMs: at ? Math.max(at.getTime(), nowMs + AGAIN_MS) : undefined,
  };
}

/**
 * Takes what is due of a tenant for this worker, under a lease each: no other one takes it before that ends. Keeps to the order of each link,
 * and to each connector's rate and concurrency, on all replicas together. A message whose lease ended unrecorded may have been sent: it is in
 * doubt.
 */
export const claimMessages = (deps: NotifyDeps, tenant: TenantId): Promise<Claimed> =>
  deps.relational.withSystemSql(tenant, (sql) => claimAll(deps, sql));
