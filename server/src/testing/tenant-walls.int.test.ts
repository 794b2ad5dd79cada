import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import type { Policy } from '@svc/contracts/policy';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { ProcedureMeta } from '#api';
import { createFolderBlobs } from '#blobs';
import { createMemoryBus } from '#bus';
import { createRootCa, createSealer, createServerLeaf, spkiPin } from '#crypto';
import { keptData, parseTenantId, type Slice, type TenantId } from '#kernel';
import { DIRECTORY_TABLES } from '#relational';
import type { Telemetry } from '#telemetry';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { openFreshTelemetry } from '#test-telemetry';
import { compose, type Product } from '../compose/product.ts';
import { loadConfig } from '../config.ts';
import { type Belongings, INPUTS } from './procedure-inputs.ts';
import { addChanges } from './test-changes-belongings.ts';
import { addNotify } from './test-notify-belongings.ts';

const ACME = parseTenantId('acme');
const OTHER = parseTenantId('other');
/** Stands in everything of acme that has a name. */
const MARK = 'of-acme-alone';

/** A log record as it would come by OTLP, now. */
const WRITE_LOG = `INSERT INTO logs (tenant_id, ts, body, service, attributes, bus_offset)
  SELECT {tenant:String}, now64(9), {mark:String}, {mark:String}, map('mark', {mark:String}), 1`;

const TRACE = 'ac'.repeat(16);
const SPAN = 'ac'.repeat(8);
const WRITE_SPAN = `INSERT INTO spans (tenant_id, ts, duration_ns, trace_id, span_id, name, service, attributes, attribute_types)
  SELECT {tenant:String}, now64(9), 1000, unhex('${TRACE}'), unhex('${SPAN}'), {mark:String}, {mark:String}, map('mark', {mark:String}), 's'`;

/** Procedures that show what came by OTLP. */
const READ_BY_OTLP = [
  'metrics.names',
  'metrics.values',
  'metrics.range',
  'metrics.rangeByUrl',
  'metrics.exemplars',
  'logs.list',
  'logs.facets',
  'traces.list',
  'traces.spans',
  'traces.scatter',
  'traces.facets',
  'traces.values',
  'traces.get',
];

const WRITE_METRICS = [
  `INSERT INTO metric_series (tenant_id, metric, fp, month, otel_name, kind, labels)
    SELECT {tenant:String}, {mark:String}, 1, toYYYYMM(now(), 'UTC'), {mark:String}, 'gauge', map('mark', {mark:String})`,
  `INSERT INTO metric_points (tenant_id, metric, fp, ts, value, keep_days) SELECT {tenant:String}, {mark:String}, 1, now64(3), 1, 30`,
  `INSERT INTO metric_exemplars (tenant_id, metric, fp, ts, attributes) SELECT {tenant:String}, {mark:String}, 1, now64(3), map('mark', {mark:String})`,
];

/** Acme's own admin cannot do these to its only admin or to acme itself; tests of identity and of erasing show their entries. */
const NEEDS_SECOND_PERSON = [
  ...['identity.members.remove', 'identity.switchTenant', 'identity.sessions.revoke', 'lifecycle.eraseTenant'],
];

let database: TestDatabase;
let folder: string;
let telemetry: Telemetry;
let owner: pg.Client;
let product: Product;
let acme: Belongings;
const credentials: Record<string, Record<string, string>> = {};

const own = { host: 'localhost:8443', 'sec-fetch-site': 'same-origin' };

type Cookies = Map<string, string>;

/** One request of a browser without a network, keeping its cookies. */
async function visit(cookies: Cookies, url: string, form?: Record<string, string>) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const { pathname, search } = new URL(url, 'https://localhost:8443');
  const answer = await product.http.app.inject({
    method: form ? 'POST' : 'GET',
    url: pathname + search,
    headers: { ...own, cookie, ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}) },
    ...(form ? { payload: new URLSearchParams(form).toString() } : {}),
  });
  for (const { name, value } of answer.cookies) cookies.set(name, value);
  return answer;
}

/** Claims the tenant and follows the sign-in to its end; gives the cookies of the session. */
async function signInAdmin(tenant: TenantId): Promise<Cookies> {
  await product.slices.identity.ensureTenant(tenant, { name: `Tenant ${tenant}`, simulated: false });
  const { url } = await product.slices.identity.createClaimLink(tenant);
  const cookies: Cookies = new Map();
  const token = new URL(url).searchParams.get('token') ?? '';
  const password = 'correct horse battery';
  const form = { token, email: `admin@${tenant}.test`, name: tenant === ACME ? MARK : 'Other', password, again: password };
  let answer = await visit(cookies, '/auth/claim', form);
  for (let hops = 0; hops < 10 && answer.headers.location !== '/'; hops += 1)
    answer = await visit(cookies, String(answer.headers.location));
  return cookies;
}

const call = async (name: string, input: object, headers: Record<string, string> = {}) => {
  const { type } = procedures().find((one) => one.name === name) ?? {};
  const asked = encodeURIComponent(JSON.stringify(input));
  const answer = await product.http.app.inject(
    type === 'query'
      ? { method: 'GET', url: `/trpc/${name}?input=${asked}`, headers: { ...own, ...headers } }
      : {
          method: 'POST',
          url: `/trpc/${name}`,
          headers: { ...own, ...headers, 'content-type': 'application/json' },
          payload: JSON.stringify(input),
        },
  );
  return { status: answer.statusCode, body: answer.body };
};

const procedures = () =>
  Object.entries(
    product.router._def.procedures as unknown as Record<
      string,
      { _def: { type: string; meta?: ProcedureMeta; inputs: z.ZodType[] } }
    >,
  ).map(([name, { _def }]) => ({ name, type: _def.type, meta: _def.meta, input: _def.inputs[0] }));

/** Erasing what acme has would leave the other procedures nothing: here it names nobody. */
const HARMLESS: typeof INPUTS = {
  ...INPUTS,
  'lifecycle.eraseSubject': () => ({ email: `nobody@${MARK}.test` }),
  'lifecycle.eraseTenant': () => ({ confirm: 'nobody' }),
};
const inputOf = (name: string): object => HARMLESS[name]?.(acme) ?? {};

const dataOf = <T>(answer: { body: string }): T => (JSON.parse(answer.body) as { result: { data: T } }).result.data;

async function addRunner(): Promise<string> {
  const runner = randomUUID();
  await database.relational.withTenantSql(ACME, async (sql) => {
    await sql.query(
      `INSERT INTO runners (tenant_id, id, key_hash, public_key, name, protocol, enrolled_at, cert_not_after)
       VALUES ($1, $2, $3, '\\x00', $4, 1, now(), now())`,
      [ACME, runner, createHash('sha256').update(runner).digest(), MARK],
    );
  });
  return runner;
}

/** Two, of which the first has two signals that belong to both. */
async function openIncidents(): Promise<Pick<Belongings, 'incident' | 'otherIncident' | 'signal'>> {
  const failing = (key: string, target: string): RaisedSignal => ({
    ...{
      plane: 'tests',
      kind: 'test.failing',
      severity: 'warning',
      title: `${MARK} fails`,
      summary: MARK,
      target,
      dedup_key: key,
    },
    ...{ attributes: { 'test.name': MARK }, occurred_at: new Date().toISOString(), prefix: '203.0.113.0/24' },
  });
  const { incidents } = product.slices;
  await incidents.raise(ACME, [
    { ...failing('other', 'other.test'), prefix: undefined },
    failing('first', `${MARK}.test`),
    { ...failing('third', '203.0.113.9'), prefix: undefined },
  ]);
  await database.relational.withTenantSql(ACME, async (sql) => {
    await sql.query('INSERT INTO incident_settings (tenant_id) VALUES ($1)', [ACME]);
    await sql.query(
      `INSERT INTO incident_links (tenant_id, incident_id, other_id, why) SELECT a.tenant_id, a.id, b.id, $1 FROM incidents a, incidents b
       WHERE a.number = 1 AND b.number = 2`,
      [MARK],
    );
  });
  const { items } = dataOf<IncidentListed>(await call('incidents.list', {}, credentials.acme));
  const { items: signals } = dataOf<IncidentListed>(await call('signals.list', { incident: items[0]?.id }, credentials.acme));
  return { incident: items[0]?.id ?? '', otherIncident: items[1]?.id ?? '', signal: signals.at(-1)?.id ?? '' };
}

interface IncidentListed {
  items: { id: string }[];
}

async function settle(): Promise<Belongings> {
  const cookies = await signInAdmin(ACME);
  credentials.acme = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  const mine = credentials.acme;
  const { policy } = dataOf<{ policy: Policy }>(await call('fleet.policy.get', {}, mine));
  const agent = randomUUID();
  await database.relational.withTenantSql(ACME, async (sql) => {
    await sql.query(
      `INSERT INTO agents (tenant_id, id, key_hash, public_key, given_name, device_name, ring, protocol, cert_not_after)
       VALUES ($1, $2, $3, '\\x00', $4, $4, 'main', 1, now())`,
      [ACME, agent, createHash('sha256').update(agent).digest(), MARK],
    );
    await sql.query(
      `INSERT INTO endpoint_summary (tenant_id, agent_id, name, ring, state, enrolled_at, last_contact_at)
       VALUES ($1, $2, $3, 'main', 'running', now(), now())`,
      [ACME, agent, MARK],
    );
    await sql.query(
      `INSERT INTO bus_quarantine (tenant_id, id, topic, consumer_group, bus_partition, bus_offset, digest, reason, error, bytes, set_aside_at,
         expires_at, sealed)
       VALUES ($1, gen_random_uuid(), 'svc.otlp.logs', $2, 0, 1, sha256('x'), 'refused', '', 1, now(), now() + interval '1 day', 'x')`,
      [ACME, MARK],
    );
  });
  const account = dataOf<{ account: { id: string } }>(await call('identity.me', {}, mine)).account.id;
  const token = dataOf<{ id: string }>(await call('identity.tokens.mint', { name: MARK, roles: ['viewer'] }, mine)).id;
  const invite = dataOf<{ id: string }>(
    await call('identity.members.invite', { roles: ['viewer'], email: `x@${MARK}.test` }, mine),
  ).id;
  await telemetry.store.derive(ACME, WRITE_LOG, { mark: MARK });
  for (const sql of WRITE_METRICS) await telemetry.store.derive(ACME, sql, { mark: MARK });
  await telemetry.store.derive(ACME, WRITE_SPAN, { mark: MARK });
  const made = dataOf<{ enrol_token: { id: string } }>(await call('fleet.enrolTokens.create', { label: MARK }, mine));
  const otlpToken = dataOf<{ id: string }>(await call('otlp.tokens.mint', { name: MARK }, mine)).id;
  const view = { page: 'fleet', name: MARK, search: `search=${MARK}`, shared: true };
  const savedView = dataOf<{ id: string }>(await call('savedViews.create', view, mine)).id;
  // One that no procedure here deletes, for the export.
  const { id } = dataOf<{ id: string }>(await call('savedViews.create', { ...view, page: 'logs' }, mine));
  await call('savedViews.setDefault', { page: 'logs', id }, mine);
  const ofTests = dataOf<{ id: string }>(await call('savedViews.create', { ...view, page: 'tests' }, mine));
  await call('savedViews.setDefault', { page: 'tests', id: ofTests.id }, mine);
  const tested = { type: 'tcp', target: 'tested.example:443', enabled: false };
  const testNamed = async (name: string) =>
    dataOf<{ test: { id: string } }>(await call('tests.create', { test: { ...tested, name } }, mine)).test.id;
  const [test, otherTest] = [await testNamed(MARK), await testNamed(`${MARK} 2`)];
  // One that no procedure here deletes.
  await testNamed(`${MARK} 3`);
  const runnerToken = dataOf<{ runner_token: { id: string } }>(await call('runners.createToken', { name: MARK }, mine))
    .runner_token.id;
  const runner = await addRunner();
  const tokens = { token, enrolToken: made.enrol_token.id, otlpToken, runnerToken };
  const testSecret = `${MARK}-secret`;
  await call('tests.secrets.set', { name: testSecret, hosts: ['tested.example'], value: 'hidden' }, mine);
  const maintained = { repeat: 'weekly', weekdays: [1], from: '01:00', duration_minutes: 60 };
  const kept = { name: MARK, zone: 'UTC', scope: { kind: 'target', target: 'tested.example' }, times: maintained };
  const window = dataOf<{ id: string }>(await call('tests.maintenance.create', kept, mine)).id;
  // Nobody but its own tenant learns that it waits.
  const rumApp = dataOf<{ id: string }>(await call('rum.apps.create', { name: MARK, hosts: ['tested.example'] }, mine)).id;
  await call('rum.apps.create', { name: `${MARK}-2` }, mine);
  const ids = { rumApp, account, agent, invite, savedView, test, otherTest, testSecret, window, runner, ...tokens };
  const changed = await addChanges(database.relational, ACME, MARK);
  const opened = await openIncidents();
  const told = await addNotify(database.relational, ACME, { mark: MARK, incident: opened.incident });
  return { ...ids, ...changed, ...opened, ...told, trace: TRACE, mark: MARK, policy };
}

/** Every row of acme, as the owner of the tables sees it. */
async function snapshotAcme(): Promise<string> {
  const { rows: tables } = await owner.query<{ name: string }>(
    "SELECT c.relname AS name FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1",
  );
  await owner.query("SELECT set_config('app.tenant_id', $1, false)", [ACME]);
  const all: string[] = [];
  for (const { name } of tables.filter((table) => !DIRECTORY_TABLES.includes(table.name))) {
    const { rows } = await owner.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t ORDER BY 1`);
    all.push(`${name}: ${rows.map(({ row }) => row).join('\n')}`);
  }
  return all.join('\n');
}

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  const ca = await createRootCa({ commonName: 'walls test' });
  const leaf = await createServerLeaf(ca, { hosts: ['localhost'] });
  const config = loadConfig({ SVC_DATA_DIR: tmpdir(), SVC_PUBLIC_URL: 'https://localhost:8443', SVC_API_RATE_PER_MIN: '0' });
  const log = pino({ level: 'silent' });
  folder = await mkdtemp(join(tmpdir(), 'svc-walls-'));
  telemetry = await openFreshTelemetry(folder);
  const dataDir = { path: tmpdir(), join: (...parts: string[]) => [tmpdir(), ...parts].join('/'), release: () => {} };
  const { relational } = database;
  const blobs = createFolderBlobs(dataDir.join('blobs'));
  const open = { relational, telemetry, bus: createMemoryBus({ log }), blobs };
  const stores = { ...open, dataDir, sealer: createSealer(randomBytes(32)), databaseEnded: undefined, close: async () => {} };
  const tls = { key: leaf.keyPem, cert: leaf.certPem, ca: ca.certPem, pin: spkiPin(ca.certPem), notAfterMs: Date.now() };
  product = await compose({ config, stores, tls, log });
  await product.http.app.ready();
  acme = await settle();
  const cookies = await signInAdmin(OTHER);
  credentials.session = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  const { secret } = await product.slices.identity.mintToken(OTHER, { name: 'walls', roles: ['admin'], expiresAt: undefined });
  credentials.token = { authorization: `Bearer ${secret}` };
  const weak = await product.slices.identity.mintToken(ACME, { name: 'weak', roles: ['auditor'], expiresAt: undefined });
  credentials.auditor = { authorization: `Bearer ${weak.secret}` };
});
afterAll(async () => {
  await product?.drain();
  await telemetry?.close();
  await rm(folder, { recursive: true, force: true });
  await owner?.end();
  await database?.close();
});

/** Routes that run procedures: they need a credential. */
const calledRoutes = () =>
  product.http.routes().filter(({ url }) => /^\/(mcp$|(v1|trpc)\/)/.test(url) && url !== '/v1/openapi.json');

test('every route but health is bounded by a budget, and procedures by whoever calls them', () => {
  const free = product.http.routes().filter(({ rate }) => rate === 'none');
  expect(free.map(({ method, url }) => `${method} ${url}`).sort()).toEqual(
    // Beacons have the budgets of their keys: behind one address are many visitors.
    ['GET /healthz', 'GET /readyz', 'HEAD /healthz', 'HEAD /readyz', 'OPTIONS /ingest/rum', 'POST /ingest/rum'].sort(),
  );
  expect(calledRoutes().length).toBeGreaterThan(50);
  expect(calledRoutes().filter(({ rate }) => rate !== 'principal')).toEqual([]);
});

test('without a credential every route of a procedure answers 401, whatever was sent', async () => {
  const statuses = new Map<string, number>();
  for (const { method, url } of calledRoutes()) {
    const path = `${url.replaceAll(/:\w+/g, 'x')}?limit=x&input=%7B&cursor=%00`;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const body = hasBody ? { payload: '{"broken', headers: { 'content-type': 'application/json' } } : {};
    const { statusCode } = await product.http.app.inject({ method: method as 'GET', url: path, ...body });
    statuses.set(`${method} ${url}`, statusCode);
  }
  expect([...statuses].filter(([, status]) => status !== 401)).toEqual([]);
});

test('every procedure is walked', () => {
  expect(
    procedures()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(Object.keys(INPUTS).sort());
});

/** `limit` of a JSON schema, where it has one. */
const limitOf = (schema: unknown) => (schema as { properties?: Record<string, object> }).properties?.limit;
const LIST_LIMIT = { type: 'integer', minimum: 1, maximum: 1000, default: 100 };

test('every list takes 100 items unless told, and 1000 at most, by REST and by tRPC', async () => {
  const { paths } = (await product.http.app.inject({ url: '/v1/openapi.json', headers: own })).json<{
    paths: Record<string, Record<string, { parameters?: { name: string; schema: object }[] }>>;
  }>();
  const routes = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.values(verbs).flatMap(({ parameters = [] }) => {
      const limit = parameters.find(({ name }) => name === 'limit');
      return limit ? [{ path, limit: limit.schema }] : [];
    }),
  );
  expect(routes.length).toBeGreaterThan(8);
  for (const { path, limit } of routes) expect({ path, limit }).toEqual({ path, limit: LIST_LIMIT });
  const lists = procedures().flatMap(({ name, input }) => {
    const limit = input && limitOf(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }));
    return limit ? [{ name, limit }] : [];
  });
  expect(lists.length).toBeGreaterThan(routes.length);
  for (const { name, limit } of lists) expect({ name, limit }).toEqual({ name, limit: LIST_LIMIT });
});

test('without a credential every procedure and every route of the API answers 401', async () => {
  for (const { name } of procedures())
    expect({ name, status: (await call(name, inputOf(name))).status }).toEqual({ name, status: 401 });
  for (const { name, meta } of procedures()) {
    if (!meta?.rest) continue;
    const { method, path } = meta.rest;
    const input = inputOf(name) as Record<string, unknown>;
    const url = `/v1${path.replace(/:(\w+)/g, (_all, key: string) => String(input[key]))}`;
    const sendsBody = method !== 'GET' && method !== 'DELETE';
    const answer = await product.http.app.inject({ method, url, headers: own, ...(sendsBody ? { payload: input } : {}) });
    expect({ name, url, status: answer.statusCode }).toEqual({ name, url, status: 401 });
  }
});

test('without its permission every procedure answers 403', async () => {
  for (const { name, meta } of procedures()) {
    if (!meta?.permission || meta.permission === 'audit.read') continue;
    expect({ name, status: (await call(name, inputOf(name), credentials.auditor)).status }).toEqual({ name, status: 403 });
  }
});

describe.each(['session', 'token'])("another tenant's admin with a %s", (kind) => {
  test('learns nothing of a tenant by any procedure, and changes nothing of it', async () => {
    const before = await snapshotAcme();
    expect(before).toContain(MARK);
    const { policy: _policy, trace: _trace, ...own } = acme;
    let answered = 0;
    for (const { name } of procedures()) {
      const { status, body } = await call(name, inputOf(name), credentials[kind]);
      expect({ name, status: status < 500 }).toEqual({ name, status: true });
      if (status === 200) answered += 1;
      const secrets = status === 200 ? [MARK, ...Object.values(own)] : [MARK];
      for (const secret of secrets) expect({ name, tells: body.includes(secret) }).toEqual({ name, tells: false });
    }
    expect(await snapshotAcme()).toBe(before);
    expect(answered).toBeGreaterThan(15);
  });
});

test('the admin of the tenant itself does see what the other one does not', async () => {
  const shown = ['endpoint.list', 'endpoint.csv', 'endpoint.latest', 'endpoint.device', 'fleet.enrolTokens.list', 'identity.me'];
  for (const name of [
    ...shown,
    'identity.members.list',
    'identity.tokens.list',
    'audit.list',
    'bus.quarantine.list',
    'savedViews.list',
    'tests.list',
    'tests.get',
    'tests.specs',
    'tests.csv',
    'tests.secrets.list',
    'tests.maintenance.list',
    'rum.overview',
    'rum.host',
    'rum.apps.list',
    'incidents.list',
    'incidents.get',
    'changes.list',
    'changes.get',
    'changes.facets',
    'changes.ofIncident',
    'changes.webhooks.list',
    'changes.webhooks.get',
    'notify.connectors.list',
    'notify.connectors.get',
    'notifyRules.list',
    'notify.outbox.list',
    'notify.ofIncident',
    'notifyInbound.list',
    'notifyInbound.get',
    'signals.list',
    ...READ_BY_OTLP,
  ]) {
    expect({ name, shows: (await call(name, inputOf(name), credentials.acme)).body.includes(MARK) }).toEqual({
      name,
      shows: true,
    });
  }
});

/** Asks a model, which is not there: its entry is shown beside it (features/causes/causes.int.test.ts). */
const NEEDS_MODEL = ['causes.ask'];

test('every mutation leaves an audit entry in the tenant, unless its definition says that it changes nothing', async () => {
  const headOf = async () => (await product.slices.audit.verify(ACME, { maxEntries: 100_000 })).headSeq;
  for (const { name, type, meta } of procedures()) {
    if (type !== 'mutation' || meta?.unaudited || NEEDS_SECOND_PERSON.includes(name) || NEEDS_MODEL.includes(name)) continue;
    const before = await headOf();
    const { status, body } = await call(name, inputOf(name), credentials.acme);
    expect({ name, status, body: status === 200 ? '' : body }).toEqual({ name, status: 200, body: '' });
    expect({ name, audited: (await headOf()) > before }).toEqual({ name, audited: true });
  }
  expect(await product.slices.audit.verify(ACME, { maxEntries: 100_000 })).toMatchObject({ ok: true });
});

/** Tenant tables whose rows are no data of the tenant: keys, nonces, the state of its chain (audit's own test covers its checkpoints). */
const NOT_EXPORTED = [
  ...['agent_intermediates', 'agent_renewals', 'audit_checkpoints', 'audit_heads', 'runner_renewals', 'runner_requests'],
];

async function exportAll(tenant: TenantId): Promise<Map<string, Record<string, unknown>[]>> {
  const tables = new Map<string, Record<string, unknown>[]>();
  for (const slice of Object.values<Slice>(product.slices)) {
    for await (const { table, rows } of keptData(slice)?.exportRows(tenant) ?? [])
      tables.set(table, [...(tables.get(table) ?? []), ...rows]);
  }
  return tables;
}

test('the export of a tenant holds each of its tables, no secret and nothing of another tenant', async () => {
  const now = dataOf<{ policy: Policy }>(await call('fleet.policy.get', {}, credentials.acme)).policy;
  await call('fleet.policy.set', { expected_version: now.version, policy: { ...now, version: undefined } }, credentials.acme);
  const agent = randomUUID();
  await database.relational.withTenantSql(ACME, async (sql) => {
    const summary = `INSERT INTO endpoint_summary (tenant_id, agent_id, ring, state, enrolled_at) VALUES ($1, $2, 'main', 'paused', now())`;
    await sql.query(summary, [ACME, agent]);
    await sql.query(`INSERT INTO endpoint_sessions (tenant_id, agent_id, targets) VALUES ($1, $2, '{}')`, [ACME, agent]);
    const changed = `INSERT INTO audit_values (tenant_id, entry_id, agent_id, salt, before, after)
      SELECT tenant_id, id, $1, decode(repeat('00', 32), 'hex'), 'before', 'after' FROM audit_entries LIMIT 1
      ON CONFLICT DO NOTHING`;
    await sql.query(changed, [agent]);
    await sql.query("INSERT INTO otlp_signals VALUES ($1, 'logs', now(), now(), 1)", [ACME]);
    await sql.query("INSERT INTO otlp_refusals VALUES ($1, now(), 'malformed', 1, now(), '', NULL)", [ACME]);
    await sql.query('INSERT INTO bus_quarantine_dropped VALUES ($1, now(), 1, 1)', [ACME]);
    await sql.query("INSERT INTO cardinality_days (tenant_id, day, kind, bound) VALUES ($1, now(), 'targets', 1)", [ACME]);
    await sql.query('INSERT INTO otlp_token_days VALUES ($1, $2, now(), 1, 1, 1)', [ACME, acme.otlpToken]);
    await sql.query(`INSERT INTO synthetic_test_credentials VALUES ($1, 'x', '{}', '\\x00', 'ann', now())`, [ACME]);
    await sql.query(`INSERT INTO maintenance_windows VALUES ($1, $2, 'x', '{}', 'ann', now(), now(), now())`, [ACME, agent]);
    await sql.query(`INSERT INTO rum_counters VALUES ($1, 'shop', 'accepted', 1, now(), now())`, [ACME]);
    await sql.query(`INSERT INTO rum_days VALUES ($1, now(), 'shop', 'malformed', '', 1, now(), now())`, [ACME]);
    await sql.query(`INSERT INTO rum_hosts VALUES ($1, 'shop', 'shop.example', now(), now())`, [ACME]);
    await sql.query(
      `INSERT INTO rum_verdicts VALUES ($1, 'shop', 'shop.example', 'healthy', true, now(), now(), '{}', '{}', NULL)`,
      [ACME],
    );
    await sql.query(
      `INSERT INTO rum_verdict_spans VALUES ($1, 'shop', 'shop.example', now(), 'healthy', true, '{}', '{}', false)`,
      [ACME],
    );
    await sql.query(`INSERT INTO synthetic_test_settings VALUES ($1, 1, '{}', now()) ON CONFLICT DO NOTHING`, [ACME]);
    await sql.query(
      `INSERT INTO synthetic_test_heads (tenant_id, test_id, runner_id, last_at, last_ok, last_fault, failing, last, recent)
       SELECT tenant_id, id, 'r', now(), true, '', false, '{}', '[]' FROM synthetic_tests LIMIT 1`,
    );
    await sql.query(`INSERT INTO synthetic_run_progress VALUES ($1, $2, now(), now(), '{}')`, [ACME, agent]);
    await sql.query(
      'INSERT INTO incident_cause_requests SELECT tenant_id, id, now() FROM incidents LIMIT 1 ON CONFLICT DO NOTHING',
    );
    await sql.query(
      "INSERT INTO incident_causes (tenant_id, incident_id, version, made_at, body) SELECT tenant_id, id, 1, now(), '{}' FROM incidents LIMIT 1 ON CONFLICT DO NOTHING",
    );
    await sql.query(
      `INSERT INTO change_verdicts (tenant_id, incident_id, change_id, verdict, set_by, set_at)
       SELECT i.tenant_id, i.id, c.id, 'cause', 'ann', now() FROM incidents i, changes c LIMIT 1 ON CONFLICT DO NOTHING`,
    );
    await sql.query('INSERT INTO governance_policies (tenant_id, updated_at) VALUES ($1, now())', [ACME]);
    await sql.query('INSERT INTO model_usage (tenant_id, day) VALUES ($1, now())', [ACME]);
    await sql.query(`INSERT INTO discovery_dismissals VALUES ($1, 'old.example', 'ann', now()) ON CONFLICT DO NOTHING`, [ACME]);
    await sql.query(`INSERT INTO synthetic_test_evidence VALUES ($1, $2, $2, 'r', now(), 1, '', now())`, [ACME, agent]);
    await sql.query(`INSERT INTO endpoint_states (tenant_id, agent_id, at, state) VALUES ($1, $2, now(), 'paused')`, [
      ACME,
      agent,
    ]);
  });
  const { rows: tables } = await owner.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relrowsecurity AND relnamespace = 'public'::regnamespace ORDER BY 1",
  );
  const sent = ['logs', 'metric_exemplars', 'metric_points', 'metric_series', 'spans'];
  // What was sent is stored a moment later.
  const exported = await vi.waitFor(
    async () => {
      const tablesOf = await exportAll(ACME);
      expect(sent.filter((table) => !tablesOf.has(table))).toEqual([]);
      return tablesOf;
    },
    { timeout: 30_000, interval: 500 },
  );
  expect([...exported.keys(), ...NOT_EXPORTED].sort()).toEqual([...tables.map(({ name }) => name), ...sent].sort());
  expect(exported.get('members')).toMatchObject([{ account_id: acme.account, name: MARK, email: 'admin@acme.test' }]);
  for (const [table, rows] of exported)
    for (const column of Object.keys(rows[0] ?? {}))
      expect(`${table}.${column}`).not.toMatch(/sealed|password|secret|key_hash|token_hash/);
  const other = await exportAll(OTHER);
  expect(other.get('members')).toHaveLength(1);
  expect(JSON.stringify([...other])).not.toContain(MARK);
  expect(JSON.stringify([...other])).not.toContain(agent);
});
