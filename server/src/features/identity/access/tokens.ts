import type { Permission, Role } from '@svc/contracts/permissions';
import { uuidv7 } from 'uuidv7';
import { AppError, type AuditEntry, type Clock, type TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import { permissionsOf } from '../domain/roles.ts';
import type { AppendAudit } from '../people/members.ts';
import { hashSecret, newSecret } from '../secrets.ts';

export const TOKEN_PREFIX = 'svc_pat_';
const MAX_LIVE_TOKENS = 1000;
/** Owner of what the operator of the server made: no person's roles cap it. */
const NO_PERSON = 'system';

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

/**
 * Whom a token minted by this actor acts for; a token mints for its own owner. The person is kept a member until the transaction ends, so
 * that nothing is minted beside a removal; AppError `forbidden` for somebody who is no member any more.
 */
async function findOwner(sql: TenantSql, actor: AuditEntry['actor']): Promise<string> {
  if (actor.kind === 'system') return NO_PERSON;
  const owner = actor.kind === 'account' ? actor.id : await ownerOfToken(sql, actor.id);
  if (owner === NO_PERSON) return owner;
  const { rowCount } = await sql.query('SELECT 1 FROM members WHERE account_id = $1 FOR SHARE', [owner ?? '']);
  if (owner === undefined || rowCount === 0) throw new AppError('forbidden', 'You are not a member of this tenant.');
  return owner;
}

async function ownerOfToken(sql: TenantSql, id: string): Promise<string | undefined> {
  const text = 'SELECT identity_token_owner(acts_for, created_by) AS owner FROM api_tokens WHERE id = $1';
  return (await sql.query<{ owner: string }>(text, [id])).rows[0]?.owner;
}

/** Makes an API token; its secret is in the answer and nowhere else. */
export async function mintToken(deps: TokenDeps, tenant: TenantId, wish: NewToken): Promise<{ id: string; secret: string }> {
  const id = uuidv7();
  const secret = newSecret(TOKEN_PREFIX);
  const now = new Date(deps.clock.now());
  await deps.relational.withTenantSql(tenant, async (sql) => {
    const { rows } = await sql.query<{ n: string }>(
      'SELECT count(*) AS n FROM api_tokens WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1)',
      [now],
    );
    if (Number(rows[0]?.n ?? 0) >= MAX_LIVE_TOKENS) {
      throw new AppError('conflict', `A tenant has at most ${MAX_LIVE_TOKENS} tokens. Revoke one first.`);
    }
    await sql.query(
      `INSERT INTO api_tokens (tenant_id, id, name, roles, created_by, created_at, expires_at, acts_for)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [tenant, id, wish.name, wish.roles, wish.actor.id, now, wish.expiresAt ?? null, await findOwner(sql, wish.actor)],
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
  await deps.relational.withSystemSql(tenant, async (sql) => {
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

/** Revokes what acts for a person who leaves the tenant, in that transaction; every token has its entry in the trail. */
export async function revokeTokensOf(
  { sql, appendAudit }: { sql: TenantSql; appendAudit: AppendAudit },
  owner: string,
  { actor, now }: { actor: AuditEntry['actor']; now: Date },
): Promise<void> {
  const { rows } = await sql.query<{ id: string }>(
    `UPDATE api_tokens SET revoked_at = $2
     WHERE revoked_at IS NULL AND identity_token_owner(acts_for, created_by) = $1 RETURNING id`,
    [owner, now],
  );
  for (const { id } of rows)
    await appendAudit(sql, { actor, action: 'api_token.revoke', object: { type: 'api_token', id }, detail: { with: owner } });
}

/** What a token may do: its own roles, and no more than those of the person it acts for; null where there is no such person. */
export interface TokenStanding {
  roles: string[];
  owner: string;
  owner_roles: string[] | null;
}

export function permissionsOfToken({ roles, owner_roles }: TokenStanding): ReadonlySet<Permission> {
  const own = permissionsOf(roles);
  if (owner_roles === null) return own;
  const cap = permissionsOf(owner_roles);
  return new Set([...own].filter((permission) => cap.has(permission)));
}

/** The token as it may be used now; undefined when unknown, expired or revoked, or when its person is no member. */
export async function findToken(
  relational: Pick<Relational, 'directory'>,
  secret: string,
  now: Date,
): Promise<(TokenStanding & { tenant_id: string; id: string }) | undefined> {
  type Row = TokenStanding & { tenant_id: string; id: string };
  return (await relational.directory<Row>('authorise_api_token', [hashSecret(secret), now]))[0];
}

/** The same by its id, in a transaction of its tenant. */
export async function findTokenStanding(sql: TenantSql, id: string, now: Date): Promise<TokenStanding | undefined> {
  const { rows } = await sql.query<TokenStanding>(
    `SELECT t.roles, t.owner, m.roles || m.group_roles AS owner_roles
     FROM (SELECT roles, identity_token_owner(acts_for, created_by) AS owner FROM api_tokens
           WHERE id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)) t
     LEFT JOIN members m ON m.account_id = t.owner WHERE t.owner = $3 OR m.account_id IS NOT NULL`,
    [id, now, NO_PERSON],
  );
  return rows[0];
}

/** Names of the tenant's tokens among these ids; ids that are no UUID are nobody's. */
export async function nameTokens(sql: TenantSql, ids: readonly string[]): Promise<[string, string][]> {
  const { rows } = await sql.query<{ id: string; name: string }>('SELECT id, name FROM api_tokens WHERE id::text = ANY ($1)', [
    ids,
  ]);
  return rows.map(({ id, name }) => [id, name]);
}
