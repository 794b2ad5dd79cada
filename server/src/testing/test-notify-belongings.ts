import { randomUUID } from 'node:crypto';
import type { TenantId } from '#kernel';
import type { Relational } from '#relational';
import type { Belongings } from './procedure-inputs.ts';

const CONNECTOR = `INSERT INTO notify_connectors (tenant_id, id, provider, name, secret, shown, abilities, state, created_by, created_at)
  VALUES ($1, $2, 'pager_a', $3, 'sealed', '{"settings":{},"secrets":["credential"]}', $4, $5, 'ann', now())`;
const ABILITIES = {
  capabilities: {
    ...{ hasKey: true, canBeFound: false, canUpdate: false, canAcknowledge: true, canResolve: true, reopens: 'new' },
    ...{ confirms: false, canLook: false },
  },
  pace: { perMinute: 60, concurrency: 1, burst: 1, gathers: 1 },
};

const RULE = `INSERT INTO notify_rules (tenant_id, id, name, body, created_by, created_at, changed_at)
  VALUES ($1, $2, $3, '{"severity":"info","planes":[],"targets":[],"sites":[],"schedule":null,"delay_seconds":0,"quiet":null,"connectors":[]}',
    'ann', now(), now())`;

const OF_INCIDENT = [
  `INSERT INTO notify_links (tenant_id, incident_id, connector_id, state, last_seq, note, created_at) VALUES ($1, $2, $3, 'open', 1, $4, now())`,
  `INSERT INTO notify_references (tenant_id, incident_id, connector_id, generation, reference_id, label, opened_at)
    VALUES ($1, $2, $3, 1, $4, $4, now())`,
];
const MESSAGE = `INSERT INTO notify_outbox (tenant_id, id, incident_id, connector_id, seq, verb, cause, actor, detail, state, said, due_at, expires_at,
    created_at)
  VALUES ($1, $5, $2, $3, 1, 'open', 'opened', 'system', $4, 'dead', $4, now(), now(), now())`;

const INBOUND = `INSERT INTO notify_inbound_webhooks (tenant_id, id, provider, name, secret, created_by, created_at)
  VALUES ($1, $2, 'pager_a', $3, 'sealed', 'ann', now())`;
const OF_INBOUND = [
  `INSERT INTO notify_inbound_deliveries (tenant_id, webhook_id, id, delivery_id, received_at, event, news, outcome)
    VALUES ($1, $2, gen_random_uuid(), $3, now(), $3, '[]', 'unknown')`,
  `INSERT INTO notify_inbound_refusals (tenant_id, webhook_id, day, reason, count, last_at) VALUES ($1, $2, now()::date, 'wrong_token', 1, now())`,
];

/** Two of each that can be deleted: one is for nobody to delete. The message belongs to the connector that stays. */
export async function addNotify(
  relational: Relational,
  tenant: TenantId,
  { mark, incident }: { mark: string; incident: string },
): Promise<Pick<Belongings, 'connector' | 'rule' | 'message' | 'inbound'>> {
  const [connector, kept, rule, keptRule] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const [message, inbound, keptInbound] = [randomUUID(), randomUUID(), randomUUID()];
  await relational.withTenantSql(tenant, async (sql) => {
    await sql.query(CONNECTOR, [tenant, connector, mark, JSON.stringify(ABILITIES), 'active']);
    // Paused, so that nothing of it is sent.
    await sql.query(CONNECTOR, [tenant, kept, mark, JSON.stringify(ABILITIES), 'paused']);
    for (const id of [rule, keptRule]) await sql.query(RULE, [tenant, id, mark]);
    for (const text of OF_INCIDENT) await sql.query(text, [tenant, incident, kept, mark]);
    await sql.query(MESSAGE, [tenant, incident, kept, mark, message]);
    for (const id of [inbound, keptInbound]) {
      await sql.query(INBOUND, [tenant, id, mark]);
      for (const text of OF_INBOUND) await sql.query(text, text.includes('$3') ? [tenant, id, mark] : [tenant, id]);
    }
  });
  return { connector, rule, message, inbound };
}
