/**
 * What tests come to: the list, a test's page, its runs, runs on demand, and what failing, silent and expiring tests raise
 * (docs/contract/tests.md). Its procedures are called under the name of the slice `tests`, which owns what is tested.
 */

import type { EvidenceQuestion } from '@svc/contracts/causes/facts';
import type { Test } from '@svc/contracts/tests/test';
import type { TestRow } from '@svc/contracts/tests/views';
import type { Ctx, HasRole, RowsOfTable, Slice, TenantId } from '#kernel';
import { eraseTables, readPages } from '#relational';
import { createPageProcedures } from './api.ts';
import { createHistoryProcedures, createRunNowProcedures } from './api-runs.ts';
import type { Span, TestPagesDeps } from './context.ts';
import { findTestEvidence } from './evidence.ts';
import { outcomesOfHosts } from './outcomes.ts';
import { readTestRow } from './page.ts';
import { PROGRESS_TABLE } from './progress-store.ts';
import { createRunNow } from './run-now.ts';
import { createSettling } from './signals/evaluate.ts';
import { startSignals } from './signals/worker.ts';

export function createTestPages(deps: TestPagesDeps) {
  let signals: { close(): Promise<void> } | undefined;
  return {
    name: 'test-pages',
    roles: ['api', 'evaluate'],
    /** For the router of the slice `tests`. */
    pageProcedures: {
      ...createPageProcedures(deps),
      ...createHistoryProcedures(deps),
      ...createRunNowProcedures(createRunNow(deps)),
    },
    readRow: (ctx: Ctx, test: Test): Promise<TestRow> => readTestRow(deps, ctx, test),
    /** What tests of type http, https and browser came to at hosts, without runs in maintenance (`outcomes.ts`). */
    outcomesOfHosts: (tenant: TenantId, hosts: readonly string[], within: Span) =>
      outcomesOfHosts(deps, tenant, { hosts, ...within }),
    /** What the holder of the lease does for a tenant whose runs changed. */
    settle: createSettling(deps),
    /** What tests know about an incident. */
    evidence: (tenant: TenantId, question: EvidenceQuestion) => findTestEvidence(deps, tenant, question),
    async start(hasRole: HasRole) {
      if (hasRole('evaluate')) signals = await startSignals(deps);
    },
    close: async () => await signals?.close(),
    // Tests and their runs are kept by the slices tests and test-runs.
    data: {
      owns: { relational: [PROGRESS_TABLE.table] },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        for await (const rows of readPages(deps.relational, tenant, PROGRESS_TABLE)) yield { table: PROGRESS_TABLE.table, rows };
      },
      eraseTenant: (tenant: TenantId) => eraseTables(deps.relational, tenant, [PROGRESS_TABLE]),
      // Of tests and machines.
      eraseSubject: async () => ({}),
    },
  } satisfies Slice & Record<string, unknown>;
}
