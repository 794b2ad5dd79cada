/**
 * Who is told of incidents (docs/notify/README.md): connectors, links, and an outbox that is written in the incident's own transaction and sent
 * by leased workers. In: transitions of incidents, and news of objects at providers. Out: one object an incident and connector.
 */
import {
  type Count,
  createTally,
  createTenantTurns,
  type ErasedRows,
  type HasRole,
  type RowsOfTable,
  type Slice,
  type Subject,
  type TenantId,
  tenantAttributes,
} from '#kernel';
import { eraseTables, type LeasedWork, type PagedTable, readPages, type TenantSql } from '#relational';
import { createNotifyProcedures } from './api.ts';
import type { ConnectorsDeps } from './connectors/change.ts';
import { keepConfigured } from './connectors/configured.ts';
import { createConnections } from './connectors/connections.ts';
import { TRIALS } from './connectors/try.ts';
import type { NotifyDeps } from './context.ts';
import { readTellable } from './links/load.ts';
import { startLooks } from './links/look.ts';
import { listConnectorsOf, nameConnectors, openConnection } from './links/names.ts';
import { noteTransitions, type ToldTransition } from './links/observe.ts';
import { type OutsideNews, takeNews } from './links/outside.ts';
import type { Recorded } from './outbox/record.ts';
import { createWorker } from './outbox/worker.ts';
import { startRetention } from './retention.ts';

export type { IncidentNow, NotifyDeps, OutsideAct } from './context.ts';
export type { OutsideNews } from './links/outside.ts';

/** Credentials are no data of the tenant and stay here. Those that others refer to come last. */
const TABLES: readonly PagedTable[] = [
  {
    table: 'notify_outbox',
    columns: [
      ...['id', 'incident_id', 'connector_id', 'seq', 'verb', 'cause', 'actor', 'detail', 'state', 'why', 'is_delayed'],
      ...['attempts', 'repeats', 'in_doubt', 'tried_at', 'due_at', 'expires_at', 'said', 'created_at', 'done_at'],
    ],
    key: ['id'],
  },
  {
    table: 'notify_references',
    columns: ['incident_id', 'connector_id', 'generation', 'reference_id', 'label', 'url', 'opened_at'],
    key: ['incident_id', 'connector_id', 'generation'],
  },
  {
    table: 'notify_links',
    columns: [
      ...['incident_id', 'connector_id', 'state', 'generation', 'reference', 'former', 'acknowledged_at', 'acknowledged_by'],
      ...['opened_at', 'reopened_at', 'resolved_at', 'is_origin', 'updated_at', 'looked_at', 'note', 'created_at'],
    ],
    key: ['incident_id', 'connector_id'],
  },
  {
    table: 'notify_connectors',
    columns: [
      ...['id', 'provider', 'name', 'configured', 'shown', 'state', 'state_reason', 'state_by', 'state_at'],
      ...['created_by', 'created_at', 'rotated_at', 'deleted_at', 'last_success_at', 'last_answer', 'last_answer_at'],
      'failing_since',
    ],
    key: ['id'],
  },
];

const keepNotify = ({ relational }: NotifyDeps) => ({
  owns: { relational: TABLES.map(({ table }) => table) },
  async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
    for (const table of TABLES) for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
  },
  eraseTenant: (tenant: TenantId) => eraseTables(relational, tenant, TABLES),
  // Rows name people by opaque ids. Where a provider called whoever acted there by the address of a person, that goes.
  async eraseSubject(tenant: TenantId, { email }: Subject): Promise<ErasedRows> {
    if (email === undefined) return {};
    return await relational.withSystemSql(tenant, async (sql) => {
      const ofLinks = 'UPDATE notify_links SET acknowledged_by = NULL WHERE lower(acknowledged_by) = $1';
      const ofMessages =
        "UPDATE notify_outbox SET detail = '' WHERE actor ~ '^(connector|provider)/' AND lower(detail) = 'by ' || $1::text";
      const links = (await sql.query(ofLinks, [email])).rowCount ?? 0;
      return { notify_links: links, notify_outbox: (await sql.query(ofMessages, [email])).rowCount ?? 0 };
    });
  },
});

export function createNotify(given: NotifyDeps) {
  const connections = createConnections(given);
  const deps: ConnectorsDeps = { ...given, connections, trials: createTenantTurns(TRIALS) };
  const tally = createTally<Recorded>();
  const worker = createWorker({
    ...{ deps, connections },
    onRecorded: (tenant, words) => {
      for (const word of words) tally.add(tenant, word);
    },
  });
  let looks: LeasedWork | undefined;
  let retention: { close(): Promise<void> } | undefined;

  const slice = {
    name: 'notify',
    roles: ['api', 'evaluate'],
    procedures: createNotifyProcedures(deps),
    async start(hasRole: HasRole): Promise<void> {
      await keepConfigured(deps);
      if (!hasRole('evaluate')) return;
      await worker.start();
      looks = startLooks(deps, connections);
      retention = startRetention(deps, (tenant, count) => tally.add(tenant, 'dead', count));
    },
    counts: () =>
      tally.read().map(({ tenant, word, count }): Count => {
        return { name: 'svc.notify.messages', value: count, attributes: { outcome: word, ...tenantAttributes(tenant) } };
      }),
    data: keepNotify(deps),
    async close(): Promise<void> {
      await looks?.close();
      await retention?.close();
      await worker.close();
    },
  } satisfies Slice;

  return {
    ...slice,
    /** Observes incidents, in the transaction that changes them. */
    noteTransitions: (sql: TenantSql, transitions: readonly ToldTransition[]): Promise<void> =>
      noteTransitions(deps, sql, transitions),
    /** Those that rules may name, by id. */
    knownConnectors: readTellable,
    /** What a provider tells of an object; see links/outside.ts. */
    takeNews: (tenant: TenantId, news: OutsideNews) => takeNews(deps, tenant, news),
    /** Names of actors such as `connector/abc`. */
    nameConnectors: (tenant: TenantId, actors: readonly string[]) => nameConnectors(deps, tenant, actors),
    /** Ids and names of the tenant's connectors of a provider. */
    listConnectors: (tenant: TenantId, provider: string) => listConnectorsOf(deps, tenant, provider),
    /** The connection of a connector, to ask its provider with; undefined where it cannot be read. */
    openConnection: (tenant: TenantId, of: { provider: string; connector: string | null }) => openConnection(deps, tenant, of),
  };
}
