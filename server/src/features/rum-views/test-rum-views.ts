import { randomUUID } from 'node:crypto';
import { TOPICS } from '@svc/contracts/bus-topics';
import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import { type PageView, toCanonicalView } from '@svc/contracts/rum/canonical-view';
import { pino } from 'pino';
import { uuidv7 } from 'uuidv7';
import { type Bus, createMemoryBus } from '#bus';
import { AppError, type Ctx, parseTenantId, type TenantId } from '#kernel';
import { createTenant, type Fence } from '#relational';
import type { Telemetry } from '#telemetry';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { openTestTelemetry } from '#test-telemetry';
import type { KnownApp } from './apps-port.ts';
import { createConsumer, subscribeViews } from './consume.ts';
import type { HostOutcome, RumScope, RumViewsContext } from './context.ts';
import { createViewReader } from './reader-clickhouse.ts';
import { createUsual } from './usual.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const HOST = 'shop.example';
const log = pino({ level: 'silent' });

export interface Settled {
  tenant: TenantId;
  scope: RumScope;
  present: readonly RaisedSignal[];
}

export interface RumGround {
  database: TestDatabase;
  telemetry: Telemetry;
  bus: Bus;
  context: RumViewsContext;
  clock: { now: () => number; at: number };
  /** What tests say, by host. */
  outcomes: Map<string, HostOutcome>;
  settled: Settled[];
  /** While true the column store takes no write. */
  store: { isAway: boolean };
  newTenant(hosts?: readonly string[]): Promise<{ tenant: TenantId; ctx: Ctx }>;
  publish(views: readonly PageView[]): Promise<void>;
  /** Of the lease, as the holder of it has. */
  fence(): Promise<Fence>;
  close(): Promise<void>;
}

export const view = (tenant: string, atMs: number, more: Partial<PageView> = {}): PageView => ({
  ...{ resultId: uuidv7(), tenant, app: 'shop', host: HOST, page: '/', browser: 'chrome' },
  ...{ vitals: { lcp: 1900, ttfb: 400, cls: 0.04 }, errors: 0, failedRequests: 0, sdk: '1.0.0', receivedAtMs: atMs },
  ...more,
});

/** So many views, a second apart, the last one at a time. */
export const views = (tenant: string, count: number, more: Partial<PageView> & { receivedAtMs: number }): PageView[] =>
  Array.from({ length: count }, (_, i) =>
    view(tenant, more.receivedAtMs, { ...more, receivedAtMs: more.receivedAtMs - i * 1000 }),
  );

const NO_REFUSALS = { from: '', items: [], missing_share: null, unknown_to_installation: 0 };
const NO_COUNTS = {
  ...{ accepted: 0, rejected_no_consent: 0, rejected_malformed: 0, rejected_invalid_field: 0, rejected_unknown_key: 0 },
  ...{ rejected_too_large: 0, rejected_over_rate: 0 },
};

/** The slice's parts on real stores, with a clock that tests move and tests that say what they are told to. */
export async function openRumGround(nowMs: number): Promise<RumGround> {
  const [database, telemetry] = [await createTestDatabase(), await openTestTelemetry()];
  const bus = createMemoryBus({ log });
  const clock = { at: nowMs, now: () => clock.at };
  const store = { isAway: false };
  const write: Telemetry['store']['write'] = async (block) => {
    if (store.isAway) throw new AppError('unavailable', 'The column store does not answer.', { retryAfterSeconds: 0.1 });
    await telemetry.store.write(block);
  };
  const columns = { ...telemetry.store, write };
  const { relational } = database;
  const outcomes = new Map<string, HostOutcome>();
  const settled: Settled[] = [];
  const appsOf = new Map<TenantId, KnownApp[]>();
  const reader = createViewReader({ store: columns, clock });
  const context: RumViewsContext = {
    ...{ bus, relational, telemetry: { ...telemetry, store: columns }, clock, log, reader },
    usualOf: createUsual({ reader, clock }),
    apps: () => ({
      apps: async (tenant) => appsOf.get(tenant) ?? [],
      surface: () => ({ surface: 'open', sentence: '' }),
      counters: async () => NO_COUNTS,
      rejects: async () => NO_REFUSALS,
    }),
    outcomesOfHosts: async (_tenant, hosts) => new Map([...outcomes].filter(([host]) => hosts.includes(host))),
    signals: {
      settle: async (tenant, scope, present) => void settled.push({ tenant, scope, present }),
      openKeys: async () => [],
    },
    incidentsOf: async () => [],
    changesOf: async () => [],
  };
  const subscription = await subscribeViews({ ...context, columns }, createConsumer({ ...context, columns }));
  return {
    ...{ database, telemetry, bus, context, clock, outcomes, settled, store },
    async newTenant(hosts = []) {
      const tenant = parseTenantId(`t-${randomUUID().slice(0, 8)}`);
      await createTenant(relational, { id: tenant, name: tenant });
      appsOf.set(tenant, [{ id: uuidv7(), name: 'shop', hosts, created_at: new Date(0) }]);
      const principal = { kind: 'system' as const, id: 'test', tenant, permissions: new Set(['rum.read' as const]) };
      return { tenant, ctx: { principal, requestId: 'test' } };
    },
    publish: async (all) =>
      await bus.publish(
        TOPICS.rumEvents,
        all.map((one) => ({
          tenant: parseTenantId(one.tenant),
          value: Buffer.from(JSON.stringify(toCanonicalView(one)), 'utf8'),
        })),
      ),
    async fence() {
      const rows = await relational.directory<{ fence: string }>('take_fenced_lease', ['rum-verdicts', 'test', 60_000]);
      return { lease: 'rum-verdicts', number: Number(rows[0]?.fence), signal: new AbortController().signal };
    },
    async close() {
      await subscription.close();
      await telemetry.close();
      await database.close();
    },
  };
}
