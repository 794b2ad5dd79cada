import type { InboundDelivery, InboundOutcome } from '@svc/contracts/notify/inbound';
import type { ObjectNews } from '#kernel';
import type { TenantSql } from '#relational';
import { createWebhookRows } from '#webhooks';
import { INBOUND_WEBHOOKS, type InboundRow } from '../ingest/kind.ts';

export const webhookRows = createWebhookRows<InboundRow>(INBOUND_WEBHOOKS, ['w.connector_id']);

interface DeliveryRow {
  id: string;
  received_at: Date;
  event: string;
  news: ObjectNews[];
  needs_names: string | null;
  outcome: InboundOutcome;
  reason: string;
  incident_id: string | null;
}

export async function readDeliveries(sql: TenantSql, id: string, most: number): Promise<InboundDelivery[]> {
  const { rows } = await sql.query<DeliveryRow>(
    `SELECT id, received_at, event, news, needs_names, outcome, reason, incident_id FROM notify_inbound_deliveries WHERE webhook_id = $1
     ORDER BY received_at DESC, id DESC LIMIT $2`,
    [id, most],
  );
  return rows.map(({ news, needs_names: asked, received_at: at, ...row }) => {
    const named = news.flatMap(({ names }) => names.map((name) => ('key' in name ? name.key : name.id)));
    return {
      ...row,
      received_at: at.toISOString(),
      references: [...new Set([...named, ...(asked === null ? [] : [asked])])].slice(0, 10),
    };
  });
}
