import type { InboundOutcome } from '@svc/contracts/notify/inbound';
import type { InboundProvider } from '@svc/contracts/notify/kinds';
import { uuidv7 } from 'uuidv7';
import type { NativeReading, ObjectNews, TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { InboundDeps, NewsResult } from '../context.ts';

/** A delivery that may name an object we are just about to hear of by our own call is tried again for so long. */
const TRIED_FOR_MS = 60_000;
const WHY_AGAIN = 'it may name what is being opened there just now: tried again until a minute after it came';

export interface StoredDelivery {
  id: string;
  webhook_id: string;
  provider: InboundProvider;
  connector_id: string | null;
  received_at: Date;
  news: ObjectNews[];
  needs_names: string | null;
}

const INSERT = `INSERT INTO notify_inbound_deliveries (tenant_id, webhook_id, id, delivery_id, received_at, event, news, needs_names, outcome, reason,
    done_at)
  SELECT w.tenant_id, w.id, $2, $3, $4, $5, $6, $7, $8, $9, CASE WHEN $8 <> 'waiting' THEN $4::timestamptz END
  FROM notify_inbound_webhooks w WHERE w.id = $1
  ON CONFLICT (tenant_id, webhook_id, delivery_id) DO NOTHING RETURNING id`;
const COUNT =
  'UPDATE notify_inbound_webhooks SET deliveries = deliveries + 1, last_delivery_at = greatest(last_delivery_at, $2) WHERE id = $1';
const WAITING = `SELECT d.id, d.webhook_id, w.provider, w.connector_id, d.received_at, d.news, d.needs_names FROM notify_inbound_deliveries d
  JOIN notify_inbound_webhooks w ON w.tenant_id = d.tenant_id AND w.id = d.webhook_id`;
const DONE = `UPDATE notify_inbound_deliveries SET outcome = $2, reason = $3, incident_id = $4, done_at = $5, attempts = attempts + 1
  WHERE id = $1 AND outcome = 'waiting'`;
const AGAIN = `UPDATE notify_inbound_deliveries SET attempts = attempts + 1, reason = $2 WHERE id = $1 AND outcome = 'waiting'`;

function outcomeOf(reading: NativeReading): InboundOutcome {
  if (reading.outcome === 'nothing') return 'not_used';
  if (reading.outcome === 'not_understood') return 'not_understood';
  return reading.news.length > 0 || reading.needsNames !== null ? 'waiting' : 'not_used';
}

/** Stores a verified delivery; gives undefined where it was stored before, or its webhook is gone. */
export async function storeDelivery(
  { relational }: Pick<InboundDeps, 'relational'>,
  { tenant, webhook, now }: { tenant: TenantId; webhook: string; now: Date },
  reading: NativeReading,
): Promise<{ id: string; outcome: InboundOutcome } | undefined> {
  const id = uuidv7();
  const outcome = outcomeOf(reading);
  return await relational.withSystemSql(tenant, async (sql) => {
    const added = await sql.query(INSERT, [
      ...[webhook, id, reading.delivery, now, reading.event.slice(0, 200), JSON.stringify(reading.news), reading.needsNames],
      ...[outcome, reading.reason.slice(0, 500)],
    ]);
    if (added.rowCount === 0) return undefined;
    await sql.query(COUNT, [webhook, now]);
    return { id, outcome };
  });
}

export const readWaiting = async (sql: TenantSql, { id, before }: { id?: string; before?: Date }): Promise<StoredDelivery[]> =>
  (
    await sql.query<StoredDelivery>(
      `${WAITING} WHERE d.outcome = 'waiting' AND ($1::uuid IS NULL OR d.id = $1) AND ($2::timestamptz IS NULL OR d.received_at < $2)
       ORDER BY d.received_at, d.id LIMIT 100`,
      [id ?? null, before ?? null],
    )
  ).rows;

/** The news with our keys in them, where those have to be asked for; undefined: nobody can be asked. */
async function nameNews(deps: InboundDeps, tenant: TenantId, delivery: StoredDelivery): Promise<ObjectNews[] | undefined> {
  const { needs_names: wanted, provider, connector_id: connector } = delivery;
  if (wanted === null) return delivery.news;
  const keys = await deps.askNames(tenant, { provider, connector, id: wanted });
  if (keys === undefined) return undefined;
  // One object there may stand for several of ours: each is news of its own.
  return delivery.news.flatMap((news) => keys.map((key) => ({ ...news, names: [{ key }] })));
}

/** What is said of a delivery with several news: that which did most. */
const WEIGHT: readonly NewsResult['outcome'][] = [
  'unknown',
  'waiting',
  'older',
  'nothing_to_do',
  'noted',
  'acknowledged',
  'resolved',
];

/** Does what a stored delivery says, and writes what came of it. Idempotent; it may be done twice at once. */
export async function applyDelivery(deps: InboundDeps, tenant: TenantId, delivery: StoredDelivery): Promise<InboundOutcome> {
  const { relational, clock } = deps;
  const { id, provider, connector_id: connector, received_at: at } = delivery;
  const finish = async (
    outcome: InboundOutcome,
    more: { reason?: string; incident?: string | null } = {},
  ): Promise<InboundOutcome> => {
    const values = [id, outcome, more.reason ?? '', more.incident ?? null, new Date(clock.now())];
    await relational.withSystemSql(tenant, (sql) => sql.query(DONE, values));
    return outcome;
  };
  const named = await nameNews(deps, tenant, delivery);
  if (named === undefined)
    return await finish('not_understood', {
      reason: 'it names our key nowhere, and the connector has no key to ask the provider with',
    });
  let best: NewsResult = { outcome: 'unknown', incident: null };
  for (const news of named) {
    const result = await deps.takeNews(tenant, { provider, connector, news });
    if (WEIGHT.indexOf(result.outcome) >= WEIGHT.indexOf(best.outcome)) best = result;
  }
  if (best.outcome !== 'waiting') return await finish(best.outcome, { incident: best.incident });
  if (clock.now() - at.getTime() >= TRIED_FOR_MS) return await finish('unknown');
  await relational.withSystemSql(tenant, (sql) => sql.query(AGAIN, [id, WHY_AGAIN]));
  return 'waiting';
}
