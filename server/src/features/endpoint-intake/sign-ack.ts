import type { BatchAck } from '@svc/contracts/agent/messages';
import { receiptText } from '@svc/contracts/agent/receipt';
import type { FastifyBaseLogger } from 'fastify';
import type { AgentIdentity, Clock, TenantId } from '#kernel';
import type { PublishBudget } from './publish-budget.ts';

export interface SignDeps {
  /** Signs at once by the key that the tenant's devices know. */
  receiptSigner: (tenant: TenantId) => Promise<(text: string) => Buffer>;
  budget: Pick<PublishBudget, 'tookLoop'>;
  clock: Clock;
  log: Pick<FastifyBaseLogger, 'warn'>;
}

/**
 * The acknowledgement with a receipt that the device can keep; without one where none can be signed: what is stored is acknowledged. What
 * signing takes of the event loop counts as the tenant's, as taking the batch in did. `digest`: SHA-256 of the batch, hex; undefined for one
 * without results, of which there is nothing to keep.
 */
export async function signAck(
  ack: BatchAck,
  { agent, digest }: { agent: AgentIdentity; digest: string | undefined },
  { receiptSigner, budget, clock, log }: SignDeps,
): Promise<BatchAck> {
  if (digest === undefined) return ack;
  const { tenant, agentId } = agent;
  const { sequence, accepted, rejected } = ack;
  try {
    const sign = await receiptSigner(tenant);
    const receivedAtMs = clock.now();
    const start = performance.now();
    try {
      const receipt = sign(receiptText({ tenant, agentId, sequence, sha256: digest, accepted, rejected, receivedAtMs }));
      return { ...ack, receipt, received_at_ms: receivedAtMs };
    } finally {
      budget.tookLoop(tenant, performance.now() - start);
    }
  } catch (error) {
    log.warn({ err: error, tenant }, 'a receipt could not be signed');
    return ack;
  }
}
