import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import pg from 'pg';
import { pino } from 'pino';
import { uuidv7 } from 'uuidv7';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createFolderBlobs } from '#blobs';
import { type Bus, createLogBus } from '#bus';
import { createRootCa, createSealer, createServerLeaf, spkiPin } from '#crypto';
import { parseTenantId } from '#kernel';
import type { Telemetry } from '#telemetry';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { openFreshTelemetry } from '#test-telemetry';
import { compose, type Product } from '../compose/product.ts';
import { loadConfig } from '../config.ts';

const TENANT = parseTenantId('acme');
const HOST = 'shop.example';
/** Of the visitor: neither may be found anywhere afterwards. */
const ADDRESS = '198.51.100.77';
const AGENT = 'Visitor/7.31 (of nobody)';
const SEED_WAIT = { timeout: 60_000, interval: 200 };

let folder: string;
let database: TestDatabase;
let owner: pg.Client;
let telemetry: Telemetry;
let bus: Bus;
let product: Product;
let token: string;
const logged: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-real-users-'));
  const log = pino(
    { level: 'trace' },
    new Writable({
      write: (chunk, _encoding, done) => {
        logged.push(String(chunk));
        done();
      },
    }),
  );
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  telemetry = await openFreshTelemetry(join(folder, 'clickhouse'));
  bus = await createLogBus({ folder: join(folder, 'log'), log });
  const ca = await createRootCa({ commonName: 'real users test' });
  const leaf = await createServerLeaf(ca, { hosts: ['localhost'] });
  const config = loadConfig({ SVC_DATA_DIR: folder, SVC_PUBLIC_URL: 'https://localhost:8443' });
  const dataDir = { path: folder, join: (...parts: string[]) => join(folder, ...parts), release: () => {} };
  const open = { relational: database.relational, telemetry, bus, blobs: createFolderBlobs(dataDir.join('blobs')) };
  const stores = { ...open, dataDir, sealer: createSealer(randomBytes(32)), databaseEnded: undefined, close: async () => {} };
  const tls = { key: leaf.keyPem, cert: leaf.certPem, ca: ca.certPem, pin: spkiPin(ca.certPem), notAfterMs: Date.now() };
  product = await compose({ config, stores, tls, log });
  await product.http.app.ready();
  const { identity, rum, rumViews, results } = product.slices;
  await identity.ensureTenant(TENANT, { name: 'acme', simulated: false });
  ({ secret: token } = await identity.mintToken(TENANT, { name: 't', roles: ['admin'], expiresAt: undefined }));
  await rum.start();
  await results.start();
  await rumViews.start((role) => role === 'consume');
});
afterAll(async () => {
  await product?.drain();
  await bus?.close();
  await telemetry?.close();
  await owner?.end();
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

const api = async <T>(method: 'GET' | 'POST', url: string, payload?: object): Promise<T> => {
  const headers = { host: 'localhost:8443', authorization: `Bearer ${token}` };
  const answer = await product.http.app.inject({ method, url, headers, ...(payload ? { payload } : {}) });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answer.json<T>();
};

const send = async (key: string, lcp: number): Promise<number> => {
  const body = { v: 1, key, consent: true, host: HOST, page: '/cart/42', browser: 'firefox', vitals: { lcp_ms: lcp } };
  const headers = { host: 'localhost:8443', 'content-type': 'text/plain', 'user-agent': AGENT, 'x-forwarded-for': ADDRESS };
  const options = { method: 'POST' as const, url: '/ingest/rum', headers, remoteAddress: ADDRESS };
  return (await product.http.app.inject({ ...options, payload: JSON.stringify(body) })).statusCode;
};

interface Overview {
  verdicts: { host: string; views: number; verdict: string; sentence: string; incident: { number: number } | null }[];
  counters: { accepted: number; rejected_unknown_key: number };
  coverage_note: string;
}

/** Tables of the column store that views come into: their files are compressed. */
const COLUMNS = ['results', 'rum_views', 'series', 'latest_results'];

/** Every byte that this product keeps in files, and every row of its stores. */
async function readAll(): Promise<{ place: string; bytes: Buffer }[]> {
  const found: { place: string; bytes: Buffer }[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const place = join(entry.parentPath, entry.name);
    if (entry.isFile()) found.push({ place, bytes: await readFile(place).catch(() => Buffer.alloc(0)) });
  }
  const { rows: tables } = await owner.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  );
  await owner.query("SELECT set_config('app.tenant_id', $1, false)", [TENANT]);
  for (const { name } of tables) {
    const { rows } = await owner.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
    found.push({ place: name, bytes: Buffer.from(rows.map(({ row }) => row).join('\n')) });
  }
  for (const name of COLUMNS) {
    const rows = await telemetry.store.read(TENANT, `SELECT * FROM ${name} WHERE tenant_id = {tenant:String}`);
    found.push({ place: name, bytes: Buffer.from(JSON.stringify(rows)) });
  }
  return found;
}

test('users who hurt join the incident of the failing test, and nothing is kept of whoever they are', async () => {
  const { keys } = await api<{ keys: { key: string }[] }>('POST', '/v1/rum/apps', { name: 'shop' });
  const key = keys[0]?.key ?? '';
  for (let i = 0; i < 20; i++) expect(await send(key, 5200)).toBe(202);
  expect(await send('app_nobody', 1)).toBe(401);
  await vi.waitFor(async () => expect((await api<Overview>('GET', '/v1/rum')).verdicts[0]?.views).toBe(20), SEED_WAIT);
  await product.slices.incidents.raise(TENANT, {
    ...{ plane: 'tests', kind: 'test.failing', severity: 'critical', title: 'shop checkout fails', summary: '', attributes: {} },
    ...{ target: `https://${HOST}/cart`, occurred_at: new Date().toISOString(), dedup_key: `test.failing/${uuidv7()}` },
  });
  await product.slices.rumViews.start((role) => role === 'evaluate');
  const judged = await vi.waitFor(async () => {
    const overview = await api<Overview>('GET', '/v1/rum');
    expect(overview.verdicts[0]).toMatchObject({ verdict: 'user_only_synthetic_blind', incident: { number: 1 } });
    return overview;
  }, SEED_WAIT);
  expect(judged.verdicts[0]?.sentence).toContain(`Users of ${HOST} hurt: p75 LCP 5.2 s over 20 views`);
  expect(judged.counters).toMatchObject({ accepted: 20, rejected_unknown_key: 0 });
  expect(judged.coverage_note).toContain('no proof of health');
  const { items } = await api<{ items: { id: string; planes: string[]; signal_count: number }[] }>('GET', '/v1/incidents');
  expect(items).toMatchObject([{ planes: expect.arrayContaining(['rum', 'tests']), signal_count: 2 }]);
  const signals = await api<{ items: { kind: string; summary: string }[] }>('GET', '/v1/signals');
  expect(signals.items.find(({ kind }) => kind === 'rum.user_impact_unseen_by_synthetics')?.summary).toContain(
    '20 of 20 views in 15 minutes were hurt.',
  );
  const why = await api<{ evidence: { plane: string; sentence: string }[] }>('GET', `/v1/incidents/${items[0]?.id}/rca`);
  expect(why.evidence.find(({ plane }) => plane === 'rum')?.sentence).toMatch(
    /^shop on shop\.example: .* of 20 views .* 5\.2 s\.$/,
  );
  const page = await api<{ incidents: object[]; pages: { items: { page: string }[] } }>('GET', `/v1/rum/shop/${HOST}`);
  expect(page).toMatchObject({ incidents: [{ number: 1 }], pages: { items: [{ page: '/cart/:id' }] } });
  const kept = await readAll();
  expect(kept.filter(({ bytes }) => bytes.includes('/cart/:id')).length).toBeGreaterThanOrEqual(3);
  const telling = kept.filter(({ bytes }) => bytes.includes(ADDRESS) || bytes.includes(AGENT) || bytes.includes('Visitor/'));
  expect(telling.map(({ place }) => place)).toEqual([]);
  expect(logged.filter((line) => line.includes(ADDRESS) || line.includes('Visitor/'))).toEqual([]);
});
