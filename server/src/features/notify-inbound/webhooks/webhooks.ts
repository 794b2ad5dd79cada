import type { CreateInbound, InboundDetail } from '@svc/contracts/notify/inbound';
import type { z } from 'zod';
import { AppError, type Ctx, type TenantId } from '#kernel';
import { createWebhookManager, type ManagerDeps } from '#webhooks';
import type { InboundDeps } from '../context.ts';
import { INBOUND_PATH, INBOUND_WEBHOOKS, type InboundRow } from '../ingest/kind.ts';
import { readDeliveries, webhookRows } from './store.ts';

const LAST_DELIVERIES = 50;

export interface WebhooksDeps extends InboundDeps, Pick<ManagerDeps, 'registry' | 'settle'> {}

async function demandConnector(
  deps: WebhooksDeps,
  tenant: TenantId,
  { provider, connector }: z.infer<typeof CreateInbound>,
): Promise<void> {
  if (connector === undefined) return;
  if ((await deps.listConnectors(tenant, provider)).some(({ id }) => id === connector)) return;
  const faults = [{ path: 'connector', message: 'There is no such connector of this provider.' }];
  throw new AppError('validation', 'The webhook cannot be made like this.', { faults });
}

/** The connector of each, by its name. */
async function readConnectors(deps: WebhooksDeps, tenant: TenantId, rows: readonly InboundRow[]) {
  const names = new Map<string, string>();
  for (const provider of new Set(rows.filter((row) => row.connector_id !== null).map((row) => row.provider)))
    for (const { id, name } of await deps.listConnectors(tenant, provider)) names.set(id, name);
  return ({ connector_id: id }: InboundRow) => ({
    connector: id === null ? null : { id, name: names.get(id) ?? 'deleted connector' },
  });
}

/** What people do with inbound webhooks. */
export function createWebhooks(deps: WebhooksDeps) {
  const { presentOne, create, ...manager } = createWebhookManager(deps, {
    ...{ kind: INBOUND_WEBHOOKS, rows: webhookRows, path: INBOUND_PATH, object: 'notify_inbound', secretPrefix: 'svc_itsm_' },
    actions: {
      ...{ create: 'notify_inbound.create', rename: 'notify_inbound.rename' },
      ...{ rotate: 'notify_inbound.rotate', delete: 'notify_inbound.delete' },
    },
    readMore: (tenant, rows) => readConnectors(deps, tenant, rows),
  });
  return {
    ...manager,
    async create(ctx: Ctx, wish: z.infer<typeof CreateInbound>) {
      await demandConnector(deps, ctx.principal.tenant, wish);
      return await create(ctx, { ...wish, columns: { connector_id: wish.connector ?? null } });
    },
    async get({ principal: { tenant } }: Ctx, id: string): Promise<z.infer<typeof InboundDetail>> {
      await deps.settle();
      const read = await deps.relational.withTenantSql(tenant, async (sql) => ({
        row: await webhookRows.read(sql, id, deps.clock.now()),
        last: await readDeliveries(sql, id, LAST_DELIVERIES),
      }));
      return { webhook: await presentOne(tenant, read.row), last: read.last };
    },
  };
}
