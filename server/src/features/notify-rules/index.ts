/**
 * Which incidents go where (docs/notify/README.md, "Rules"): severity, planes, targets, sites, schedule, delay, quiet hours. Out: a decision
 * about an incident, within the transaction that changes it.
 */
import type { RowsOfTable, Slice, TenantId } from '#kernel';
import { eraseTables, type PagedTable, readPages } from '#relational';
import { createRulesProcedures } from './api.ts';
import type { RulesDeps } from './context.ts';
import { readDecider } from './rules.ts';

export type { RulesDeps } from './context.ts';
export type { Decider } from './rules.ts';

const TABLES: readonly PagedTable[] = [
  { table: 'notify_rules', columns: ['id', 'name', 'enabled', 'body', 'created_by', 'created_at', 'changed_at'], key: ['id'] },
];

export const createNotifyRules = (deps: RulesDeps) =>
  ({
    name: 'notify-rules',
    roles: ['api'],
    procedures: createRulesProcedures(deps),
    readDecider,
    data: {
      owns: { relational: TABLES.map(({ table }) => table) },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        for (const table of TABLES)
          for await (const rows of readPages(deps.relational, tenant, table)) yield { table: table.table, rows };
      },
      eraseTenant: (tenant: TenantId) => eraseTables(deps.relational, tenant, TABLES),
      // A rule says who made it by an opaque id, to which no name belongs any more.
      eraseSubject: async () => ({}),
    },
  }) satisfies Slice & Record<string, unknown>;
