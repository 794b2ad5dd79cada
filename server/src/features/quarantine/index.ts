import { TOPICS } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus, Quarantine, SetAsideMessage } from '#bus';
import type { Sealer } from '#crypto';
import {
  type Clock,
  type Count,
  createTally,
  EVERY_ROLE,
  type HasRole,
  type RowsOfTable,
  type Slice,
  type Subject,
  type TallyEntry,
  type TenantId,
  tenantAttributes,
} from '#kernel';
import { eraseTables, type PagedTable, type Relational, readPages, type SystemDoor, startTenantRounds } from '#relational';
import { createQuarantineProcedures } from './api.ts';
import { createRepublisher } from './republish.ts';
import { COLUMNS, keepMessages, removeExpired } from './store.ts';

export interface QuarantineDeps {
  relational: Relational;
  sealer: Sealer;
  /** Where messages are published again. */
  bus: Bus;
  /** These messages of a tenant are set aside durably: no consumer will report them as handled. */
  onSetAside?: (tenant: TenantId, messages: readonly SetAsideMessage[]) => void;
  clock: Clock;
  log: FastifyBaseLogger;
}

const HOUR_MS = 3_600_000;
const FIRST_LOOK_MS = 90_000;
const DROPPED = 'dropped';

// What messages hold is the sender's and stays sealed.
const TABLES: readonly PagedTable[] = [
  { table: 'bus_quarantine', columns: COLUMNS, key: ['id'] },
  { table: 'bus_quarantine_dropped', columns: ['day', 'messages', 'bytes'], key: ['day'] },
];

const RESULTS = {
  table: 'bus_quarantine',
  where: 'topic = ANY ($1)',
  value: [TOPICS.endpointResults, TOPICS.networkResults, TOPICS.rumEvents],
};

/** Words are topic and reason, or that a message went to make room. */
function toCount({ tenant, word, count }: TallyEntry<string>): Count {
  const [topic = '', reason] = word.split(' ');
  const whose = tenantAttributes(tenant);
  if (reason === undefined) return { name: 'svc.bus.quarantine.dropped', value: count, attributes: whose };
  return { name: 'svc.bus.quarantined', value: count, attributes: { topic, reason, ...whose } };
}

function byTenant(messages: readonly SetAsideMessage[]): Map<TenantId, SetAsideMessage[]> {
  const tenants = new Map<TenantId, SetAsideMessage[]>();
  for (const message of messages) {
    const own = tenants.get(message.tenant);
    if (own) own.push(message);
    else tenants.set(message.tenant, [message]);
  }
  return tenants;
}

/** Messages that no consumer of the bus could handle: kept sealed in PostgreSQL, bounded per tenant, published again when somebody asks. */
export function createQuarantine(deps: QuarantineDeps) {
  const { relational, bus, clock, log } = deps;
  const tally = createTally<string>();
  const republisher = createRepublisher(deps);
  let rounds: { close(): Promise<void> } | undefined;

  const quarantine: Quarantine = {
    async put(messages) {
      for (const [tenant, own] of byTenant(messages)) {
        const dropped = await keepMessages(deps, tenant, own);
        for (const { topic, reason } of own) tally.add(tenant, `${topic} ${reason}`);
        tally.add(tenant, DROPPED, dropped.messages);
        deps.onSetAside?.(tenant, own);
      }
    },
  };

  const guarded: Bus = { ...bus, subscribe: (options, handler) => bus.subscribe({ ...options, quarantine }, handler) };

  return {
    name: 'quarantine',
    roles: EVERY_ROLE,
    namespace: 'bus' as const,
    procedures: createQuarantineProcedures(relational),
    /** The bus for consumers: what they cannot handle comes here. */
    bus: guarded,
    async start(hasRole: HasRole): Promise<void> {
      await republisher.start();
      const visit = (tenant: TenantId, system: SystemDoor) =>
        system.withTenantSql(tenant, (sql) => removeExpired(sql, new Date(clock.now())));
      if (hasRole('evaluate'))
        rounds = startTenantRounds(relational, { name: 'bus-quarantine', everyMs: HOUR_MS, firstMs: FIRST_LOOK_MS, visit, log });
    },
    counts: () => tally.read().map(toCount),
    data: {
      owns: { relational: TABLES.map(({ table }) => table) },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        for (const table of TABLES)
          for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
      },
      eraseTenant: (tenant: TenantId) => eraseTables(relational, tenant, TABLES),
      // What a message holds is sealed: all those that may be of the subject's devices go, and none for the id of nobody.
      eraseSubject: async (tenant: TenantId, { devices }: Subject) =>
        devices.length === 0 ? {} : await eraseTables(relational, tenant, [RESULTS]),
    },
    async close(): Promise<void> {
      await rounds?.close();
      await republisher.close();
    },
  } satisfies Slice & Record<string, unknown>;
}
