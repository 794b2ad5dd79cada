import { ENROL_TOKEN } from '@svc/contracts/agent/version';
import { uuidv7 } from 'uuidv7';
import { randomToken, sha256 } from '#crypto';
import { AppError, type AuditEntry, actorOf, type Ctx, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { CreateEnrolToken, EnrolToken } from '../api.ts';
import type { FleetContext } from '../context.ts';
import { arePurgesDue, countTokens, MAX_LIVING, purgeTokens } from './purge-tokens.ts';

/** What a token gives to the agents that enrol with it. */
export interface RedeemedToken {
  id: string;
  site: string | null;
  owner: string | null;
}

interface TokenRow {
  id: string;
  label: string | null;
  site: string | null;
  owner_email: string | null;
  uses: number;
  used: number;
  expires_at: Date;
  created_at: Date;
  created_by: string;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

const COLUMNS = 'id, label, site, owner_email, uses, used, expires_at, created_at, created_by, last_used_at, revoked_at';
const MAX_LISTED = 1000;

const hashOf = (secret: string): Buffer => sha256(secret);

const stateOf = (row: TokenRow, nowMs: number): EnrolToken['state'] => {
  if (row.revoked_at) return 'revoked';
  if (row.used >= row.uses) return 'used_up';
  return row.expires_at.getTime() <= nowMs ? 'expired' : 'valid';
};

const toToken = (row: TokenRow, nowMs: number): EnrolToken => ({
  id: row.id,
  label: row.label,
  site: row.site,
  owner: row.owner_email,
  uses: row.uses,
  used: row.used,
  state: stateOf(row, nowMs),
  expires_at: row.expires_at.toISOString(),
  created_at: row.created_at.toISOString(),
  created_by: row.created_by,
  last_used_at: row.last_used_at?.toISOString() ?? null,
});

/** Mints a token; `conflict` from 10,000 living ones on. The text is given this once, only its hash is kept. */
export async function mintEnrolToken(
  context: FleetContext,
  owner: { tenant: TenantId; actor: AuditEntry['actor'] },
  input: CreateEnrolToken,
): Promise<{ token: string; kept: EnrolToken }> {
  const { relational, appendAudit, clock, pin } = context;
  const secret = randomToken();
  const id = uuidv7();
  const nowMs = clock.now();
  const expiresAt = new Date(nowMs + input.expires_in_hours * 3_600_000);
  const row = await relational.withTenantSql(owner.tenant, async (sql) => {
    const counted = await countTokens(sql, nowMs);
    if (counted.living >= MAX_LIVING)
      throw new AppError('conflict', `A tenant has at most ${MAX_LIVING} valid enrol tokens. Revoke some first.`);
    if (arePurgesDue(counted)) await purgeTokens(sql, nowMs);
    const { rows } = await sql.query<TokenRow>(
      `INSERT INTO enrol_tokens (tenant_id, id, label, site, owner_email, uses, expires_at, created_at, created_by)
       VALUES (current_setting('app.tenant_id'), $1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${COLUMNS}`,
      [id, input.label ?? null, input.site ?? null, input.owner ?? null, input.uses, expiresAt, new Date(nowMs), owner.actor.id],
    );
    await sql.query('SELECT directory_add_enrol_token($1, $2)', [hashOf(secret), id]);
    const detail = { uses: input.uses, expires_at: expiresAt.toISOString() };
    await appendAudit(sql, { actor: owner.actor, action: 'enrol_token.create', object: { type: 'enrol_token', id }, detail });
    return rows[0];
  });
  if (!row) throw new AppError('internal', 'The token was not kept.');
  return { token: `svc_enr_${secret}${pin ? `.${pin}` : ''}`, kept: toToken(row, nowMs) };
}

export async function listEnrolTokens({ relational, clock }: FleetContext, ctx: Ctx): Promise<{ items: EnrolToken[] }> {
  const rows = await relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    const text = `SELECT ${COLUMNS} FROM enrol_tokens ORDER BY created_at DESC, id DESC LIMIT ${MAX_LISTED}`;
    return (await sql.query<TokenRow>(text)).rows;
  });
  return { items: rows.map((row) => toToken(row, clock.now())) };
}

/** Takes a token back at once; `not_found` for one that this tenant does not have. Doing it twice changes nothing. */
export async function revokeEnrolToken(
  { relational, appendAudit, clock }: FleetContext,
  ctx: Ctx,
  input: { id: string },
): Promise<{ changed: number }> {
  return await relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    const { rows } = await sql.query<{ revoked_at: Date | null }>(
      'SELECT revoked_at FROM enrol_tokens WHERE id = $1 FOR UPDATE',
      [input.id],
    );
    if (!rows[0]) throw new AppError('not_found', 'There is no such enrol token.');
    if (rows[0].revoked_at) return { changed: 0 };
    await sql.query('UPDATE enrol_tokens SET revoked_at = $2 WHERE id = $1', [input.id, new Date(clock.now())]);
    const object = { type: 'enrol_token', id: input.id };
    await appendAudit(sql, { actor: actorOf(ctx.principal), action: 'enrol_token.revoke', object });
    return { changed: 1 };
  });
}

/** The tenant of a printed token; `unauthorized` for a text that is none or that nobody minted. */
export async function findTokenTenant(
  { relational }: FleetContext,
  text: string,
): Promise<{ tenant: TenantId; tokenId: string }> {
  const secret = ENROL_TOKEN.exec(text)?.[1];
  if (secret !== undefined) {
    const args = [hashOf(secret)];
    const [row] = await relational.directory<{ tenant_id: TenantId; token_id: string }>('find_enrol_token', args);
    if (row) return { tenant: row.tenant_id, tokenId: row.token_id };
  }
  throw new AppError('unauthorized', 'The enrol token is not valid.');
}

/**
 * Takes one use of a token, inside the enrolment's transaction. An agent that this very token enrolled before takes none, so that a
 * device whose answer was lost may ask again. `unauthorized` with the reason when the token is revoked, expired or used up.
 */
export async function redeemEnrolToken(
  sql: TenantSql,
  token: { id: string; repeated: boolean },
  nowMs: number,
): Promise<RedeemedToken> {
  const { rows } = await sql.query<TokenRow>(`SELECT ${COLUMNS} FROM enrol_tokens WHERE id = $1 FOR UPDATE`, [token.id]);
  const row = rows[0];
  if (!row) throw new AppError('unauthorized', 'The enrol token is not valid.');
  const state = stateOf(row, nowMs);
  const spent = state === 'used_up' && !token.repeated;
  if (state === 'revoked') throw new AppError('unauthorized', 'The enrol token was revoked. Ask for a new one.');
  if (row.expires_at.getTime() <= nowMs) throw new AppError('unauthorized', 'The enrol token has expired. Ask for a new one.');
  if (spent) throw new AppError('unauthorized', 'The enrol token was used up. Ask for a new one.');
  const taken = token.repeated ? 0 : 1;
  await sql.query('UPDATE enrol_tokens SET used = used + $2, last_used_at = $3 WHERE id = $1', [row.id, taken, new Date(nowMs)]);
  return { id: row.id, site: row.site, owner: row.owner_email };
}
