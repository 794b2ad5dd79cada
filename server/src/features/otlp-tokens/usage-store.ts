import type { Signal } from '@svc/otlp-wire/walk';
import type { TenantId } from '#kernel';
import type { TenantSql } from '#relational';

/** What one token brought since the last report. */
export interface TokenUse {
  tenant: TenantId;
  tokenId: string;
  signal: Signal;
  requests: number;
  items: number;
  /** As received, after decompression. */
  bytes: number;
}

/** What was refused since the last report; `tenant` is undefined where no token told it. */
export interface RefusalCount {
  tenant: TenantId | undefined;
  reason: string;
  /** Requests, or records that were left out of one that was accepted. */
  count: number;
  message: string;
  /** Attributes of the resource to blame, never more of what was sent. */
  resource: Readonly<Record<string, string>> | undefined;
}

/** What is counted of one tenant and not written yet, by token and signal, and by reason. */
export interface Pending {
  uses: Map<string, TokenUse & { lastAtMs: number }>;
  refusals: Map<string, RefusalCount & { lastAtMs: number }>;
}

const KEPT_DAYS = 31;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Adds what was counted to a tenant's rows, in the caller's transaction; days are UTC and kept for 31. */
export async function writeUsage(sql: TenantSql, tenant: TenantId, { uses, refusals }: Pending): Promise<void> {
  for (const { tokenId, signal, requests, items, bytes, lastAtMs } of uses.values()) {
    const at = new Date(lastAtMs);
    // A token that is gone with its tenant counts no more.
    const { rowCount } = await sql.query('UPDATE otlp_tokens SET last_used_at = greatest(last_used_at, $2) WHERE id = $1', [
      tokenId,
      at,
    ]);
    if (rowCount === 0) continue;
    await sql.query(
      `INSERT INTO otlp_token_days AS d (tenant_id, token_id, day, requests, items, bytes) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (tenant_id, token_id, day) DO UPDATE
       SET requests = d.requests + excluded.requests, items = d.items + excluded.items, bytes = d.bytes + excluded.bytes`,
      [tenant, tokenId, dayOf(lastAtMs), requests, items, bytes],
    );
    if (items === 0) continue;
    await sql.query(
      `INSERT INTO otlp_signals AS s (tenant_id, signal, first_at, last_at, items) VALUES ($1, $2, $3, $3, $4)
       ON CONFLICT (tenant_id, signal) DO UPDATE SET last_at = greatest(s.last_at, excluded.last_at), items = s.items + excluded.items`,
      [tenant, signal, at, items],
    );
  }
  for (const { reason, count, message, resource, lastAtMs } of refusals.values()) {
    await sql.query(
      `INSERT INTO otlp_refusals AS r (tenant_id, day, reason, count, last_at, message, resource) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (tenant_id, day, reason) DO UPDATE SET count = r.count + excluded.count, last_at = excluded.last_at,
         message = excluded.message, resource = coalesce(excluded.resource, r.resource)`,
      [tenant, dayOf(lastAtMs), reason, count, new Date(lastAtMs), message, resource ? JSON.stringify(resource) : null],
    );
  }
  await sql.query(`DELETE FROM otlp_token_days WHERE day < current_date - ${KEPT_DAYS}`);
  await sql.query(`DELETE FROM otlp_refusals WHERE day < current_date - ${KEPT_DAYS}`);
}

export interface SignalRow {
  signal: Signal;
  first_at: Date;
  last_at: Date;
  items: string;
}

export async function readSignals(sql: TenantSql): Promise<SignalRow[]> {
  return (await sql.query<SignalRow>('SELECT signal, first_at, last_at, items FROM otlp_signals')).rows;
}

export interface RefusalRow {
  reason: string;
  count: string;
  last_at: Date;
  message: string;
  resource: Record<string, string> | null;
}

/** By reason over the last `days`, the newest first; message and resource are those of the newest day that has them. */
export async function readRefusals(sql: TenantSql, days: number): Promise<RefusalRow[]> {
  const { rows } = await sql.query<RefusalRow>(
    `SELECT reason, sum(count)::text AS count, max(last_at) AS last_at, (array_agg(message ORDER BY day DESC))[1] AS message,
            (array_agg(resource ORDER BY day DESC) FILTER (WHERE resource IS NOT NULL))[1] AS resource
     FROM otlp_refusals WHERE day > current_date - $1::int GROUP BY reason ORDER BY max(last_at) DESC LIMIT 100`,
    [days],
  );
  return rows;
}
