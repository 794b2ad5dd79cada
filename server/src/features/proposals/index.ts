/**
 * Proposals of tests (docs/tests/proposals.md): what a person's words, or the tenant's own data, would have tested. Nothing is made here: a
 * proposal passes the one schema of tests and the policy of targets, and a person makes it.
 */
import type { RowsOfTable, Slice, TenantId } from '#kernel';
import { eraseTables, type PagedTable, readPages } from '#relational';
import { createProposalsProcedures } from './api.ts';
import type { ProposalsDeps } from './context.ts';

export type { AuthoredTests, KnownNames, Observation, ProposalsDeps } from './context.ts';

const TABLES: readonly PagedTable[] = [
  { table: 'discovery_dismissals', columns: ['host', 'dismissed_by', 'dismissed_at'], key: ['host'] },
];

export function createProposals(deps: ProposalsDeps) {
  return {
    name: 'proposals',
    namespace: 'ai' as const,
    roles: ['api'],
    procedures: createProposalsProcedures(deps),
    data: {
      owns: { relational: TABLES.map(({ table }) => table) },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        for (const table of TABLES)
          for await (const rows of readPages(deps.relational, tenant, table)) yield { table: table.table, rows };
      },
      eraseTenant: (tenant: TenantId) => eraseTables(deps.relational, tenant, TABLES),
      // Who dismissed a host is an opaque id, which names nobody once the account is erased.
      eraseSubject: async () => ({}),
    },
  } satisfies Slice & Record<string, unknown>;
}
