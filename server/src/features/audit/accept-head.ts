import { AppError, type Clock, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import type { AppendAudit } from './append.ts';
import { findHeadFault } from './domain/known-head.ts';
import type { Heads } from './heads.ts';
import { readStanding } from './store.ts';
import { type VerifyDeps, verifyChain } from './verify.ts';

export interface AcceptDeps extends VerifyDeps {
  relational: Relational;
  heads: Heads;
  appendAudit: AppendAudit;
  clock: Clock;
}

/** What was remembered and what counts from now on. */
export interface AcceptedHead {
  remembered: bigint;
  accepted: bigint;
}

/**
 * Has this server believe the end that a tenant's chain has now, though it remembers a later or another one: after a restore from a backup.
 * Leaves an entry of its own. Undefined where nothing has to be accepted; `conflict` for a chain that is broken in itself.
 */
export async function acceptHead(deps: AcceptDeps, tenant: TenantId): Promise<AcceptedHead | undefined> {
  const { relational, heads, appendAudit, clock } = deps;
  const known = await heads.recall(tenant);
  if (!known) return undefined;
  const standing = await relational.withTenantSql(tenant, (sql) => readStanding(sql, tenant, known.seq));
  if (!findHeadFault(known, standing)) return undefined;
  const chain = await verifyChain({ ...deps, heads: undefined }, tenant, { maxEntries: Number.MAX_SAFE_INTEGER });
  if (chain.broken) throw new AppError('conflict', `The trail of ${tenant} is broken in itself. ${chain.broken.reason}`);
  const { seq, hash } = standing.head;
  await relational.withTenantSql(tenant, (sql) =>
    appendAudit(sql, {
      actor: { kind: 'system', id: 'cli' },
      action: 'audit.accept_head',
      detail: {
        accepted: seq.toString(),
        accepted_hash: hash.toString('hex'),
        remembered: known.seq.toString(),
        remembered_hash: known.hash.toString('hex'),
        remembered_at: new Date(known.atMs).toISOString(),
      },
    }),
  );
  // Later than what it replaces, whatever the clock says.
  await heads.accept(tenant, { seq, hash, atMs: Math.max(clock.now(), known.atMs + 1) });
  return { remembered: known.seq, accepted: seq };
}
