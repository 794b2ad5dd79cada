import {
  type Count,
  type ErasedRows,
  EVERY_ROLE,
  type RowsOfTable,
  type Slice,
  type TallyEntry,
  type TenantId,
  tenantAttributes,
} from '#kernel';
import { eraseTables, type PagedTable, readPages } from '#relational';
import { createCardinalityProcedures } from './api.ts';
import { createLedger, type LedgerDeps } from './ledger.ts';

const TABLE: PagedTable = {
  table: 'cardinality_days',
  columns: ['day', 'kind', 'bound', 'admitted', 'folded', 'left_out', 'first_at', 'last_at', 'detail'],
  key: ['day', 'kind'],
};

/** What other slices report of a tenant's metric series in one batch. */
export interface SeriesReport {
  tenant: string;
  day: number;
  admitted: number | undefined;
  folded: number;
  leftOut: number;
  metrics: { name: string; points: number }[];
  label: { name: string; values: number } | undefined;
}

/** Words are a kind and what became of it. */
const overflowCounts = (entries: readonly TallyEntry<string>[]): Count[] =>
  entries.map(({ tenant, word, count }) => {
    const [kind = '', outcome = ''] = word.split(' ');
    return { name: 'svc.ingest.overflow', value: count, attributes: { kind, outcome, ...tenantAttributes(tenant) } };
  });

/** How much tenants bring of what is bounded by day, and what was beyond: noted by the slices that bound it, shown to the tenant. */
export function createCardinality(deps: LedgerDeps) {
  const ledger = createLedger(deps);
  return {
    name: 'cardinality',
    roles: EVERY_ROLE,
    procedures: createCardinalityProcedures({ relational: deps.relational, ledger }),
    start: ledger.start,
    close: ledger.close,
    counts: () => overflowCounts(ledger.counts()),
    noteSeries(reports: readonly SeriesReport[], bound: number): void {
      for (const { tenant, metrics, label = null, ...report } of reports)
        ledger.note(tenant as TenantId, {
          ...{ kind: 'metric_series', bound, ...report },
          detail: report.folded + report.leftOut > 0 ? { metrics, label } : undefined,
        });
    },
    seriesByDay: (tenant: TenantId) => ledger.admittedByDay(tenant, 'metric_series'),
    /** Samples of targets beyond the bound, kept as target `other`. */
    noteTargets: (tenant: TenantId, { folded, bound }: { folded: number; bound: number }): void =>
      ledger.note(tenant, { kind: 'targets', bound, folded, leftOut: 0 }),
    /** Calls of connections beyond the bound of a minute, kept as those of `other`. */
    noteConnections: (tenant: TenantId, { folded, bound }: { folded: number; bound: number }): void =>
      ledger.note(tenant, { kind: 'service_map', bound, folded, leftOut: 0 }),
    data: {
      owns: { relational: [TABLE.table] },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        await ledger.flush(tenant);
        for await (const rows of readPages(deps.relational, tenant, TABLE)) yield { table: TABLE.table, rows };
      },
      async eraseTenant(tenant: TenantId): Promise<ErasedRows> {
        await ledger.flush(tenant);
        return await eraseTables(deps.relational, tenant, [TABLE]);
      },
      // Counts of the whole tenant.
      eraseSubject: async () => ({}),
    },
  } satisfies Slice & Record<string, unknown>;
}
