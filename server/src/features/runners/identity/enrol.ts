import { AGENT_PROTOCOL } from '@svc/contracts/agent/version';
import {
  type EnrollRunner,
  type RenewRunner,
  type RunnerIdentityAnswer,
  renewRunnerPayload,
} from '@svc/contracts/tests/runner-protocol';
import { Labels } from '@svc/contracts/tests/test';
import { uuidv7 } from 'uuidv7';
import { readCsr, sha256, verifyAgentSignature } from '#crypto';
import { AppError, isTenantId, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import { notifyRunners } from '../change.ts';
import type { RunnersDeps } from '../context.ts';
import { findTokenTenant, redeemRunnerToken } from '../tokens.ts';

/** Runners of one tenant at most (docs/limits.md). */
const MAX_RUNNERS = 500;
const CLOCK_WINDOW_MS = 5 * 60_000;

function refuseOutsideWindow({ protocol: own = AGENT_PROTOCOL }: RunnersDeps, protocol: number): void {
  if (Math.abs(protocol - own) <= 1) return;
  const older = protocol < own ? 'runner' : 'server';
  const versions = `Runner protocol ${protocol} does not work with server protocol ${own}`;
  throw new AppError('upgrade_required', `${versions}: update the ${older}.`);
}

interface Known {
  id: string;
  token_id: string | null;
  revoked_at: Date | null;
}

async function findByKey(sql: TenantSql, keyHash: Buffer): Promise<Known | undefined> {
  const known = (await sql.query<Known>('SELECT id, token_id, revoked_at FROM runners WHERE key_hash = $1 FOR UPDATE', [keyHash]))
    .rows[0];
  if (known?.revoked_at) throw new AppError('forbidden', 'This runner was removed. Its key cannot enrol again.');
  if (known) return known;
  const { rows } = await sql.query<{ n: number }>('SELECT count(*)::int AS n FROM runners WHERE revoked_at IS NULL');
  if ((rows[0]?.n ?? 0) >= MAX_RUNNERS) throw new AppError('conflict', `A tenant has at most ${MAX_RUNNERS} runners.`);
  return undefined;
}

// What a person said later in the console stays.
const UPSERT = `INSERT INTO runners AS r (tenant_id, id, key_hash, public_key, name, labels, site, version, protocol, token_id, enrolled_at, cert_not_after)
  VALUES (current_setting('app.tenant_id'), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
  ON CONFLICT (tenant_id, key_hash) DO UPDATE SET version = excluded.version, protocol = excluded.protocol, token_id = excluded.token_id,
    upgrade_required = false
  WHERE r.revoked_at IS NULL RETURNING r.id`;

interface Enrolment {
  request: EnrollRunner;
  tokenId: string;
  publicKey: Buffer;
}

async function storeRunner(deps: RunnersDeps, sql: TenantSql, { request, tokenId, publicKey }: Enrolment): Promise<string> {
  const nowMs = deps.clock.now();
  const keyHash = sha256(publicKey);
  // Enrolling takes turns within a tenant, so that two at once cannot pass the bound together.
  await sql.query("SELECT pg_advisory_xact_lock(hashtextextended('runners/' || current_setting('app.tenant_id'), 0))");
  const known = await findByKey(sql, keyHash);
  const token = await redeemRunnerToken(sql, { id: tokenId, repeated: known?.token_id === tokenId }, nowMs);
  // The token's last: tests and their secrets go by label, and whoever made the token chose which.
  const labels = Labels.safeParse({ ...request.labels, ...token.labels });
  if (!labels.success)
    throw new AppError('validation', 'The labels are not valid.', {
      faults: [{ path: 'labels', message: 'See the documentation.' }],
    });
  const id = known?.id ?? uuidv7();
  const name = request.name ?? token.name ?? `runner ${id.slice(-6)}`;
  const { rows } = await sql.query<{ id: string }>(UPSERT, [
    ...[id, keyHash, publicKey, name, JSON.stringify(labels.data), token.site],
    ...[request.version, request.protocol, tokenId, new Date(nowMs)],
  ]);
  if (!rows[0]) throw new AppError('forbidden', 'This runner was removed. Its key cannot enrol again.');
  await deps.appendAudit(sql, {
    actor: { kind: 'agent', id },
    action: 'runner.enrol',
    object: { type: 'runner_token', id: tokenId },
    detail: { again: known !== undefined },
  });
  await notifyRunners(sql);
  return rows[0].id;
}

type Named = { tenant: TenantId; runnerId: string };

async function answerWithIdentity(deps: RunnersDeps, runner: Named, publicKey: Buffer): Promise<RunnerIdentityAnswer> {
  const issued = await deps.authority.issue(runner, publicKey);
  await deps.relational.withTenantSql(runner.tenant, async (sql) => {
    await sql.query('UPDATE runners SET cert_not_after = $2 WHERE id = $1', [runner.runnerId, new Date(issued.notAfterMs)]);
  });
  return {
    runner_id: runner.runnerId,
    tenant_id: runner.tenant,
    chain: issued.chain,
    grpc_ca: deps.grpcCa,
    grpc_addr: deps.grpcAddr,
    not_after: new Date(issued.notAfterMs).toISOString(),
  };
}

/**
 * Enrols a runner by a token of its kind: same key, same id. Ends with `unauthorized` for a token that is wrong, used up, expired or revoked,
 * `forbidden` for a removed runner, `upgrade_required` outside the version window, `validation` for a bad certificate request.
 */
export async function enrolRunner(deps: RunnersDeps, request: EnrollRunner): Promise<RunnerIdentityAnswer> {
  const { tenant, tokenId } = await findTokenTenant(deps, request.token);
  refuseOutsideWindow(deps, request.protocol);
  const publicKey = await readCsr(request.csr);
  const runnerId = await deps.relational.withTenantSql(tenant, (sql) => storeRunner(deps, sql, { request, tokenId, publicKey }));
  deps.log.info({ tenant, runner: runnerId, token: tokenId }, 'a runner enrolled');
  return await answerWithIdentity(deps, { tenant, runnerId }, publicKey);
}

async function takeNonce(sql: TenantSql, { runner_id, nonce }: RenewRunner, nowMs: number): Promise<void> {
  const old = new Date(nowMs - 3 * CLOCK_WINDOW_MS);
  await sql.query('DELETE FROM runner_renewals WHERE runner_id = $1 AND seen_at < $2', [runner_id, old]);
  const { rowCount } = await sql.query(
    `INSERT INTO runner_renewals (tenant_id, runner_id, nonce, seen_at) VALUES (current_setting('app.tenant_id'), $1, $2, $3)
     ON CONFLICT DO NOTHING`,
    [runner_id, nonce, new Date(nowMs)],
  );
  if (rowCount === 0) throw new AppError('conflict', 'This renewal was already used. Sign a new one.');
}

const unknownRunner = (): AppError => new AppError('not_found', 'This runner is unknown here. Enrol it.');

/**
 * A new leaf for the enrolled key, however long ago the old one expired. Ends with `unauthorized` for a signature of another key, `bad_request`
 * when the machine's clock is more than five minutes off, `conflict` for a replay, `forbidden` when removed, `not_found` for one that is not
 * known, `upgrade_required` outside the version window.
 */
export async function renewRunner(deps: RunnersDeps, request: RenewRunner): Promise<RunnerIdentityAnswer> {
  const { tenant_id: tenant, runner_id: runnerId } = request;
  if (!isTenantId(tenant)) throw unknownRunner();
  const nowMs = deps.clock.now();
  const publicKey = await deps.relational.withTenantSql(tenant, async (sql) => {
    const text = 'SELECT public_key, revoked_at FROM runners WHERE id = $1 FOR UPDATE';
    const row = (await sql.query<{ public_key: Buffer; revoked_at: Date | null }>(text, [runnerId])).rows[0];
    if (!row) throw unknownRunner();
    const signature = Buffer.from(request.signature, 'base64');
    if (!verifyAgentSignature(row.public_key, renewRunnerPayload(request), signature))
      throw new AppError('unauthorized', 'The request is not signed by the enrolled key.');
    if (Math.abs(Date.parse(request.issued_at) - nowMs) > CLOCK_WINDOW_MS)
      throw new AppError('bad_request', "The machine's clock is more than five minutes off; see the Date header.");
    if (row.revoked_at) throw new AppError('forbidden', 'This runner was removed.');
    refuseOutsideWindow(deps, request.protocol);
    await takeNonce(sql, request, nowMs);
    await sql.query('UPDATE runners SET protocol = $2, upgrade_required = false WHERE id = $1', [runnerId, request.protocol]);
    return row.public_key;
  });
  return await answerWithIdentity(deps, { tenant, runnerId }, publicKey);
}
