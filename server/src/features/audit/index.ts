/**
 * The tamper-evident trail of every change (specification: "Audit events").
 * In: appendAudit(sql, entry) from every mutation, in its own transaction. Out: GET /v1/audit, GET /v1/audit/verify, `svc verify-audit`.
 */
import type { Clock, Slice, TenantId } from '#kernel';
import type { Relational } from '#relational';
import { createAuditProcedures, type NameActors } from './api.ts';
import { type AppendAudit, createAppendAudit } from './append.ts';
import type { ChainPlace } from './domain/walk-chain.ts';
import { exportAuditRows } from './store.ts';
import { type Verification, verifyChain } from './verify.ts';

export type { AppendAudit, NameActors, Verification };

export interface AuditDeps {
  relational: Relational;
  clock: Clock;
  /** Given by identity, asked only when the trail is read. */
  nameActors: NameActors;
}

export function createAudit({ relational, clock, nameActors }: AuditDeps) {
  return {
    name: 'audit',
    appendAudit: createAppendAudit(clock),
    /** Walks the chain on from `start`, at most `maxEntries` far; see verify.ts. */
    verify: (tenant: TenantId, options: { start?: ChainPlace | undefined; maxEntries: number }): Promise<Verification> =>
      verifyChain(relational, tenant, options),
    procedures: createAuditProcedures({ relational, nameActors }),
    exportRows: (tenant: TenantId) => exportAuditRows(relational, tenant),
  } satisfies Slice & { appendAudit: AppendAudit; verify: unknown };
}
