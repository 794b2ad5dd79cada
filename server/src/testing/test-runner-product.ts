// The whole product on real listeners, as runners of synthetic tests see it; more than one on the same stores are replicas.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PERMISSIONS } from '@svc/contracts/permissions';
import type { Test } from '@svc/contracts/tests/test';
import { enrolCanary } from '@svc/runner/remote/enrol';
import type { Credentials } from '@svc/runner/remote/identity-store';
import { pino } from 'pino';
import { createFolderBlobs } from '#blobs';
import { createMemoryBus } from '#bus';
import { createRootCa, createSealer, createServerLeaf, spkiPin } from '#crypto';
import { type Ctx, parseTenantId, type TenantId } from '#kernel';
import { createTenant } from '#relational';
import { createTestDatabase } from '#test-database';
import { openTestTelemetry } from '#test-telemetry';
import { compose, type Product } from '../compose/product.ts';
import { loadConfig } from '../config.ts';

export const ACME = parseTenantId('acme');
export const OTHER = parseTenantId('other');

const ctxOf = (tenant: TenantId): Ctx => ({
  principal: { kind: 'account', id: 'somebody', tenant, permissions: new Set(PERMISSIONS) },
  requestId: 'r',
});

export interface OneProduct {
  product: Product;
  ports: { http: number; grpc: number };
  callerOf(tenant: TenantId): ReturnType<Product['router']['createCaller']>;
}

interface StoresOfTest {
  folder: string;
  database: Awaited<ReturnType<typeof createTestDatabase>>;
  telemetry: Awaited<ReturnType<typeof openTestTelemetry>>;
  sealer: ReturnType<typeof createSealer>;
  tls: Parameters<typeof compose>[0]['tls'];
}

async function openProduct({ folder, database, telemetry, sealer, tls }: StoresOfTest): Promise<OneProduct> {
  const config = loadConfig({
    ...{ SVC_DATA_DIR: folder, SVC_PUBLIC_URL: 'https://localhost:8443', SVC_API_RATE_PER_MIN: '0' },
    ...{ SVC_LISTEN_ADDR: '127.0.0.1:0', SVC_AGENT_GRPC_ADDR: '127.0.0.1:0', SVC_TARGETS_ALLOW: '127.0.0.1' },
    ...{ SVC_OTLP_GRPC_ADDR: '127.0.0.1:0', SVC_OTLP_HTTP_ADDR: '127.0.0.1:0' },
  });
  const dataDir = { path: folder, join: (...parts: string[]) => join(folder, ...parts), release: () => {} };
  const log = pino({ level: 'silent' });
  // In memory each has its own.
  const bus = createMemoryBus({ log });
  const open = { relational: database.relational, telemetry, bus, blobs: createFolderBlobs(join(folder, 'blobs')) };
  const stores = { ...open, dataDir, sealer, databaseEnded: undefined, close: async () => {} };
  const product = await compose({ config, stores, tls, log });
  const started = await product.start();
  return {
    product,
    ports: { http: started.httpPort, grpc: started.grpcPort ?? 0 },
    callerOf: (tenant) => product.router.createCaller({ requestId: 'r', ctx: ctxOf(tenant) }),
  };
}

/** A site on loopback, and what it was asked with. */
async function openShop() {
  const seen: (string | undefined)[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end('fine');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { seen, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

async function openTls(): Promise<StoresOfTest['tls']> {
  const ca = await createRootCa({ commonName: 'runners test' });
  const leaf = await createServerLeaf(ca, { hosts: ['localhost', '127.0.0.1'] });
  return {
    ...{ key: leaf.keyPem, cert: `${leaf.certPem}${ca.certPem}`, ca: ca.certPem, pin: spkiPin(ca.certPem) },
    notAfterMs: Date.now() + 1e10,
  };
}

/** Two tenants, a shop, and the product; `openReplica` opens a further one on the same stores. */
export async function openRunnerProduct() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-runners-'));
  const database = await createTestDatabase({ poolSize: 8 });
  const telemetry = await openTestTelemetry();
  const stores: StoresOfTest = { folder, database, telemetry, sealer: createSealer(randomBytes(32)), tls: await openTls() };
  for (const id of [ACME, OTHER]) await createTenant(database.relational, { id, name: id });
  const shop = await openShop();
  const first = await openProduct(stores);
  const opened = [first];
  return {
    ...first,
    ...{ folder, database, telemetry, shop, sealer: stores.sealer },
    async openReplica(): Promise<OneProduct> {
      const replica = await openProduct(stores);
      opened.push(replica);
      return replica;
    },
    /** A runner elsewhere of a tenant, by its token. */
    async enrol(
      tenant: TenantId,
      more: { name?: string; labels?: Record<string, string>; protocol?: number } = {},
    ): Promise<Credentials> {
      const { token } = await first.callerOf(tenant).runners.createToken({ name: 'lab' });
      const credentials = await enrolCanary({
        ...{ server: `https://127.0.0.1:${first.ports.http}`, token, version: '0.1.0', keyPem: undefined },
        ...{ name: more.name, labels: more.labels ?? {} },
        ...(more.protocol === undefined ? {} : { protocol: more.protocol }),
      });
      return { ...credentials, grpc_addr: `127.0.0.1:${first.ports.grpc}` };
    },
    async addTest(tenant: TenantId, runners: Test['runners'], more: object = {}): Promise<Test> {
      const name = `test ${randomBytes(6).toString('hex')}`;
      const spec = { type: 'http', name, target: shop.url, interval_seconds: 1, runners, ...more };
      return (await first.callerOf(tenant).tests.create({ test: spec as never })).test;
    },
    /** Results of a test as they are stored. */
    resultsOf: async (tenant: TenantId, test: Test) =>
      await telemetry.store.read<{ agent_id: string; result_id: string; success: boolean | null; ms: string }>(
        tenant,
        `SELECT agent_id, result_id, success, toUnixTimestamp64Milli(ts) AS ms FROM results
         WHERE tenant_id = {tenant:String} AND test_id = {test:String} ORDER BY ts`,
        { test: test.id },
      ),
    async close(): Promise<void> {
      shop.server.closeAllConnections();
      shop.server.close();
      for (const { product } of opened.splice(0).reverse()) await product.drain();
      await telemetry.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
