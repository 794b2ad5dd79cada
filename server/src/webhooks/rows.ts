import { AppError } from '#kernel';
import type { TenantSql } from '#relational';
import type { WebhookKind } from './kind.ts';

/** What is kept of a webhook whatever it is for. */
export interface WebhookRow<Provider extends string, Reason extends string> {
  id: string;
  provider: Provider;
  name: string;
  configured: boolean;
  created_by: string;
  created_at: Date;
  rotated_at: Date | null;
  previous_until: Date | null;
  last_delivery_at: Date | null;
  deliveries: number;
  refusals: { reason: Reason; count: number; last_at: string }[];
}

const REFUSAL_DAYS = 30;

const selectOf = ({ webhooks, refusals }: WebhookKind<string>['tables'], columns: readonly string[]): string =>
  `SELECT w.id, w.provider, w.name, w.configured, w.created_by, w.created_at, w.rotated_at, w.previous_until, w.last_delivery_at,
    w.deliveries::float8 AS deliveries, ${columns.map((column) => `${column}, `).join('')}
    coalesce((SELECT jsonb_agg(jsonb_build_object('reason', r.reason, 'count', r.count, 'last_at',
        to_char(r.last_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY r.last_at DESC)
      FROM (SELECT reason, sum(count)::float8 AS count, max(last_at) AS last_at FROM ${refusals}
        WHERE tenant_id = w.tenant_id AND webhook_id = w.id AND day > $1::date - ${REFUSAL_DAYS} GROUP BY reason) r), '[]') AS refusals
  FROM ${webhooks} w`;

const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10);

/** Webhooks as they are kept. `columns`: what the slice reads beside, of the table `w`. */
export function createWebhookRows<Row extends WebhookRow<string, string>>(kind: WebhookKind<string>, columns: readonly string[]) {
  const select = selectOf(kind.tables, columns);
  const turn = `SELECT pg_advisory_xact_lock(hashtextextended('${kind.lockedAs}/' || current_setting('app.tenant_id'), 0))`;
  return {
    list: async (sql: TenantSql, nowMs: number): Promise<Row[]> =>
      (await sql.query<Row>(`${select} ORDER BY lower(w.name), w.id`, [dayOf(nowMs)])).rows,
    /** AppError `not_found` for one that is not this tenant's. */
    async read(sql: TenantSql, id: string, nowMs: number): Promise<Row> {
      const row = (await sql.query<Row>(`${select} WHERE w.id = $2`, [dayOf(nowMs), id])).rows[0];
      if (!row) throw new AppError('not_found', 'There is no such webhook.');
      return row;
    },
    /** Changes of one tenant's webhooks take turns until their transactions end, so that two at once cannot pass a bound together. */
    takeTurn: async (sql: TenantSql): Promise<void> => void (await sql.query(turn)),
  };
}
