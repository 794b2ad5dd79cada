import { randomUUID } from 'node:crypto';
import type { TenantId } from '#kernel';
import type { Relational } from '#relational';
import type { Belongings } from './procedure-inputs.ts';

const WEBHOOK = `INSERT INTO change_webhooks (tenant_id, id, provider, name, secret, created_by, created_at)
  VALUES ($1, $2, 'generic', $3, 'sealed', 'ann', now())`;

const OF_WEBHOOK = [
  `INSERT INTO change_deliveries (tenant_id, webhook_id, delivery_id, received_at, event, outcome, events, dropped)
    VALUES ($1, $2, $3, now(), $3, 'stored', 1, '[]')`,
  `INSERT INTO change_refusals (tenant_id, webhook_id, day, reason, count, last_at) VALUES ($1, $2, now()::date, 'wrong_signature', 1, now())`,
  `INSERT INTO change_target_rules (tenant_id, webhook_id, position, repository, environment, path, target)
    VALUES ($1, $2, 0, $3, '', '', $3)`,
];

const CHANGE = `INSERT INTO changes (tenant_id, id, number, webhook_id, key, source, kind, title, summary, target, anchor, target_from, attributes,
    occurred_at, told_at, received_at, search)
  VALUES ($1, $2, 1, $3, $4, $4, 'deploy', $4, $4, $4 || '.test', $4 || '.test', 'change', '{}', now(), now(), now(), $4)`;

/** Two webhooks with all that belongs to one, and a change; the second webhook is for nobody to delete. */
export async function addChanges(
  relational: Relational,
  tenant: TenantId,
  mark: string,
): Promise<Pick<Belongings, 'webhook' | 'change'>> {
  const [webhook, kept, change] = [randomUUID(), randomUUID(), randomUUID()];
  await relational.withTenantSql(tenant, async (sql) => {
    for (const id of [webhook, kept]) {
      await sql.query(WEBHOOK, [tenant, id, mark]);
      for (const text of OF_WEBHOOK) await sql.query(text, text.includes('$3') ? [tenant, id, mark] : [tenant, id]);
    }
    await sql.query('INSERT INTO change_counters (tenant_id, last_number) VALUES ($1, 1)', [tenant]);
    await sql.query(CHANGE, [tenant, change, webhook, mark]);
  });
  return { webhook, change };
}
