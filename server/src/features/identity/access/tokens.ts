import type { Role } from '@svc/contracts/permissions';
import { uuidv7 } from 'uuidv7';
import { AppError, type AuditEntry, type Clock, type TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import type { AppendAudit } from '../people/members.ts';
import { hashSecret, newSecret } from '../secrets.ts';

export const TOKEN_PREFIX = 'svc_pat_';
const MAX_LIVE_TOKENS = 1000;

export interface TokenRow {
  id: string;
  name: string;
  roles: string[];
  created_by: string;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

export interface NewToken {
  name: string;
  roles: readonly Role[];
  /** Undefined never expires. */
  expiresAt: Date | undefined;
  actor: AuditEntry['actor'];
}

export interface TokenDeps {
  relational: Relational;
  appendAudit: AppendAudit;
  clock: Clock;
}

/** Makes an API token; its secret is in the answer and nowhere else. */
export async function mintToken(deps: TokenDeps, tenant: TenantId, wish: NewToken): Promise<{ id: string; secret: string }> {
  const id = uuidv7();
  const secret = newSecret(TOKEN_PREFIX);
  const now = new Date(deps.clock.now());
  await deps.relational.withTenantSql(tenant, async (sql) => {
    const { rows } = await sql.query<{ n: string }>('SELECT count(*) AS n FROM api_tokens WHERE revoked_at IS NULL');
    if (Number(rows[0]?.n ?? 0) >= MAX_LIVE_TOKENS) {
      throw new AppError('conflict', `A tenant has at most ${MAX_LIVE_TOKENS} tokens. Revoke one first.`);
    }
    await sql.query(
      `INSERT INTO api_tokens (tenant_id, id, name, roles, created_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [tenant, id, wish.name, wish.roles, wish.actor.id, now, wish.expiresAt ?? null],
    );
    await sql.query("SELECT * FROM directory_add_credential($1, 'api_token', $2)", [hashSecret(secret), id]);
    await deps.appendAudit(sql, {
      actor: wish.actor,
      action: 'api_token.mint',
      object: { type: 'api_token', id },
      detail: { roles: wish.roles.join(' '), ...(wish.expiresAt ? { expires_at: wish.expiresAt.toISOString() } : {}) },
    });
  });
  return { id, secret };
}

export async function listTokens(sql: TenantSql, after: string | undefined, limit: number): Promise<TokenRow[]> {
  const { rows } = await sql.query<TokenRow>(
    `SELECT id, name, roles, created_by, created_at, expires_at, revoked_at, last_used_at FROM api_tokens
     WHERE $1::uuid IS NULL OR id < $1::uuid ORDER BY id DESC LIMIT $2`,
    [after ?? null, limit],
  );
  return rows;
}

/** Revoked for good, from the next request on; revoking twice changes nothing. */
export async function revokeToken(
  deps: TokenDeps,
  tenant: TenantId,
  wish: { id: string; actor: AuditEntry['actor'] },
): Promise<void> {
  const now = new Date(deps.clock.now());
  await deps.relational.withTenantSql(tenant, async (sql) => {
    const { rows } = await sql.query<{ was_live: boolean }>(
      `UPDATE api_tokens t SET revoked_at = coalesce(t.revoked_at, $2) FROM api_tokens old
       WHERE t.id = $1 AND old.tenant_id = t.tenant_id AND old.id = t.id RETURNING old.revoked_at IS NULL AS was_live`,
      [wish.id, now],
    );
    const row = rows[0];
    if (!row) throw new AppError('not_found', 'There is no such token.');
    if (row.was_live) {
      await deps.appendAudit(sql, { actor: wish.actor, action: 'api_token.revoke', object: { type: 'api_token', id: wish.id } });
    }
  });
}

/** The token as it may be used now; undefined when unknown, expired or revoked. */
export async function findToken(
  relational: Pick<Relational, 'directory'>,
  secret: string,
  now: Date,
): Promise<{ tenant_id: string; id: string; roles: string[] } | undefined> {
  return (
    await relational.directory<{ tenant_id: string; id: string; roles: string[] }>('find_api_token', [hashSecret(secret), now])
  )[0];
}

/** Roles of a token that may be used now; undefined for any other. */
export async function findTokenRoles(sql: TenantSql, id: string, now: Date): Promise<readonly string[] | undefined> {
  const { rows } = await sql.query<{ roles: string[] }>(
    'SELECT roles FROM api_tokens WHERE id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)',
    [id, now],
  );
  return rows[0]?.roles;
}

/** Names of the tenant's tokens among these ids; ids that are no UUID are nobody's. */
export async function nameTokens(sql: TenantSql, ids: readonly string[]): Promise<[string, string][]> {
  const { rows } = await sql.query<{ id: string; name: string }>('SELECT id, name FROM api_tokens WHERE id::text = ANY ($1)', [
    ids,
  ]);
  return rows.map(({ id, name }) => [id, name]);
}
