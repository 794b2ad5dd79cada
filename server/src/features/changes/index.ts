/**
 * What changed: deliveries of other systems, verified by their webhook's secret and kept on the bus before they are answered, then stored as
 * one timeline a tenant, from which the changes are ranked that may have caused an incident (docs/contract/changes.md).
 */
import type { ChangeMarksQuery, IncidentChanges } from '@svc/contracts/changes/change';
import type { RefusalReason } from '@svc/contracts/changes/kinds';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { EVERY_ROLE, type HasRole, type Health, type RowsOfTable, type Slice, type Subject, type TenantId } from '#kernel';
import { eraseTables, type PagedTable, readPages } from '#relational';
import { createIntakeCounts, createRefusals, createWebhookRegistry } from '#webhooks';
import { createChangesProcedures } from './api.ts';
import type { ChangesDeps } from './context.ts';
import { forgetPeople } from './forget-people.ts';
import { candidatesOf } from './incident/candidates.ts';
import { changesOn } from './incident/marks.ts';
import { mountIngress } from './ingest/ingress.ts';
import { CHANGE_WEBHOOKS } from './ingest/kind.ts';
import { startRetention } from './retention.ts';
import { subscribeChanges } from './store/consume.ts';
import { presentChange } from './store/rows.ts';

export type { ChangesDeps, IncidentAbout } from './context.ts';

/** Secrets are no data of the tenant and stay here. Those that others refer to come last. */
const TABLES: readonly PagedTable[] = [
  {
    table: 'change_verdicts',
    columns: ['incident_id', 'change_id', 'verdict', 'set_by', 'set_at'],
    key: ['incident_id', 'change_id'],
  },
  {
    table: 'change_deliveries',
    columns: ['webhook_id', 'delivery_id', 'received_at', 'event', 'outcome', 'events', 'dropped'],
    key: ['webhook_id', 'delivery_id'],
  },
  {
    table: 'change_refusals',
    columns: ['webhook_id', 'day', 'reason', 'count', 'last_at'],
    key: ['webhook_id', 'day', 'reason'],
  },
  {
    table: 'change_target_rules',
    columns: ['webhook_id', 'position', 'repository', 'environment', 'path', 'target', 'prefix'],
    key: ['webhook_id', 'position'],
  },
  {
    table: 'changes',
    columns: [
      ...['id', 'number', 'webhook_id', 'key', 'source', 'kind', 'title', 'summary', 'target', 'anchor', 'address'],
      ...['network', 'target_from', 'actor', 'ref', 'url', 'attributes', 'repository', 'environment', 'paths'],
      ...['occurred_at', 'told_at', 'began_at', 'finished_at', 'state', 'state_at', 'received_at'],
    ],
    key: ['id'],
  },
  {
    table: 'change_webhooks',
    columns: [
      ...['id', 'provider', 'name', 'configured', 'created_by', 'created_at', 'rotated_at', 'last_delivery_at', 'deliveries'],
      'events_stored',
    ],
    key: ['id'],
  },
  { table: 'change_counters', columns: ['last_number'], key: ['tenant_id'] },
];

const SOURCE = 'changes';

function createParts(deps: ChangesDeps) {
  const registry = createWebhookRegistry({ ...deps, moreOf: () => ({}) }, CHANGE_WEBHOOKS);
  const refusals = createRefusals<RefusalReason>({ ...deps, tables: CHANGE_WEBHOOKS.tables });
  const counts = createIntakeCounts<RefusalReason>(SOURCE);
  return { registry, refusals, counts, ingress: { ...deps, registry, refusals, counts } };
}

/** What other slices are given through compose/. */
const createTools = (deps: ChangesDeps) => ({
  /** Ranked against one incident; AppError `not_found` for one that is not this tenant's. */
  candidatesOf: async (tenant: TenantId, incident: string): Promise<IncidentChanges> =>
    await candidatesOf(deps, tenant, incident),
  /** On these targets and on networks around them, the newest; bounded. */
  changesOn: async (tenant: TenantId, query: z.infer<typeof ChangeMarksQuery>) =>
    (await changesOn(deps.relational, tenant, query)).rows.map((row) => presentChange(row, tenant)),
});

const keepChanges = ({ relational }: ChangesDeps, settle: () => Promise<void>) => ({
  owns: { relational: [...TABLES.map(({ table }) => table), 'change_webhook_directory'] },
  async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
    await settle();
    for (const table of TABLES) for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
  },
  eraseTenant: async (tenant: TenantId) => {
    await settle();
    return await eraseTables(relational, tenant, TABLES);
  },
  eraseSubject: (tenant: TenantId, subject: Subject) => forgetPeople(relational, tenant, subject),
});

export function createChanges(deps: ChangesDeps) {
  const { registry, refusals, counts, ingress } = createParts(deps);
  let consuming: Awaited<ReturnType<typeof subscribeChanges>> | undefined;
  let retention: { close(): Promise<void> } | undefined;

  /** Deliveries on the bus that this process has still to store. */
  const waiting = async (): Promise<number> => (await consuming?.subscription.lag()) ?? 0;

  async function health(): Promise<Health> {
    if (consuming === undefined || consuming.stats.storing) return { status: 'ok' };
    return {
      status: 'degraded',
      detail: `${await waiting()} deliveries of changes wait on the bus: the database does not take them.`,
    };
  }

  const slice = {
    name: 'changes',
    roles: EVERY_ROLE,
    routes: (app: FastifyInstance): void => mountIngress(app, ingress),
    procedures: createChangesProcedures(deps, { ...deps, registry, settle: refusals.flush }),
    async start(hasRole: HasRole): Promise<void> {
      if (hasRole('api') || hasRole('ingest')) {
        await registry.start();
        refusals.start();
      }
      if (hasRole('consume')) consuming = await subscribeChanges(deps);
      if (hasRole('evaluate')) retention = startRetention(deps);
    },
    health,
    counts: counts.read,
    data: keepChanges(deps, refusals.flush),
    async close(): Promise<void> {
      await consuming?.subscription.close();
      await retention?.close();
      await registry.close();
      await refusals.close();
    },
  } satisfies Slice;
  return { ...slice, ...createTools(deps), waiting };
}
