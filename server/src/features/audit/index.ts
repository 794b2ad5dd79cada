/**
 * The tamper-evident trail of every change (docs/people-and-audit.md).
 * In: appendAudit(sql, entry) from every mutation, in its own transaction. Out: GET /v1/audit, GET /v1/audit/verify, `svc verify-audit`.
 * The end of each chain is remembered outside of the database too. Once a day what is past its retention goes behind a signed checkpoint.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { Sealer } from '#crypto';
import { type Clock, EVERY_ROLE, type HasRole, type Slice, type Subject, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import { type AcceptedHead, acceptHead } from './accept-head.ts';
import { createAuditProcedures } from './api.ts';
import { type AppendAudit, createAppendAudit } from './append.ts';
import { createCheckpointSigner } from './checkpoint.ts';
import type { ChainPlace } from './domain/walk-chain.ts';
import { createHeads } from './heads.ts';
import { createReadChanges } from './read-changes.ts';
import type { NameActors } from './read-trail.ts';
import { pruneTrail, startRetention } from './retention.ts';
import { exportAuditRows } from './store.ts';
import { eraseValues, eraseValuesOf } from './values.ts';
import { type Verification, verifyChain } from './verify.ts';

export type { AppendAudit, NameActors, Verification };

export interface AuditDeps {
  relational: Relational;
  sealer: Sealer;
  clock: Clock;
  /** Given by identity, asked only when the trail is read. */
  nameActors: NameActors;
  /** Days that entries are kept. */
  retentionDays: number;
  /** Where this process remembers the ends of the chains, outside of the database. */
  dataDir: string;
  log: FastifyBaseLogger;
}

export function createAudit({ relational, sealer, clock, nameActors, retentionDays, dataDir, log }: AuditDeps) {
  const heads = createHeads({ relational, sealer, clock, dataDir, log });
  const signer = createCheckpointSigner(relational, sealer);
  const appendAudit = createAppendAudit(clock, heads.note);
  const chain = { relational, signer, heads };
  const retention = { ...chain, appendAudit, clock, retentionDays, log };
  let pruning: ReturnType<typeof startRetention> | undefined;
  return {
    name: 'audit',
    roles: EVERY_ROLE,
    appendAudit,
    /** Walks the chain on from `start`, at most `maxEntries` far; see verify.ts. */
    verify: (tenant: TenantId, options: { start?: ChainPlace | undefined; maxEntries: number }): Promise<Verification> =>
      verifyChain(chain, tenant, options),
    /** Believes the end that a tenant's chain has now; see accept-head.ts. */
    acceptHead: (tenant: TenantId): Promise<AcceptedHead | undefined> => acceptHead({ ...chain, appendAudit, clock }, tenant),
    /** What was done to a thing, the newest first; see read-changes.ts. */
    readChanges: createReadChanges({ relational, nameActors }),
    /** Removes what is past retention of one tenant now; see retention.ts. */
    prune: (tenant: TenantId): Promise<number> => pruneTrail(retention, tenant),
    procedures: createAuditProcedures({ ...chain, nameActors }),
    data: {
      owns: { relational: ['audit_checkpoints', 'audit_entries', 'audit_heads', 'audit_keys', 'audit_values'] },
      exportRows: (tenant: TenantId) => exportAuditRows(chain, tenant),
      // The trail itself names nobody and goes by its own retention, of erased tenants too (docs/adr/0017-erasure.md).
      eraseTenant: (tenant: TenantId) => eraseValues(relational, tenant),
      eraseSubject: (tenant: TenantId, subject: Subject) => eraseValuesOf(relational, tenant, subject),
    },
    start: async (hasRole: HasRole): Promise<void> => {
      await heads.start();
      if (hasRole('evaluate')) pruning = startRetention(retention);
    },
    close: async (): Promise<void> => {
      await pruning?.close();
      await heads.close();
    },
  } satisfies Slice & Record<string, unknown>;
}
