import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { GROUPS, TOPICS } from '@svc/contracts/bus-topics';
import { ChangeDelivery } from '@svc/contracts/changes/delivery';
import type { FastifyBaseLogger } from 'fastify';
import type { BatchHandler, Bus, BusMessage, Subscription } from '#bus';
import { AppError, type AuditEntry, type TenantId } from '#kernel';
import { type Relational, type TenantSql, toTransient } from '#relational';
import type { Rule } from '../domain/target-rules.ts';
import { readRules } from './rules.ts';
import { writeChanges } from './write-changes.ts';

const BATCH = { maxMessages: 500, maxBytes: 8 * 1024 * 1024, lingerMs: 50 } as const;
const UNWRITTEN = 'Changes could not be stored.';
/** Deliveries of one transaction: each has an entry in the trail. */
const AT_ONCE = 100;

export interface ConsumeDeps {
  bus: Bus;
  relational: Relational;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  log: FastifyBaseLogger;
}

const NEW_DELIVERIES = `INSERT INTO change_deliveries (tenant_id, webhook_id, delivery_id, received_at, event, outcome, events, dropped)
  SELECT w.tenant_id, n.webhook, n.delivery, n.received_at, n.event, n.outcome, n.events, n.dropped
  FROM jsonb_to_recordset($1::jsonb) AS n (webhook text, delivery text, received_at timestamptz, event text, outcome text, events integer,
    dropped jsonb) JOIN change_webhooks w ON w.id = n.webhook
  ON CONFLICT (tenant_id, webhook_id, delivery_id) DO NOTHING RETURNING webhook_id, delivery_id`;
const THERE = 'SELECT id FROM change_webhooks WHERE id = ANY ($1::text[])';

const TOTALS = `UPDATE change_webhooks w SET deliveries = w.deliveries + n.deliveries, events_stored = w.events_stored + n.events,
    last_delivery_at = greatest(w.last_delivery_at, n.last_at)
  FROM jsonb_to_recordset($1::jsonb) AS n (webhook text, deliveries bigint, events bigint, last_at timestamptz) WHERE w.id = n.webhook`;

const nameOf = ({ webhook, delivery }: Pick<ChangeDelivery, 'webhook' | 'delivery'>): string => `${webhook} ${delivery}`;

function totalsOf(deliveries: readonly ChangeDelivery[]) {
  const totals = new Map<string, { webhook: string; deliveries: number; events: number; last_at: string }>();
  for (const { webhook, changes, received_at: at } of deliveries) {
    const total = totals.get(webhook) ?? { webhook, deliveries: 0, events: 0, last_at: at };
    total.deliveries += 1;
    total.events += changes.length;
    if (at > total.last_at) total.last_at = at;
    totals.set(webhook, total);
  }
  return [...totals.values()];
}

/** Those that were not stored before, each once. Of a webhook that was deleted since, all: they were taken, and a change is kept once. */
async function keepNew(sql: TenantSql, deliveries: readonly ChangeDelivery[]): Promise<ChangeDelivery[]> {
  const firsts = new Map<string, ChangeDelivery>();
  for (const one of deliveries) if (!firsts.has(nameOf(one))) firsts.set(nameOf(one), one);
  const once = [...firsts.values()];
  const rows = once.map(({ changes, ...one }) => ({ ...one, events: changes.length }));
  const kept = (await sql.query<{ webhook_id: string; delivery_id: string }>(NEW_DELIVERIES, [JSON.stringify(rows)])).rows;
  const names = new Set(kept.map((row) => nameOf({ webhook: row.webhook_id, delivery: row.delivery_id })));
  const webhooks = [...new Set(once.map(({ webhook }) => webhook))];
  const there = new Set((await sql.query<{ id: string }>(THERE, [webhooks])).rows.map(({ id }) => id));
  return once.filter((one) => names.has(nameOf(one)) || !there.has(one.webhook));
}

async function readAllRules(
  sql: TenantSql,
  deliveries: readonly ChangeDelivery[],
): Promise<(webhook: string) => readonly Rule[]> {
  const rules = new Map<string, readonly Rule[]>();
  for (const { webhook } of deliveries) if (!rules.has(webhook)) rules.set(webhook, await readRules(sql, webhook));
  return (webhook) => rules.get(webhook) ?? [];
}

async function storeAll(
  { relational, appendAudit }: ConsumeDeps,
  tenant: TenantId,
  deliveries: readonly ChangeDelivery[],
): Promise<void> {
  await relational.withSystemSql(tenant, async (sql) => {
    const kept = await keepNew(sql, deliveries);
    if (kept.length === 0) return;
    await writeChanges(sql, kept, await readAllRules(sql, kept));
    await sql.query(TOTALS, [JSON.stringify(totalsOf(kept))]);
    for (const { webhook, event, outcome, changes, dropped } of kept)
      await appendAudit(sql, {
        actor: { kind: 'system', id: `webhook/${webhook}` },
        action: 'change.ingest',
        object: { type: 'change_webhook', id: webhook },
        // Words of ours and counts: what the sender wrote stays out of the trail.
        detail: {
          event: event.slice(0, 64),
          outcome,
          changes: changes.length,
          dropped: dropped.reduce((sum, { count }) => sum + count, 0),
        },
      });
  });
}

function readMessage({ value }: BusMessage): ChangeDelivery {
  const parsed = ChangeDelivery.safeParse(JSON.parse(value.toString('utf8')));
  if (parsed.success) return parsed.data;
  throw new AppError('validation', 'A message of the topic of changes is no delivery.', { cause: parsed.error });
}

/** Bus -> changes, their deliveries and one entry in the trail each, in one transaction. A delivery that comes again changes nothing. */
export function createConsumer(deps: Omit<ConsumeDeps, 'bus'>) {
  const stats = { storing: true };
  const handle: BatchHandler = async ({ messages }, signal) => {
    const byTenant = new Map<TenantId, ChangeDelivery[]>();
    for (const message of messages) {
      const own = byTenant.get(message.tenant);
      if (own) own.push(readMessage(message));
      else byTenant.set(message.tenant, [readMessage(message)]);
    }
    for (const [tenant, deliveries] of byTenant)
      for (let at = 0; at < deliveries.length; at += AT_ONCE) {
        signal.throwIfAborted();
        try {
          await storeAll(deps as ConsumeDeps, tenant, deliveries.slice(at, at + AT_ONCE));
          stats.storing = true;
        } catch (error) {
          if (stats.storing) deps.log.warn({ err: error, tenant }, 'changes cannot be stored for now: they wait on the bus');
          stats.storing = false;
          throw toTransient(error, UNWRITTEN);
        }
        await yieldToOthers();
      }
  };
  return { handle, stats };
}

export async function subscribeChanges(deps: ConsumeDeps) {
  const { handle, stats } = createConsumer(deps);
  const options = { topic: TOPICS.changes, group: GROUPS.changes, ...BATCH };
  const subscription: Subscription = await deps.bus.subscribe(options, handle);
  return { subscription, stats };
}
