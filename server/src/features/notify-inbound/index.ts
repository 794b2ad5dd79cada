/**
 * What paging and ticket systems tell us (docs/notify/inbound.md): deliveries verified by their webhook's secret, stored before they are
 * answered, then done once. In: `POST /ingest/itsm/{provider}/{id}`. Out: news of objects, for the slice that keeps links.
 */
import type { InboundRefusal } from '@svc/contracts/notify/inbound';
import type { FastifyInstance } from 'fastify';
import { type ErasedRows, EVERY_ROLE, type HasRole, type RowsOfTable, type Slice, type Subject, type TenantId } from '#kernel';
import { eraseTables, type LeasedWork, type PagedTable, readPages } from '#relational';
import { createIntakeCounts, createRefusals, createWebhookRegistry } from '#webhooks';
import { createInboundProcedures } from './api.ts';
import type { InboundDeps } from './context.ts';
import { mountIngress } from './ingest/ingress.ts';
import { connectorOf, INBOUND_WEBHOOKS } from './ingest/kind.ts';
import { doWaiting, startDoing, startRetention } from './rounds.ts';

export type { InboundDeps } from './context.ts';

const SOURCE = 'itsm';

/** Secrets are no data of the tenant and stay here. Those that others refer to come last. */
const TABLES: readonly PagedTable[] = [
  {
    table: 'notify_inbound_deliveries',
    columns: ['webhook_id', 'id', 'delivery_id', 'received_at', 'event', 'news', 'outcome', 'reason', 'incident_id', 'done_at'],
    key: ['webhook_id', 'id'],
  },
  {
    table: 'notify_inbound_refusals',
    columns: ['webhook_id', 'day', 'reason', 'count', 'last_at'],
    key: ['webhook_id', 'day', 'reason'],
  },
  {
    table: 'notify_inbound_webhooks',
    columns: [
      ...['id', 'provider', 'name', 'configured', 'connector_id', 'created_by', 'created_at', 'rotated_at', 'last_delivery_at'],
      'deliveries',
    ],
    key: ['id'],
  },
];

const FORGET = `UPDATE notify_inbound_deliveries d SET news = (SELECT jsonb_agg(CASE WHEN lower(n.one ->> 'by') = $1 THEN n.one || '{"by":null}' ELSE n.one END
    ORDER BY n.place) FROM jsonb_array_elements(d.news) WITH ORDINALITY AS n (one, place))
  WHERE EXISTS (SELECT FROM jsonb_array_elements(d.news) AS n (one) WHERE lower(n.one ->> 'by') = $1)`;

export function createNotifyInbound(deps: InboundDeps) {
  const { relational } = deps;
  const registry = createWebhookRegistry({ ...deps, moreOf: connectorOf }, INBOUND_WEBHOOKS);
  const refusals = createRefusals<InboundRefusal>({ ...deps, tables: INBOUND_WEBHOOKS.tables });
  const counts = createIntakeCounts<InboundRefusal>(SOURCE);
  let doing: LeasedWork | undefined;
  let retention: { close(): Promise<void> } | undefined;
  const settle = refusals.flush;
  return {
    name: 'notify-inbound',
    roles: EVERY_ROLE,
    routes: (app: FastifyInstance): void => mountIngress(app, { ...deps, registry, refusals, counts }),
    procedures: createInboundProcedures({ ...deps, registry, settle }),
    /** Does what is stored and waits; gives how much. */
    doWaiting: (tenant: TenantId) => doWaiting(deps, tenant),
    async start(hasRole: HasRole): Promise<void> {
      if (hasRole('api') || hasRole('ingest')) {
        await registry.start();
        refusals.start();
      }
      if (!hasRole('evaluate')) return;
      doing = startDoing(deps);
      retention = startRetention(deps);
    },
    counts: counts.read,
    data: {
      owns: { relational: [...TABLES.map(({ table }) => table), 'notify_inbound_directory'] },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        await settle();
        for (const table of TABLES)
          for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
      },
      eraseTenant: async (tenant: TenantId) => {
        await settle();
        return await eraseTables(relational, tenant, TABLES);
      },
      // Deliveries say who acted there in the words of the other system: where that is the address of somebody who is erased, it goes.
      async eraseSubject(tenant: TenantId, { email }: Subject): Promise<ErasedRows> {
        if (email === undefined) return {};
        const { rowCount } = await relational.withSystemSql(tenant, (sql) => sql.query(FORGET, [email]));
        return { notify_inbound_deliveries: rowCount ?? 0 };
      },
    },
    async close(): Promise<void> {
      await doing?.close();
      await retention?.close();
      await registry.close();
      await refusals.close();
    },
  } satisfies Slice & Record<string, unknown>;
}
