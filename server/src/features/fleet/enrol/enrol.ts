import { AGENT_PROTOCOL, type EnrollRequest, type IdentityAnswer } from '@svc/contracts/agent/protocol';
import { uuidv7 } from 'uuidv7';
import { readCsr, sha256 } from '#crypto';
import { AppError, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import { COPY_COLUMNS, type CopyRow, toCopy } from '../agent-rows.ts';
import type { FleetContext } from '../context.ts';
import { type Received, signReceipt } from '../message-receipts.ts';
import { ringOf } from '../policy/ring.ts';
import { findTokenTenant, redeemEnrolToken } from './enrol-tokens.ts';

/** Agents of one tenant at most (docs/contract/tenants-and-agents.md). */
const MAX_AGENTS = 100_000;

/** Refuses a protocol more than one version away, in the words that an agent shows its user. */
export function refuseOutsideWindow(context: FleetContext, protocol: number): void {
  const own = context.protocol ?? AGENT_PROTOCOL;
  if (Math.abs(protocol - own) <= 1) return;
  const older = protocol < own ? 'agent' : 'server';
  throw new AppError(
    'upgrade_required',
    `Agent protocol ${protocol} does not work with server protocol ${own}: update the ${older}.`,
  );
}

interface KnownAgent {
  id: string;
  enrol_token_id: string | null;
  revoked_at: Date | null;
}

async function findByKey(sql: TenantSql, keyHash: Buffer): Promise<KnownAgent | undefined> {
  const { rows } = await sql.query<KnownAgent>(
    'SELECT id, enrol_token_id, revoked_at FROM agents WHERE key_hash = $1 FOR UPDATE',
    [keyHash],
  );
  return rows[0];
}

async function refuseBeyondBound(sql: TenantSql): Promise<void> {
  // Stops counting at the bound, so that it costs the same however many there are beyond it.
  const { rows } = await sql.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM (SELECT 1 FROM agents WHERE revoked_at IS NULL AND retired_at IS NULL LIMIT ${MAX_AGENTS}) bounded`,
  );
  if ((rows[0]?.n ?? 0) >= MAX_AGENTS) throw new AppError('conflict', `A tenant has at most ${MAX_AGENTS} agents.`);
}

interface Enrolment {
  tenant: TenantId;
  tokenId: string;
  publicKey: Buffer;
  request: EnrollRequest;
}

// What the console or an earlier enrolment said stays; a device only fills gaps, and tells anew what it alone knows.
const UPSERT = `INSERT INTO agents AS a (tenant_id, id, key_hash, public_key, device_name, owner_email, site, os, os_version, arch, model,
    ring, protocol, agent_version, enrol_token_id, enrolled_at, cert_not_after)
  VALUES (current_setting('app.tenant_id'), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
  ON CONFLICT (tenant_id, key_hash) DO UPDATE SET
    device_name = excluded.device_name,
    owner_email = CASE WHEN a.owner_by_person THEN a.owner_email ELSE coalesce(a.owner_email, excluded.owner_email) END,
    site = CASE WHEN a.site_by_person THEN a.site ELSE coalesce(a.site, excluded.site) END,
    os = coalesce(excluded.os, a.os), os_version = coalesce(excluded.os_version, a.os_version),
    arch = coalesce(excluded.arch, a.arch), model = coalesce(excluded.model, a.model),
    protocol = excluded.protocol, agent_version = excluded.agent_version, enrol_token_id = excluded.enrol_token_id,
    state = 'running', retired_at = NULL, cert_not_after = excluded.cert_not_after
  WHERE a.revoked_at IS NULL
  RETURNING ${COPY_COLUMNS}`;

async function storeAgent(context: FleetContext, sql: TenantSql, enrolment: Enrolment): Promise<string> {
  const { request, publicKey, tokenId } = enrolment;
  const nowMs = context.clock.now();
  const keyHash = sha256(publicKey);
  const known = await findByKey(sql, keyHash);
  if (known?.revoked_at) throw new AppError('forbidden', 'This device was revoked. Its key cannot enrol again.');
  const token = await redeemEnrolToken(sql, { id: tokenId, repeated: known?.enrol_token_id === tokenId }, nowMs);
  if (!known) await refuseBeyondBound(sql);
  const id = known?.id ?? uuidv7();
  const { rows } = await sql.query<CopyRow>(UPSERT, [
    id,
    keyHash,
    publicKey,
    request.device_name ?? null,
    request.owner_email ?? token.owner,
    request.site ?? token.site,
    request.os ?? null,
    request.os_version ?? null,
    request.arch ?? null,
    request.model ?? null,
    ringOf(id),
    request.protocol,
    request.agent_version,
    tokenId,
    new Date(nowMs),
    new Date(nowMs),
  ]);
  const row = rows[0];
  if (!row) throw new AppError('forbidden', 'This device was revoked. Its key cannot enrol again.');
  await context.writeAgentCopies(sql, [toCopy(row)]);
  await context.appendAudit(sql, {
    actor: { kind: 'agent', id: row.id },
    action: 'agent.enrol',
    object: { type: 'enrol_token', id: tokenId },
    detail: { again: known !== undefined },
  });
  return row.id;
}

/** Issues a leaf for an agent that may have one, notes its end and gives the answer of enrolment and renewal. */
export async function answerWithIdentity(
  context: FleetContext,
  agent: { tenant: TenantId; agentId: string },
  { publicKey, received }: { publicKey: Buffer; received: Received },
): Promise<IdentityAnswer> {
  const issued = await context.authority.issue(agent, publicKey);
  await context.relational.withTenantSql(agent.tenant, async (sql) => {
    await sql.query('UPDATE agents SET cert_not_after = $2 WHERE id = $1', [agent.agentId, new Date(issued.notAfterMs)]);
  });
  const signed = await signReceipt(context, agent, received);
  return {
    agent_id: agent.agentId,
    tenant_id: agent.tenant,
    chain: issued.chain,
    grpc_ca: context.grpcCa,
    grpc_addr: context.grpcAddr,
    not_after: new Date(issued.notAfterMs).toISOString(),
    ring: ringOf(agent.agentId),
    ...(signed && { receipt: signed.receipt.toString('base64'), received_at_ms: signed.receivedAtMs }),
  };
}

/**
 * Enrols a device by a token: same key, same id. Ends with `unauthorized` for a token that is wrong, used up, expired or revoked,
 * `forbidden` for a revoked device, `upgrade_required` outside the version window, `validation` for a bad certificate request.
 */
export async function enrolAgent(context: FleetContext, request: EnrollRequest, digest: Buffer): Promise<IdentityAnswer> {
  const { tenant, tokenId } = await findTokenTenant(context, request.token);
  refuseOutsideWindow(context, request.protocol);
  const publicKey = await readCsr(request.csr);
  const enrolment: Enrolment = { tenant, tokenId, publicKey, request };
  const agentId = await context.relational.withTenantSql(tenant, async (sql) => await storeAgent(context, sql, enrolment));
  context.log.info({ tenant, agent: agentId, token: tokenId }, 'an agent enrolled');
  return await answerWithIdentity(context, { tenant, agentId }, { publicKey, received: { kind: 'enrol', digest } });
}
