import { uuidv7 } from 'uuidv7';
import { randomToken, sha256 } from '#crypto';
import { AppError, type AuditEntry, type Clock, type TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';

export const TOKEN_PREFIX = 'svc_otlp_';
const MAX_LIVE_TOKENS = 1000;
/** Ended tokens of a tenant at most: every process holds them for a month, to tell a sender what became of its own. */
const MAX_ENDED_TOKENS = 1000;

export interface TokenRow {
  id: string;
  name: string;
  configured: boolean;
  created_by: string;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  /** Bytes of today and of the last 30 days, after decompression; text, as PostgreSQL gives a bigint. */
  bytes_today: string;
  bytes_30_days: string;
}

export interface TokenDeps {
  relational: Relational;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  clock: Clock;
}

export interface NewToken {
  name: string;
  /** Undefined never expires. */
  expiresAt: Date | undefined;
  actor: AuditEntry['actor'];
}

/** Makes a token; it is in the answer and nowhere else. */
export async function mintToken(deps: TokenDeps, tenant: TenantId, wish: NewToken): Promise<{ id: string; token: string }> {
  const id = uuidv7();
  const token = `${TOKEN_PREFIX}${randomToken(32)}`;
  const now = new Date(deps.clock.now());
  await deps.relational.withTenantSql(tenant, async (sql) => {
    const { rows } = await sql.query<{ n: string }>(
      'SELECT count(*) AS n FROM otlp_tokens WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1)',
      [now],
    );
    if (Number(rows[0]?.n ?? 0) >= MAX_LIVE_TOKENS)
      throw new AppError('conflict', `A tenant has at most ${MAX_LIVE_TOKENS} OTLP tokens. Revoke one first.`);
    await sql.query(
      `DELETE FROM otlp_tokens WHERE id IN (SELECT id FROM otlp_tokens
         WHERE NOT configured AND (revoked_at IS NOT NULL OR expires_at <= $1) ORDER BY id DESC LIMIT ${MAX_ENDED_TOKENS} OFFSET ${MAX_ENDED_TOKENS})`,
      [now],
    );
    await sql.query(
      `INSERT INTO otlp_tokens (tenant_id, id, name, token_hash, created_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [tenant, id, wish.name, sha256(token), wish.actor.id, now, wish.expiresAt ?? null],
    );
    await deps.appendAudit(sql, {
      actor: wish.actor,
      action: 'otlp_token.mint',
      object: { type: 'otlp_token', id },
      detail: wish.expiresAt ? { expires_at: wish.expiresAt.toISOString() } : {},
    });
  });
  return { id, token };
}

/** Revoked for good; revoking twice changes nothing. */
export async function revokeToken(
  deps: TokenDeps,
  tenant: TenantId,
  wish: { id: string; actor: AuditEntry['actor'] },
): Promise<void> {
  await deps.relational.withTenantSql(tenant, async (sql) => {
    const { rows } = await sql.query<{ was_live: boolean }>(
      `UPDATE otlp_tokens t SET revoked_at = coalesce(t.revoked_at, $2) FROM otlp_tokens old
       WHERE t.id = $1 AND old.tenant_id = t.tenant_id AND old.id = t.id RETURNING old.revoked_at IS NULL AS was_live`,
      [wish.id, new Date(deps.clock.now())],
    );
    const row = rows[0];
    if (!row) throw new AppError('not_found', 'There is no such OTLP token.');
    if (row.was_live)
      await deps.appendAudit(sql, {
        actor: wish.actor,
        action: 'otlp_token.revoke',
        object: { type: 'otlp_token', id: wish.id },
      });
  });
}

export async function listTokens(
  sql: TenantSql,
  page: { after: string | undefined; limit: number; today: string },
): Promise<TokenRow[]> {
  const { rows } = await sql.query<TokenRow>(
    `SELECT t.id, t.name, t.configured, t.created_by, t.created_at, t.expires_at, t.revoked_at, t.last_used_at,
            coalesce(d.today, 0)::text AS bytes_today, coalesce(d.month, 0)::text AS bytes_30_days
     FROM otlp_tokens t LEFT JOIN LATERAL (
       SELECT sum(bytes) FILTER (WHERE day = $3::date) AS today, sum(bytes) AS month FROM otlp_token_days
       WHERE tenant_id = t.tenant_id AND token_id = t.id AND day > $3::date - 30) d ON true
     WHERE $1::uuid IS NULL OR t.id < $1::uuid ORDER BY t.id DESC LIMIT $2`,
    [page.after ?? null, page.limit, page.today],
  );
  return rows;
}

/** Names of these tokens; ids of anything else are left out. */
export async function nameTokens(sql: TenantSql, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const text = 'SELECT id::text, name FROM otlp_tokens WHERE id::text = ANY ($1)';
  const { rows } = await sql.query<{ id: string; name: string }>(text, [ids]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Whether the tenant ever had a token. */
export async function hasTokens(sql: TenantSql): Promise<boolean> {
  return ((await sql.query('SELECT 1 FROM otlp_tokens LIMIT 1')).rowCount ?? 0) > 0;
}

/** Gives a token of the configuration its row, once for all replicas, so that it is listed, counted and revoked like the others. */
export async function keepConfigured(
  sql: TenantSql,
  tenant: TenantId,
  { token, now }: { token: string; now: Date },
): Promise<void> {
  await sql.query(
    `INSERT INTO otlp_tokens (tenant_id, id, name, token_hash, configured, created_by, created_at)
     VALUES ($1, $2, 'SVC_OTLP_TOKENS', $3, true, 'configuration', $4) ON CONFLICT (tenant_id, token_hash) DO NOTHING`,
    [tenant, uuidv7(), sha256(token), now],
  );
}
