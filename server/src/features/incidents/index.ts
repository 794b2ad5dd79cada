/**
 * Signals of all planes and the incidents that they are gathered in (docs/tests/incidents.md): one for one real event. Other slices raise
 * by `raise` and `settle`, which compose/ ties; all writers of a tenant take turns.
 */
import type { RaisedSignal, SignalKind } from '@svc/contracts/incidents/signal';
import {
  type Count,
  createTally,
  type HasRole,
  type RowsOfTable,
  type Slice,
  type Subject,
  type TenantId,
  tenantAttributes,
} from '#kernel';
import { eraseTables, type LeasedWork, type PagedTable, readPages } from '#relational';
import { actFromOutside, type OutsideAct } from './act-from-outside.ts';
import { createIncidentsProcedures } from './api-incidents.ts';
import { createSignalsProcedures } from './api-signals.ts';
import type { EntryKind, IncidentsDeps } from './context.ts';
import { forgetPeople } from './forget-people.ts';
import { startKeeper } from './keeper.ts';
import { type OpenFailing, raiseSignals, readOpenFailings, type SettleScope, settleSignals } from './raise.ts';
import { describeIncident } from './read/about.ts';
import { readExplained } from './read/explained.ts';
import { readOfTarget } from './read/of-target.ts';
import { readTargets } from './read/targets.ts';
import { readRecent, readTold } from './read/told.ts';
import { startRetention } from './retention.ts';
import { readSettings } from './settings.ts';
import { ANCHORS, ENTRIES, INCIDENTS, LINKS, SIGNALS } from './store/rows.ts';
import type { Table } from './store/upsert.ts';

export type { HeldBackQuestion, IncidentObserver, IncidentsDeps, IncidentTransition } from './context.ts';
export type { OpenFailing, SettleScope } from './raise.ts';

const paged = ({ name, columns, key }: Table): PagedTable => ({ table: name, columns: Object.keys(columns), key });

/** Those that others refer to come last. */
const TABLES: readonly PagedTable[] = [
  ...[LINKS, ENTRIES, ANCHORS, SIGNALS, INCIDENTS].map(paged),
  { table: 'incident_settings', columns: ['auto_resolve_minutes', 'edge_failing'], key: ['tenant_id'] },
  { table: 'incident_counters', columns: ['last_number', 'last_seq'], key: ['tenant_id'] },
];

export function createIncidents(given: IncidentsDeps) {
  const { relational } = given;
  const tally = createTally<EntryKind>();
  const deps: IncidentsDeps = {
    ...given,
    onCommitted: (tenant, kinds) => {
      for (const kind of kinds) tally.add(tenant, kind);
    },
  };
  let keeper: LeasedWork | undefined;
  let retention: { close(): Promise<void> } | undefined;
  return {
    name: 'incidents',
    roles: ['api', 'evaluate'],
    procedures: createIncidentsProcedures(deps),
    /** One signal or several of a tenant; see raise.ts. */
    raise: async (tenant: TenantId, signals: RaisedSignal | readonly RaisedSignal[]): Promise<void> =>
      await raiseSignals(deps, tenant, [signals].flat() as readonly RaisedSignal[]),
    /** All that fails in a scope of an evaluator, at once; see raise.ts. */
    settle: async (tenant: TenantId, scope: SettleScope, present: readonly RaisedSignal[]): Promise<void> =>
      await settleSignals(deps, { tenant, ...scope }, present),
    /** What fails now of one kind, with the incidents that it is in. */
    openKeys: async (tenant: TenantId, kind: SignalKind): Promise<OpenFailing[]> => await readOpenFailings(deps, tenant, kind),
    /** What an incident is about, in the caller's transaction; AppError `not_found` for one that is not this tenant's. */
    describeIncident,
    /** As slices tell others of incidents, in the caller's transaction: those of these that there are, and the newest. */
    ...{ readTold, readRecent },
    /** What was acknowledged or resolved elsewhere; see act-from-outside.ts. */
    actFromOutside: (tenant: TenantId, act: OutsideAct): Promise<boolean> => actFromOutside(deps, tenant, act),
    /** Incidents of a target that lasted into a stretch of time, for pages that draw them beside figures. */
    ofTarget: async (tenant: TenantId, target: string, span: { fromMs: number; toMs: number }) =>
      await relational.withTenantSql(tenant, (sql) => readOfTarget(sql, target, span)),
    /** What incidents since a time were about, with how many there were. */
    targetsSince: async (tenant: TenantId, since: Date) =>
      await relational.withTenantSql(tenant, (sql) => readTargets(sql, since)),
    /** Whether the tenant wants edges of the service map to be watched. */
    watchesEdges: async (tenant: TenantId): Promise<boolean> =>
      (await relational.withSystemSql(tenant, readSettings)).edge_failing,
    /** An incident as its cause is looked for; see read/explained.ts. */
    explained: (tenant: TenantId, of: { id: string; isAsked: boolean }) => readExplained(deps, tenant, of),
    start(hasRole: HasRole): void {
      if (!hasRole('evaluate')) return;
      keeper = startKeeper(deps);
      retention = startRetention(deps);
    },
    counts: () =>
      tally.read().map(({ tenant, word, count }): Count => {
        return { name: 'svc.incidents.transitions', value: count, attributes: { kind: word, ...tenantAttributes(tenant) } };
      }),
    data: {
      owns: { relational: TABLES.map(({ table }) => table) },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        for (const table of TABLES)
          for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
      },
      eraseTenant: (tenant: TenantId) => eraseTables(relational, tenant, TABLES),
      eraseSubject: (tenant: TenantId, subject: Subject) => forgetPeople(relational, tenant, subject),
    },
    close: async (): Promise<void> => {
      await retention?.close();
      await keeper?.close();
    },
  } satisfies Slice & Record<string, unknown>;
}

/** The feed over all planes: procedures of a name of their own. */
export const createSignals = (deps: IncidentsDeps) =>
  ({
    name: 'signals',
    roles: ['api'],
    procedures: createSignalsProcedures(deps),
    data: { keepsNothing: 'The incidents slice keeps the signals.' },
  }) satisfies Slice;
