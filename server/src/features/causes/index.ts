/**
 * Why an incident is: evidence of every plane, possible causes by a score that can be checked, and what nobody measured (docs/causes.md).
 * In: transitions of incidents, in the transaction that makes them. Out: an explanation, made again with each signal.
 */
import type { HasRole, RowsOfTable, Slice, TenantId } from '#kernel';
import { eraseTables, type LeasedWork, type PagedTable, readPages, type TenantSql } from '#relational';
import { createCausesProcedures } from './api.ts';
import type { CausesDeps } from './context.ts';
import { createMaker, startMaking } from './make.ts';
import { requestExplanations } from './store.ts';

export { createChangeEvidence } from './change-evidence.ts';
export type { CausesDeps, EvidenceSources, ExplainedIncident } from './context.ts';

const TABLES: readonly PagedTable[] = [
  { table: 'incident_causes', columns: ['incident_id', 'version', 'made_at', 'body'], key: ['incident_id', 'version'] },
  { table: 'incident_cause_requests', columns: ['incident_id', 'requested_at'], key: ['incident_id'] },
];

/** What people write and decide says nothing of the cause. */
const TOLD_NOTHING = ['commented', 'assigned', 'acknowledged', 'severity_set'];

export function createCauses(deps: CausesDeps) {
  const { relational } = deps;
  const maker = createMaker(deps);
  let working: LeasedWork | undefined;
  return {
    name: 'causes',
    roles: ['evaluate'],
    procedures: createCausesProcedures(deps, maker),
    /** The explanation of an incident as it is now, for other slices; permissions are theirs to check. */
    read: maker.read,
    /** Observes incidents: those that something became of are explained anew. */
    noteTransitions: async (
      sql: TenantSql,
      transitions: readonly { kind: string; incident: { id: string }; at: Date }[],
    ): Promise<void> => {
      const told = transitions.filter(({ kind }) => !TOLD_NOTHING.includes(kind));
      const [first] = told;
      if (first)
        await requestExplanations(
          sql,
          told.map(({ incident }) => incident.id),
          first.at,
        );
    },
    /** That a person judged what may have caused an incident, resolved or not: it is explained anew. In the transaction in which they do. */
    noteJudged: (sql: TenantSql, incident: string, at: Date): Promise<void> => requestExplanations(sql, [incident], at),
    /** Explains what waits; gives how many. */
    makeRequested: (tenant: TenantId) => maker.makeRequested(tenant),
    start(hasRole: HasRole): void {
      if (hasRole('evaluate')) working = startMaking(deps, maker);
    },
    close: async (): Promise<void> => await working?.close(),
    data: {
      owns: { relational: TABLES.map(({ table }) => table) },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        for (const table of TABLES)
          for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
      },
      eraseTenant: (tenant: TenantId) => eraseTables(relational, tenant, TABLES),
      // Of incidents and machines: evidence names no person and no device.
      eraseSubject: async () => ({}),
    },
  } satisfies Slice & Record<string, unknown>;
}
