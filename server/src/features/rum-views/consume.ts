import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { GROUPS, TOPICS } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import { type BatchHandler, type Bus, isTransient, type Subscription } from '#bus';
import type { Clock, TenantId } from '#kernel';
import { type Relational, toTransient } from '#relational';
import type { ColumnStore } from '#telemetry';
import { readView, type ViewRow } from './domain/read-view.ts';
import { createKnown, type Known } from './known.ts';
import { buildViewBlock } from './view-rows.ts';

/** Views read in one go before others get the event loop: about 2 ms. */
const AT_ONCE = 200;
const UNWRITTEN = 'Hosts of real users could not be written.';
/** Who waits for a first beacon sees it within a second; under load blocks are large. */
const BATCH = { maxMessages: 20_000, maxBytes: 32 * 1024 * 1024, lingerMs: 500 } as const;

export interface ConsumeDeps {
  bus: Bus;
  relational: Relational;
  columns: ColumnStore;
  takesPast?: boolean;
  clock: Clock;
  log: FastifyBaseLogger;
}

/** Bus -> bounded views -> rows, then which hosts there are. Idempotent: a row that comes twice is one for a reader. */
export function createConsumer({ relational, columns, clock, log, takesPast = false }: Omit<ConsumeDeps, 'bus'>) {
  const stats = { storing: true };
  const known: Known = createKnown({ relational, store: columns });

  async function store(byTenant: ReadonlyMap<TenantId, readonly ViewRow[]>): Promise<void> {
    const rows: (readonly [TenantId, ViewRow])[] = [];
    for (const [tenant, views] of byTenant) for (const view of views) rows.push([tenant, view]);
    if (rows.length > 0) await columns.write(buildViewBlock(rows, takesPast ? undefined : clock.now()));
    for (const [tenant, views] of byTenant)
      await known.tell(tenant, views).catch((error) => Promise.reject(toTransient(error, UNWRITTEN)));
  }

  const handle: BatchHandler = async ({ messages }, signal) => {
    const nowMs = clock.now();
    const byTenant = new Map<TenantId, ViewRow[]>();
    for (const [i, { tenant, value }] of messages.entries()) {
      if (i > 0 && i % AT_ONCE === 0) {
        await yieldToOthers();
        signal.throwIfAborted();
      }
      const view = readView(value, tenant, nowMs);
      if (!view) continue;
      const views = byTenant.get(tenant);
      if (views) views.push(view);
      else byTenant.set(tenant, [view]);
    }
    try {
      for (const [tenant, views] of byTenant) byTenant.set(tenant, await known.bound(tenant, views));
      await store(byTenant);
      stats.storing = true;
    } catch (cause) {
      // Whoever handles the tenant next, here or elsewhere, begins with what is stored.
      for (const tenant of byTenant.keys()) known.drop(tenant);
      const error = toTransient(cause, UNWRITTEN);
      if (isTransient(error) && stats.storing)
        log.warn({ err: error }, 'page views cannot be stored for now: they wait on the bus');
      if (isTransient(error)) stats.storing = false;
      throw error;
    }
  };
  return { handle, stats, known };
}

export async function subscribeViews(deps: ConsumeDeps, { handle }: Pick<ReturnType<typeof createConsumer>, 'handle'>) {
  const options = { topic: TOPICS.rumEvents, group: GROUPS.rum, ...BATCH, probe: deps.columns.probe };
  const subscription: Subscription = await deps.bus.subscribe(options, handle);
  return subscription;
}
