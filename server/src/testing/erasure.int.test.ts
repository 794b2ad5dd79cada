import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOPICS } from '@svc/contracts/bus-topics';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFolderBlobs } from '#blobs';
import { type Bus, createMemoryBus } from '#bus';
import { createRootCa, createSealer, createServerLeaf, spkiPin } from '#crypto';
import { keptData, parseTenantId, type Slice, type TenantId } from '#kernel';
import type { Telemetry } from '#telemetry';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { openTestTelemetry } from '#test-telemetry';
import { compose, type Product } from '../compose/product.ts';
import { loadConfig } from '../config.ts';
import { beginErasure, findErasure } from '../features/lifecycle/erasures.ts';
import { exportAllRows, exportTenant } from '../features/lifecycle/export/export-tenant.ts';

/** Of the platform, with nothing of a tenant's in them: applied migrations, who works on what, who writes where. */
const OF_THE_PLATFORM = ['_prisma_migrations', 'leases', 'schema_migrations', 'write_claims'];
const ADMIN = { kind: 'system', id: 'test' } as const;
const ROWS = 10_000;

let database: TestDatabase;
let telemetry: Telemetry;
let owner: pg.Client;
let folder: string;
let bus: Bus;
let product: Product;

async function composeProduct(): Promise<Product> {
  const log = pino({ level: 'silent' });
  const ca = await createRootCa({ commonName: 'erasure test' });
  const leaf = await createServerLeaf(ca, { hosts: ['localhost'] });
  const config = loadConfig({ SVC_DATA_DIR: folder, SVC_PUBLIC_URL: 'https://localhost:8443', SVC_API_RATE_PER_MIN: '0' });
  const dataDir = { path: folder, join: (...parts: string[]) => join(folder, ...parts), release: () => {} };
  const open = { relational: database.relational, telemetry, bus, blobs: createFolderBlobs(dataDir.join('blobs')) };
  const stores = { ...open, dataDir, sealer: createSealer(randomBytes(32)), databaseEnded: undefined, close: async () => {} };
  const tls = { key: leaf.keyPem, cert: leaf.certPem, ca: ca.certPem, pin: spkiPin(ca.certPem), notAfterMs: Date.now() };
  return await compose({ config, stores, tls, log });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-erasure-'));
  database = await createTestDatabase();
  telemetry = await openTestTelemetry();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  bus = createMemoryBus({ log: pino({ level: 'silent' }) });
  product = await composeProduct();
});
afterAll(async () => {
  await product?.drain();
  await telemetry?.close();
  await owner?.end();
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

const allSlices = (): Slice[] => Object.values<Slice>(product.slices);
const all = () => allSlices().flatMap((slice) => keptData(slice) ?? []);

async function columnTables(): Promise<string[]> {
  const sql = `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND {tenant:String} != ''`;
  return (await telemetry.store.read<{ name: string }>(parseTenantId('any'), sql)).map(({ name }) => name);
}

async function relationalTables(): Promise<string[]> {
  const text = "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace";
  return (await owner.query<{ name: string }>(text)).rows.map(({ name }) => name);
}

/** Tables of PostgreSQL and of the column store that have rows of a tenant, with how many. */
async function rowsOf(tenant: TenantId): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  await owner.query("SELECT set_config('app.tenant_id', $1, false)", [tenant]);
  const owned =
    "SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'tenant_id' AND table_schema = 'public'";
  for (const { name } of (await owner.query<{ name: string }>(owned)).rows) {
    const { rows } = await owner.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${name} WHERE tenant_id = $1`, [tenant]);
    if (rows[0]?.n) found[name] = rows[0].n;
  }
  for (const name of await columnTables()) {
    if (OF_THE_PLATFORM.includes(name)) continue;
    // As they read: a merge may come between two looks. Partitions are tenants, and keys are without them.
    const sql = `SELECT toFloat64(count()) AS n FROM ${name}${['logs', 'spans'].includes(name) ? '' : ' FINAL'} WHERE tenant_id = {tenant:String}
      SETTINGS do_not_merge_across_partitions_select_final = 1`;
    const [row] = await telemetry.store.read<{ n: number }>(tenant, sql);
    if (row?.n) found[name] = row.n;
  }
  return found;
}

const COLUMN_ROWS = [
  `INSERT INTO results (tenant_id, canary_type, agent_id, ts, result_id, present, success, duration_ms, cause)
    SELECT {tenant:String}, 'endpoint.attribution', {agent:String}, now64(3) - number % 7200, generateUUIDv4(), 1, 1, 1, 'wifi' FROM numbers(${ROWS})`,
  `INSERT INTO series (tenant_id, agent, metric, fp, month, labels)
    SELECT {tenant:String}, {agent:String}, 'm', cityHash64({agent:String}), toYYYYMM(now()), map('agent', {agent:String})`,
  `INSERT INTO samples (tenant_id, metric, fp, ts, value)
    SELECT {tenant:String}, 'm', cityHash64({agent:String}), now64(3) - number, 1 FROM numbers(1000)`,
  `INSERT INTO sample_hours (tenant_id, metric, fp, hour, points)
    SELECT {tenant:String}, 'm', cityHash64({agent:String}), intDiv(toUnixTimestamp(now()), 3600), 1`,
  `INSERT INTO logs (tenant_id, ts, body, service, bus_offset, row)
    SELECT {tenant:String}, now64(9) - number % 3, {agent:String}, 's', 1, number FROM numbers(1500)`,
  `INSERT INTO spans (tenant_id, ts, duration_ns, trace_id, span_id, name, service)
    SELECT {tenant:String}, now64(9), 1, unhex('ac'), reinterpretAsFixedString(number), {agent:String}, 's' FROM numbers(1200)`,
  `INSERT INTO metric_series (tenant_id, metric, fp, month, otel_name, kind)
    SELECT {tenant:String}, 'm', 1, toYYYYMM(now(), 'UTC'), 'm', 'gauge'`,
  `INSERT INTO metric_points (tenant_id, metric, fp, ts, value, keep_days) SELECT {tenant:String}, 'm', number, now64(3), 1, 30 FROM numbers(10)`,
  `INSERT INTO metric_histograms (tenant_id, metric, fp, ts, count, keep_days) SELECT {tenant:String}, 'h', 1, now64(3), 1, 30`,
  `INSERT INTO metric_exemplars (tenant_id, metric, fp, ts) SELECT {tenant:String}, 'm', 1, now64(3)`,
  `INSERT INTO metric_hours (tenant_id, metric, fp, hour, points) SELECT {tenant:String}, 'm', 1, intDiv(toUnixTimestamp(now()), 3600), 1`,
  `INSERT INTO edges (tenant_id, minute, source, target, kind, calls, version)
    SELECT {tenant:String}, intDiv(toUnixTimestamp(now()), 60), 'a', 'b', 'call', 1, 1`,
  `INSERT INTO test_runs (tenant_id, test_id, runner_id, ts, result_id, outcome)
    SELECT {tenant:String}, generateUUIDv4(), 'r', now64(3) - number, generateUUIDv4(), 1 FROM numbers(10)`,
  `INSERT INTO test_hours (tenant_id, test_id, runner_id, hour, passed, version)
    SELECT {tenant:String}, generateUUIDv4(), 'r', intDiv(toUnixTimestamp(now()), 3600), 1, 1`,
  `INSERT INTO rum_views (tenant_id, app, host, ts, result_id, lcp) SELECT {tenant:String}, 'shop', 'h', now64(3) - number, generateUUIDv4(), 1 FROM numbers(10)`,
  `INSERT INTO rum_hours (tenant_id, app, host, hour, views, version) SELECT {tenant:String}, 'shop', 'h', intDiv(toUnixTimestamp(now()), 3600), 1, 1`,
  `INSERT INTO rum_day_marks (tenant_id, day, rolled) SELECT {tenant:String}, toUInt32(toDate(now())), 1`,
  `INSERT INTO edge_minutes (tenant_id, minute, spans, version) SELECT {tenant:String}, intDiv(toUnixTimestamp(now()), 60), 1, 1`,
  `INSERT INTO edge_marks (tenant_id, minute, writes) SELECT {tenant:String}, intDiv(toUnixTimestamp(now()), 60), 1`,
];

const AGENT = `INSERT INTO agents (tenant_id, id, key_hash, public_key, device_name, owner_email, ring, protocol, cert_not_after)
  VALUES ($1, $2, $3, '\\x00', 'd', $4, 'main', 1, now())`;
const SUMMARY = `INSERT INTO endpoint_summary (tenant_id, agent_id, ring, state, enrolled_at) VALUES ($1, $2, 'main', 'running', now())`;

interface Device {
  agent: string;
  owner: string;
}

async function addDevice(tenant: TenantId, device: Device): Promise<void> {
  await database.relational.withTenantSql(tenant, async (sql) => {
    const { agent, owner: email } = device;
    await sql.query(AGENT, [tenant, agent, createHash('sha256').update(agent).digest(), email]);
    await sql.query(SUMMARY, [tenant, agent]);
    await sql.query(`INSERT INTO endpoint_sessions (tenant_id, agent_id, targets) VALUES ($1, $2, '{}')`, [tenant, agent]);
  });
  for (const sql of COLUMN_ROWS) await telemetry.store.derive(tenant, sql, { agent: device.agent });
}

/** A tenant with rows in every table of the column store and in those of PostgreSQL that people and devices fill. */
async function fillTenant(name: string): Promise<TenantId> {
  const tenant = parseTenantId(`${name}-${randomUUID().slice(0, 8)}`);
  await product.slices.identity.ensureTenant(tenant, { name, simulated: false });
  await product.slices.identity.createClaimLink(tenant);
  await product.slices.identity.mintToken(tenant, { name: 't', roles: ['viewer'], expiresAt: undefined });
  await addDevice(tenant, { agent: randomUUID(), owner: 'a@b.test' });
  await database.relational.withTenantSql(tenant, async (sql) => {
    await sql.query("INSERT INTO otlp_signals VALUES ($1, 'logs', now(), now(), 1)", [tenant]);
    await sql.query("INSERT INTO cardinality_days (tenant_id, day, kind, bound) VALUES ($1, now(), 'targets', 1)", [tenant]);
    await sql.query('INSERT INTO bus_quarantine_dropped SELECT $1, now()::date - n, 1, 1 FROM generate_series(1, $2) n', [
      tenant,
      ROWS,
    ]);
  });
  return tenant;
}

const KEPT = ['audit_entries', 'audit_heads', 'tenant_erasures'];
const beyondTrail = (rows: Record<string, number>) =>
  Object.fromEntries(Object.entries(rows).filter(([name]) => !KEPT.includes(name)));

async function exported(tenant: TenantId): Promise<string[]> {
  const tables = new Set<string>();
  for (const data of all()) for await (const { table, rows } of data.exportRows(tenant)) if (rows.length > 0) tables.add(table);
  return [...tables].sort();
}

const deps = () => ({ relational: database.relational, appendAudit: product.slices.audit.appendAudit, clock: Date });

test('every table of both stores belongs to exactly one slice', async () => {
  const owned = all().flatMap(({ owns: { relational = [], columns = [] } }) => [...relational, ...columns]);
  expect(owned.filter((table, at) => owned.indexOf(table) !== at)).toEqual([]);
  const there = [...(await relationalTables()), ...(await columnTables())];
  expect([...owned, ...OF_THE_PLATFORM].sort()).toEqual(there.sort());
});

test('a tenant goes from every table but its trail, another one keeps every row, and the second time nothing is found', async () => {
  const [gone, stays] = [await fillTenant('gone'), await fillTenant('stays')];
  const before = await rowsOf(stays);
  const had = await rowsOf(gone);
  const columns = (await columnTables()).filter((name) => !OF_THE_PLATFORM.includes(name));
  expect(columns.filter((name) => !had[name])).toEqual([]);
  expect(await exported(gone)).toEqual(expect.arrayContaining(['logs', 'spans', 'metric_points', 'edges', 'results', 'agents']));
  await beginErasure(deps(), gone, ADMIN);
  await product.slices.lifecycle.eraseNow(gone);
  expect(beyondTrail(await rowsOf(gone))).toEqual({});
  expect(await exported(gone)).toEqual(['audit_entries']);
  expect(await rowsOf(stays)).toEqual(before);
  const row = await findErasure(database.relational, gone);
  expect(row).toMatchObject({
    finished_at: expect.any(Date),
    erased: { results: ROWS, bus_quarantine_dropped: ROWS, agents: 1 },
  });
  await product.slices.lifecycle.eraseNow(gone);
  expect(await findErasure(database.relational, gone)).toEqual(row);
  expect(await product.slices.identity.ensureTenant(gone, { name: 'again', simulated: false })).toBe(false);
  expect(await product.slices.audit.verify(gone, { maxEntries: 1000 })).toMatchObject({ ok: true });
});

/** Tables of bookkeeping, of secrets, and of what is computed from the rest: no export holds them. */
const NOT_EXPORTED = [
  ...['audit_heads', 'cause_hours', 'credential_keys', 'edge_marks', 'edge_minutes', 'latest_results', 'metric_marks'],
  ...['sample_marks', 'samples', 'series', 'test_marks', 'rum_marks', 'rum_day_marks'],
];

test('an export has as many rows of each table as the tenant has, none of another one, and is in the trail', async () => {
  const [mine, other] = [await fillTenant('mine'), await fillTenant('theirs')];
  const had = await rowsOf(mine);
  const exportRows = (tenant: TenantId) => exportAllRows(allSlices(), tenant);
  const written = await exportTenant({ ...deps(), exportRows }, mine, join(folder, 'mine'));
  const rows = Object.fromEntries(written.manifest.files.filter((file) => file.rows > 0).map((file) => [file.table, file.rows]));
  const { audit_entries: entries = 0, ...kept } = had;
  for (const table of NOT_EXPORTED) delete kept[table];
  expect(rows).toEqual({ ...kept, audit_entries: entries + 1 });
  const content = written.manifest.files.map(({ file }) => readFileSync(join(folder, 'mine', file), 'utf8')).join('');
  expect(content).not.toContain(other);
  const agents = await database.relational.withTenantSql(
    other,
    async (sql) => await sql.query<{ id: string }>('SELECT id FROM agents'),
  );
  for (const { id } of agents.rows) expect(content).not.toContain(id);
  const trail: unknown[] = [];
  for await (const page of keptData(product.slices.audit)?.exportRows(mine) ?? []) trail.push(...page.rows);
  expect(JSON.stringify(trail.at(-2))).toContain('"tenant.export"');
  expect(JSON.stringify(trail.at(-1))).toContain(written.sha256);
  await expect(exportTenant({ ...deps(), exportRows }, parseTenantId('nobody'), join(folder, 'x'))).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('goes on where it ended half-way', async () => {
  const tenant = await fillTenant('half');
  await beginErasure(deps(), tenant, ADMIN);
  const data = keptData(product.slices.traces);
  if (!data) throw new Error('traces keep spans');
  const whole = data.eraseTenant;
  data.eraseTenant = async () => await Promise.reject(new Error('the store went away'));
  await expect(product.slices.lifecycle.eraseNow(tenant)).rejects.toThrow('the store went away');
  data.eraseTenant = whole;
  const half = beyondTrail(await rowsOf(tenant));
  expect(half.spans).toBeGreaterThan(0);
  expect(half.logs).toBeUndefined();
  expect(await findErasure(database.relational, tenant)).toMatchObject({ finished_at: null });
  await product.slices.lifecycle.eraseNow(tenant);
  expect(beyondTrail(await rowsOf(tenant))).toEqual({});
  expect(await findErasure(database.relational, tenant)).toMatchObject({ finished_at: expect.any(Date), erased: { logs: 1500 } });
});

test('what is still on the bus does not come back, and nothing more is taken', async () => {
  const [gone, stays] = [await fillTenant('bus'), await fillTenant('other')];
  const message = (tenant: TenantId) => ({ tenant, value: Buffer.from('{}') });
  await bus.publish(TOPICS.endpointResults, [message(gone), message(stays)]);
  await beginErasure(deps(), gone, ADMIN);
  await product.slices.lifecycle.eraseNow(gone);
  const seen: TenantId[] = [];
  const reading = await product.slices.lifecycle.bus.subscribe(
    { topic: TOPICS.endpointResults, group: 'erasure-test' },
    async ({ messages }) => void seen.push(...messages.map(({ tenant }) => tenant)),
  );
  while (!seen.includes(stays)) await sleep(20);
  expect(seen).not.toContain(gone);
  await reading.close();
  const refused = product.slices.lifecycle.bus.publish(TOPICS.endpointResults, [message(gone)]);
  await expect(refused).rejects.toMatchObject({ code: 'forbidden' });
  await product.slices.lifecycle.bus.publish(TOPICS.endpointResults, [message(stays)]);
});

test('nobody gets into a tenant from the moment that its erasure has begun, by a session or a new credential', async () => {
  const [gone, own] = [await fillTenant('closing'), await fillTenant('own')];
  const account = randomUUID();
  await owner.query('INSERT INTO accounts (id, issuer, subject, created_at) VALUES ($1, $2, $1, now())', [account, 'test']);
  for (const tenant of [gone, own])
    await owner.query('INSERT INTO account_tenants (account_id, tenant_id) VALUES ($1, $2)', [account, tenant]);
  const openSession = async (tenant: TenantId) =>
    (
      await owner.query('SELECT * FROM directory_open_session($1, $2, $3, $4, $5, NULL, now(), now() + interval $$1 hour$$)', [
        ...[createHash('sha256').update(randomUUID()).digest(), randomUUID(), account, tenant, 'test'],
      ])
    ).rows;
  const [session] = await openSession(own);
  await beginErasure(deps(), gone, ADMIN);
  expect((await owner.query('SELECT * FROM directory_move_session($1, $2, $3)', [session.id, account, gone])).rows).toEqual([]);
  expect(await openSession(gone)).toEqual([]);
  const tenants = await owner.query('SELECT id FROM directory_tenants_of_account($1)', [account]);
  expect(tenants.rows).toEqual([{ id: own }]);
  const late = product.slices.identity.mintToken(gone, { name: 'late', roles: ['viewer'], expiresAt: undefined });
  await expect(late).rejects.toMatchObject({ code: 'not_found' });
  // As a request would whose check was before the erasure began.
  await owner.query("SELECT set_config('app.tenant_id', $1, false)", [gone]);
  await owner.query('SELECT directory_add_credential($1, $2, $3)', [Buffer.alloc(32, 7), 'api_token', randomUUID()]);
  expect((await owner.query('SELECT 1 FROM credential_keys WHERE tenant_id = $1', [gone])).rows).toEqual([]);
});

test('many erasures at once take turns, and too many of one tenant are refused', async () => {
  const tenant = await fillTenant('crowd');
  const ctx = { principal: { kind: 'api_token', id: randomUUID(), tenant, permissions: new Set() } } as never;
  const asked = Array.from({ length: 20 }, () => product.slices.lifecycle.eraseSubject(ctx, { agent: randomUUID() }));
  const ended = await Promise.allSettled(asked);
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  for (const one of ended) if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'rate_limited' });
});

test('a person goes with their devices and what those measured; other devices and other tenants keep theirs', async () => {
  const [tenant, other] = [await fillTenant('person'), await fillTenant('others')];
  const [theirs, another] = [randomUUID(), randomUUID()];
  await addDevice(tenant, { agent: theirs, owner: 'Leaves@Person.test' });
  await addDevice(tenant, { agent: another, owner: 'stays@person.test' });
  await addDevice(other, { agent: randomUUID(), owner: 'leaves@person.test' });
  const [before, ofOther] = [await rowsOf(tenant), await rowsOf(other)];
  const ctx = { principal: { kind: 'api_token', id: randomUUID(), tenant, permissions: new Set() } } as never;
  const erased = await product.slices.lifecycle.eraseSubject(ctx, { email: 'leaves@person.test' });
  expect(erased).toMatchObject({
    results: ROWS,
    latest_results: expect.any(Number),
    samples: 1000,
    sample_hours: 1,
    series: 1,
    agents: 1,
    endpoint_summary: 1,
  });
  const after = await rowsOf(tenant);
  expect(after).toMatchObject({ results: (before.results ?? 0) - ROWS, agents: (before.agents ?? 0) - 1, logs: before.logs });
  expect(await rowsOf(other)).toEqual(ofOther);
  const again = await product.slices.lifecycle.eraseSubject(ctx, { email: 'leaves@person.test' });
  expect(Object.values(again).every((rows) => rows === 0)).toBe(true);
});

test('the first tenant and one that never was are refused', async () => {
  await expect(beginErasure(deps(), parseTenantId('default'), ADMIN)).rejects.toMatchObject({ code: 'conflict' });
  await expect(beginErasure(deps(), parseTenantId('never-was'), ADMIN)).rejects.toMatchObject({ code: 'not_found' });
});
