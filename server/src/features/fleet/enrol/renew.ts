import { type IdentityAnswer, type RenewRequest, renewPayload } from '@svc/contracts/agent/protocol';
import { verifyAgentSignature } from '#crypto';
import { AppError, isTenantId, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { FleetContext } from '../context.ts';
import { answerWithIdentity, refuseOutsideWindow } from './enrol.ts';

const CLOCK_WINDOW_MS = 5 * 60_000;

interface EnrolledKey {
  public_key: Buffer;
  revoked_at: Date | null;
  retired_at: Date | null;
}

function refuseBadSignature(request: RenewRequest, publicKey: Buffer): void {
  const proven = verifyAgentSignature(publicKey, renewPayload(request), Buffer.from(request.signature, 'base64'));
  if (!proven) throw new AppError('unauthorized', 'The request is not signed by the enrolled key.');
}

async function readKey(sql: TenantSql, agentId: string): Promise<EnrolledKey> {
  const { rows } = await sql.query<EnrolledKey>(
    'SELECT public_key, revoked_at, retired_at FROM agents WHERE id = $1 FOR UPDATE',
    [agentId],
  );
  const row = rows[0];
  if (!row) throw new AppError('not_found', 'This agent is unknown here. Enrol it.');
  return row;
}

/** Takes a nonce once; entries that the clock window refuses anyway are dropped on the way. */
async function takeNonce(sql: TenantSql, request: RenewRequest, nowMs: number): Promise<void> {
  await sql.query('DELETE FROM agent_renewals WHERE agent_id = $1 AND seen_at < $2', [
    request.agent_id,
    new Date(nowMs - 3 * CLOCK_WINDOW_MS),
  ]);
  const { rowCount } = await sql.query(
    `INSERT INTO agent_renewals (tenant_id, agent_id, nonce, seen_at) VALUES (current_setting('app.tenant_id'), $1, $2, $3)
     ON CONFLICT DO NOTHING`,
    [request.agent_id, request.nonce, new Date(nowMs)],
  );
  if (rowCount === 0) throw new AppError('conflict', 'This renewal was already used. Sign a new one.');
}

function readTenant(request: RenewRequest): TenantId {
  if (isTenantId(request.tenant_id)) return request.tenant_id;
  throw new AppError('not_found', 'This agent is unknown here. Enrol it.');
}

/**
 * A new leaf for the enrolled key, however long ago the old one expired. Ends with `unauthorized` for a signature of another key,
 * `bad_request` when the device's clock is more than five minutes off, `conflict` for a replay, `forbidden` when revoked or retired,
 * `not_found` for an agent that is not known, `upgrade_required` outside the version window.
 */
export async function renewAgent(context: FleetContext, request: RenewRequest, digest: Buffer): Promise<IdentityAnswer> {
  const tenant = readTenant(request);
  const nowMs = context.clock.now();
  const publicKey = await context.relational.withTenantSql(tenant, async (sql) => {
    const key = await readKey(sql, request.agent_id);
    refuseBadSignature(request, key.public_key);
    if (Math.abs(Date.parse(request.issued_at) - nowMs) > CLOCK_WINDOW_MS) {
      throw new AppError('bad_request', "The device's clock is more than five minutes off; see the Date header.");
    }
    if (key.revoked_at) throw new AppError('forbidden', 'This agent was revoked.');
    if (key.retired_at) throw new AppError('forbidden', 'This agent was retired.');
    refuseOutsideWindow(context, request.protocol);
    await takeNonce(sql, request, nowMs);
    await sql.query('UPDATE agents SET protocol = $2 WHERE id = $1', [request.agent_id, request.protocol]);
    return key.public_key;
  });
  const received = { kind: 'renew', digest } as const;
  return await answerWithIdentity(context, { tenant, agentId: request.agent_id }, { publicKey, received });
}
