import type { ChangeProvider, RefusalReason } from '@svc/contracts/changes/kinds';
import type { WebhookDelivery } from '@svc/contracts/changes/webhook';
import type { TenantSql } from '#relational';
import { createWebhookRows, type WebhookRow } from '#webhooks';
import { CHANGE_WEBHOOKS } from '../ingest/kind.ts';

export interface ChangeWebhookRow extends WebhookRow<ChangeProvider, RefusalReason> {
  events_stored: number;
  without_target: number;
}

/** Of changes without a target: more are not told apart. */
const MOST_COUNTED = 10_000;

export const webhookRows = createWebhookRows<ChangeWebhookRow>(CHANGE_WEBHOOKS, [
  'w.events_stored::float8 AS events_stored',
  `(SELECT count(*)::int FROM (SELECT FROM changes c WHERE c.tenant_id = w.tenant_id AND c.webhook_id = w.id AND c.anchor IS NULL
      AND c.network IS NULL LIMIT ${MOST_COUNTED}) t) AS without_target`,
]);

export async function readDeliveries(sql: TenantSql, id: string, most: number): Promise<WebhookDelivery[]> {
  const { rows } = await sql.query<Omit<WebhookDelivery, 'received_at'> & { received_at: Date }>(
    `SELECT delivery_id AS id, received_at, event, outcome, events, dropped FROM change_deliveries WHERE webhook_id = $1
     ORDER BY received_at DESC, delivery_id LIMIT $2`,
    [id, most],
  );
  return rows.map((row) => ({ ...row, received_at: row.received_at.toISOString() }));
}
