import type { CreateRunnerToken, RunnerToken } from '@svc/contracts/tests/runner-api';
import { RUNNER_TOKEN_TEXT } from '@svc/contracts/tests/runner-protocol';
import { uuidv7 } from 'uuidv7';
import { randomToken, sha256 } from '#crypto';
import { AppError, type AuditEntry, actorOf, type Ctx, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { RunnersDeps } from './context.ts';

/** Of a tenant: living ones, and dead ones that are kept to be listed. */
const MAX_LIVING = 1000;
const MAX_DEAD = 1000;
interface TokenRow {
  id: string;
  name: string | null;
  labels: Record<string, string>;
  site: string | null;
  uses: number;
  used: number;
  expires_at: Date;
  created_at: Date;
  created_by: string;
  revoked_at: Date | null;
}
const COLUMNS = 'id, name, labels, site, uses, used, expires_at, created_at, created_by, revoked_at';

function stateOf(row: TokenRow, nowMs: number): RunnerToken['state'] {
  if (row.revoked_at) return 'revoked';
  if (row.used >= row.uses) return 'used_up';
  return row.expires_at.getTime() <= nowMs ? 'expired' : 'valid';
}

/** Tokens as people read them. */
export async function presentTokens(
  { nameActors, clock }: Pick<RunnersDeps, 'nameActors' | 'clock'>,
  tenant: TenantId,
  rows: readonly TokenRow[],
): Promise<RunnerToken[]> {
  const names = await nameActors(tenant, [...new Set(rows.map((row) => row.created_by))]);
  return rows.map(({ revoked_at, ...row }) => ({
    ...row,
    state: stateOf({ ...row, revoked_at }, clock.now()),
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
    created_by: { id: row.created_by, name: names.get(row.created_by) ?? null },
  }));
}

/** Makes room among those that ended; AppError `conflict` from 1,000 living ones on. */
async function demandRoom(sql: TenantSql, nowMs: number): Promise<void> {
  // Minting takes turns within a tenant, so that two at once cannot pass the bound together.
  await sql.query("SELECT pg_advisory_xact_lock(hashtextextended('runner-tokens/' || current_setting('app.tenant_id'), 0))");
  const { rows } = await sql.query<{ id: string }>(
    `SELECT id FROM runner_tokens WHERE revoked_at IS NOT NULL OR used >= uses OR expires_at <= $1
     ORDER BY created_at DESC OFFSET ${MAX_DEAD}`,
    [new Date(nowMs)],
  );
  if (rows.length > 0) {
    const ids = rows.map(({ id }) => id);
    await sql.query('DELETE FROM runner_tokens WHERE id = ANY ($1::uuid[])', [ids]);
    await sql.query('SELECT directory_remove_runner_token(id) FROM unnest($1::uuid[]) AS id', [ids]);
  }
  const counted = await sql.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM runner_tokens WHERE revoked_at IS NULL AND used < uses AND expires_at > $1',
    [new Date(nowMs)],
  );
  if ((counted.rows[0]?.n ?? 0) >= MAX_LIVING)
    throw new AppError('conflict', `A tenant has at most ${MAX_LIVING} valid tokens for runners. Revoke some first.`);
}

type TokenDeps = Pick<RunnersDeps, 'relational' | 'appendAudit' | 'clock' | 'pin'>;

/** What to run in a checkout on the other machine: the first command enrols it, the second one runs its tests. */
export const canaryCommand = (serverUrl: string, token: string): string =>
  `npm run svc -- canary enroll --server ${serverUrl} --token ${token}\nnpm run svc -- canary run`;

/** Mints a token that enrols runners; its text is given this once, only its hash is kept. */
export async function mintRunnerToken(
  { relational, appendAudit, clock, pin }: TokenDeps,
  owner: { tenant: TenantId; actor: AuditEntry['actor'] },
  input: CreateRunnerToken,
): Promise<{ token: string; kept: TokenRow }> {
  const secret = randomToken();
  const id = uuidv7();
  const nowMs = clock.now();
  const expiresAt = new Date(nowMs + input.expires_in_hours * 3_600_000);
  const row = await relational.withTenantSql(owner.tenant, async (sql) => {
    await demandRoom(sql, nowMs);
    const { rows } = await sql.query<TokenRow>(
      `INSERT INTO runner_tokens (tenant_id, id, name, labels, site, uses, expires_at, created_at, created_by)
       VALUES (current_setting('app.tenant_id'), $1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${COLUMNS}`,
      [
        ...[id, input.name ?? null, JSON.stringify(input.labels), input.site ?? null, input.uses, expiresAt],
        ...[new Date(nowMs), owner.actor.id],
      ],
    );
    await sql.query('SELECT directory_add_runner_token($1, $2)', [sha256(secret), id]);
    const detail = { uses: input.uses, expires_at: expiresAt.toISOString() };
    await appendAudit(sql, { actor: owner.actor, action: 'runner_token.create', object: { type: 'runner_token', id }, detail });
    return rows[0];
  });
  if (!row) throw new AppError('internal', 'The token was not kept.');
  return { token: `svc_run_${secret}${pin ? `.${pin}` : ''}`, kept: row };
}

export async function listRunnerTokens(
  deps: TokenDeps & Pick<RunnersDeps, 'nameActors'>,
  ctx: Ctx,
): Promise<{ items: RunnerToken[] }> {
  const text = `SELECT ${COLUMNS} FROM runner_tokens ORDER BY created_at DESC, id DESC LIMIT 1000`;
  const { tenant } = ctx.principal;
  const { rows } = await deps.relational.withTenantSql(tenant, (sql) => sql.query<TokenRow>(text));
  return { items: await presentTokens(deps, tenant, rows) };
}

/** Takes a token back at once; `not_found` for one that this tenant does not have. Doing it twice changes nothing. */
export async function revokeRunnerToken(
  { relational, appendAudit, clock }: TokenDeps,
  ctx: Ctx,
  { id }: { id: string },
): Promise<{ changed: number }> {
  return await relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    const found = await sql.query<{ revoked_at: Date | null }>('SELECT revoked_at FROM runner_tokens WHERE id = $1 FOR UPDATE', [
      id,
    ]);
    if (!found.rows[0]) throw new AppError('not_found', 'There is no such token.');
    if (found.rows[0].revoked_at) return { changed: 0 };
    await sql.query('UPDATE runner_tokens SET revoked_at = $2 WHERE id = $1', [id, new Date(clock.now())]);
    await appendAudit(sql, {
      actor: actorOf(ctx.principal),
      action: 'runner_token.revoke',
      object: { type: 'runner_token', id },
    });
    return { changed: 1 };
  });
}

/** The tenant of a printed token; `unauthorized` for a text that is none or that nobody minted. */
export async function findTokenTenant(
  { relational }: Pick<TokenDeps, 'relational'>,
  text: string,
): Promise<{ tenant: TenantId; tokenId: string }> {
  const secret = RUNNER_TOKEN_TEXT.exec(text)?.[1];
  if (secret !== undefined) {
    const args = [sha256(secret)];
    const [row] = await relational.directory<{ tenant_id: TenantId; token_id: string }>('find_runner_token', args);
    if (row) return { tenant: row.tenant_id, tokenId: row.token_id };
  }
  throw new AppError('unauthorized', 'The token is not valid. A runner needs one of its own kind, which begins with svc_run_.');
}

/** Takes one use, inside the enrolment's transaction; a runner that this very token enrolled before takes none. */
export async function redeemRunnerToken(
  sql: TenantSql,
  token: { id: string; repeated: boolean },
  nowMs: number,
): Promise<{ name: string | null; labels: Record<string, string>; site: string | null }> {
  const row = (await sql.query<TokenRow>(`SELECT ${COLUMNS} FROM runner_tokens WHERE id = $1 FOR UPDATE`, [token.id])).rows[0];
  if (!row) throw new AppError('unauthorized', 'The token is not valid.');
  if (row.revoked_at) throw new AppError('unauthorized', 'The token was revoked. Ask for a new one.');
  if (row.expires_at.getTime() <= nowMs) throw new AppError('unauthorized', 'The token has expired. Ask for a new one.');
  if (row.used >= row.uses && !token.repeated) throw new AppError('unauthorized', 'The token was used up. Ask for a new one.');
  await sql.query('UPDATE runner_tokens SET used = used + $2, last_used_at = $3 WHERE id = $1', [
    ...[row.id, token.repeated ? 0 : 1, new Date(nowMs)],
  ]);
  return row;
}
