import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PERMISSIONS } from '@svc/contracts/permissions';
import { pino } from 'pino';
import { createFolderBlobs } from '../../server/src/blobs/index.ts';
import { type Bus, createMemoryBus, type Subscription } from '../../server/src/bus/index.ts';
import { type ComposeDeps, compose, type Product } from '../../server/src/compose/product.ts';
import { loadConfig } from '../../server/src/config.ts';
import { createRootCa, createSealer, createServerLeaf, spkiPin } from '../../server/src/crypto/index.ts';
import { type Clock, systemClock, type TenantId } from '../../server/src/kernel/index.ts';
import { createTestDatabase } from '../../server/src/relational/test-database.ts';
import { openTestTelemetry } from '../../server/src/telemetry/test-telemetry.ts';

/** Everything that waits on the bus at once. */
const BUS_BYTES = 1024 ** 3;

/** The whole product as it is composed, on real stores and with its real consumers; its clock is moved by hand, and its evaluators are called. */
export interface CausesProduct {
  product: Product;
  bus: Bus;
  relational: Awaited<ReturnType<typeof createTestDatabase>>['relational'];
  clock: Clock;
  log: ComposeDeps['log'];
  /** Moves the time that every slice reads; it stands still otherwise. */
  setNow(ms: number): void;
  /** Resolves when every consumer has handled all that was published. */
  drained(): Promise<void>;
  callerOf(tenant: TenantId): ReturnType<Product['router']['createCaller']>;
  close(): Promise<void>;
}

/** Consumers wait for more for so long at most: nobody here sends anything else meanwhile. */
const LINGER_MS = 100;

/** A bus whose subscriptions are known. */
function watchBus(bus: Bus): { bus: Bus; subscriptions: Subscription[] } {
  const subscriptions: Subscription[] = [];
  const subscribe: Bus['subscribe'] = async (options, handler) => {
    const subscription = await bus.subscribe({ ...options, lingerMs: LINGER_MS }, handler);
    subscriptions.push(subscription);
    return subscription;
  };
  return { bus: { ...bus, subscribe }, subscriptions };
}

async function openTls() {
  const ca = await createRootCa({ commonName: 'causes' });
  const leaf = await createServerLeaf(ca, { hosts: ['localhost'] });
  return { key: leaf.keyPem, cert: leaf.certPem, ca: ca.certPem, pin: spkiPin(ca.certPem), notAfterMs: Date.now() + 1e10 };
}

async function startConsumers({ slices }: Product): Promise<void> {
  const consumes = (role: string): boolean => role === 'consume' || role === 'ingest';
  const only = (role: string): boolean => role === 'consume';
  await slices.tests.start();
  await slices.changes.start(consumes);
  for (const slice of [slices.endpoint, slices.otlpStore, slices.testRuns, slices.rumViews]) await slice.start(only);
}

export async function openCausesProduct(): Promise<CausesProduct> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-causes-'));
  const log: ComposeDeps['log'] = pino({ level: 'error' });
  const database = await createTestDatabase({ poolSize: 10 });
  const telemetry = await openTestTelemetry();
  const { bus, subscriptions } = watchBus(createMemoryBus({ log, maxBytes: BUS_BYTES }));
  const dataDir = { path: folder, join: (...parts: string[]) => join(folder, ...parts), release: () => {} };
  const open = { relational: database.relational, telemetry, bus, blobs: createFolderBlobs(join(folder, 'blobs')) };
  const stores = { ...open, dataDir, sealer: createSealer(randomBytes(32)), databaseEnded: undefined, close: async () => {} };
  const config = loadConfig({ SVC_DATA_DIR: folder, SVC_PUBLIC_URL: 'https://localhost:8443', SVC_API_RATE_PER_MIN: '0' });
  const product = await compose({ config, stores, tls: await openTls(), log });
  await product.http.app.ready();
  await startConsumers(product);
  const permissions = new Set(PERMISSIONS);
  return {
    ...{ product, bus, relational: database.relational, clock: systemClock, log },
    setNow: (ms) => {
      systemClock.now = () => ms;
    },
    async drained() {
      while ((await Promise.all(subscriptions.map((one) => one.lag()))).some((lag) => lag > 0)) await sleep(20);
    },
    callerOf: (tenant) => {
      const principal = { kind: 'account' as const, id: 'somebody', tenant, permissions };
      return product.router.createCaller({ requestId: 'causes', ctx: { requestId: 'causes', principal } });
    },
    async close() {
      systemClock.now = () => Date.now();
      await product.drain();
      await bus.close();
      await telemetry.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
