import { request } from 'node:https';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { listApps } from './app-store.ts';
import { changeApp, removeApp, rotateKey } from './apps.ts';
import { presentApps } from './present.ts';
import { beacon, OLDER, RELEASE, type RumServer, startRum } from './test-rum.ts';

let database: TestDatabase;
let server: RumServer;
beforeAll(async () => {
  database = await createTestDatabase();
  server = await startRum(database);
});
afterAll(async () => {
  await server?.close();
  await database?.close();
});

const publishedOf = (tenant: TenantId) => server.published.filter((one) => one.tenant === tenant).map(({ value }) => value);
const countersOf = (tenant: TenantId) => server.slice.queries.counters(tenant);
const appOf = async (tenant: TenantId) => {
  const rows = await database.relational.withTenantSql(tenant, (sql) => listApps(sql, { after: '', limit: 10 }));
  return (await presentApps(server.context, tenant, rows))[0];
};

test('the surface opens with the first app; until then nobody is told that there is one', async () => {
  const own = await createTestDatabase();
  const closed = await startRum(own);
  try {
    expect((await closed.send(beacon('k'))).status).toBe(404);
    expect(closed.slice.queries.surface()).toMatchObject({ surface: 'no_app', sentence: expect.stringContaining('No app') });
    const { key } = await closed.newApp();
    expect(closed.slice.queries.surface()).toEqual({ surface: 'open', sentence: '' });
    expect((await closed.send(beacon(key))).status).toBe(202);
  } finally {
    await closed.close();
  }
  const shut = await startRum(own, { enabled: false });
  try {
    const { key } = await shut.newApp();
    expect((await shut.send(beacon(key))).status).toBe(404);
    expect(shut.slice.queries.surface().sentence).toContain('SVC_RUM_ENABLED');
  } finally {
    await shut.close();
    await own.close();
  }
});

test('true without any app does not start, apps of the configuration do', async () => {
  const own = await createTestDatabase();
  await expect(startRum(own, { enabled: true })).rejects.toMatchObject({
    code: 'validation',
    faults: [{ path: 'SVC_RUM_ENABLED', message: expect.stringContaining('SVC_RUM_APPS') }],
  });
  const tenant = parseTenantId('configured');
  const configured = await startRum(own, { enabled: true, apps: [{ key: 'cfg-key', tenant, app: 'portal' }] });
  try {
    expect((await configured.send(beacon('cfg-key'))).status).toBe(202);
    expect(configured.published[0]).toMatchObject({
      tenant,
      value: { tenant_id: 'configured', attributes: { 'app.name': 'portal' } },
    });
  } finally {
    await configured.close();
  }
  // Taken out of the configuration it is a retired key, counted for who had it.
  const without = await startRum(own);
  try {
    const { tenant: other } = await without.newApp();
    expect((await without.send(beacon('cfg-key'))).status).toBe(401);
    expect(await without.slice.queries.counters(tenant)).toMatchObject({ accepted: 1, rejected_unknown_key: 1 });
    expect(await without.slice.queries.counters(other)).toMatchObject({ rejected_unknown_key: 0 });
  } finally {
    await without.close();
    await own.close();
  }
});

test('a beacon becomes a canonical result with the time of its receipt, and no address and no user agent', async () => {
  const { tenant, key } = await server.newApp();
  const before = Date.now();
  const body = beacon(key, {
    browser: 'safari',
    errors: 1,
    failed_requests: 2,
    sdk: '1.0.0',
    vitals: { lcp_ms: 1900, cls: 0.1 },
  });
  const headers = {
    'content-type': 'text/plain',
    'user-agent': 'Secret/1.0',
    origin: 'https://anywhere.example',
    'x-forwarded-for': '198.51.100.9',
  };
  const answer = await server.send(body, { headers });
  expect([answer.status, answer.json]).toEqual([202, { accepted: true }]);
  expect(answer.headers).toMatchObject({ 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' });
  const [result] = publishedOf(tenant);
  expect(result).toEqual({
    ...{ result_id: expect.stringMatching(/^[0-9a-f-]{36}$/), tenant_id: tenant, agent_id: '', canary_type: 'rum' },
    ...{ server_address: 'shop.example', started_at: expect.any(String), present: true },
    metrics: { errors: 1, failed_requests: 2, 'lcp.ms': 1900, cls: 0.1 },
    attributes: { 'app.name': 'shop', 'url.path': '/cart', 'browser.name': 'safari', 'telemetry.sdk.version': '1.0.0' },
  });
  expect(Date.parse(String(result?.started_at))).toBeGreaterThanOrEqual(before);
  expect(JSON.stringify(result)).not.toMatch(/127\.0\.0\.1|198\.51|Secret|anywhere|token=/);
});

test('a preflight is answered for every origin', async () => {
  await server.newApp();
  const answer = await server.get('/ingest/rum', { method: 'OPTIONS', headers: { origin: 'https://a.example' } });
  expect(answer.status).toBe(204);
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'POST, OPTIONS',
    'access-control-allow-headers': 'content-type',
  });
});

test('each refusal has its status, its code and its counter, of the right tenant', async () => {
  const { tenant, key } = await server.newApp(['shop.example', '*.shops.example']);
  const other = await server.newApp();
  const refusals: [string | Buffer, object, number, string][] = [
    [beacon(key, { consent: false }), {}, 400, 'no_consent'],
    [`{"key":"${key}", broken`, {}, 400, 'malformed'],
    [gzipSync(beacon(key)), { 'content-encoding': 'gzip' }, 400, 'malformed'],
    [beacon(key, { user_id: 'ann' }), {}, 400, 'invalid_field'],
    [beacon(key, { host: 'elsewhere.example' }), {}, 400, 'invalid_field'],
    [beacon(key), { origin: 'https://evil.example' }, 400, 'invalid_field'],
    [beacon(key), { origin: 'null' }, 400, 'invalid_field'],
    [beacon(key, { page: `/${'x'.repeat(17 * 1024)}` }), {}, 413, 'too_large'],
    [beacon('app_nobody_1'), {}, 401, 'unauthorized'],
    ['', {}, 400, 'malformed'],
  ];
  for (const [body, headers, status, code] of refusals) {
    const answer = await server.send(body, { headers: { 'content-type': 'text/plain', ...headers } });
    expect([answer.status, answer.json.code, answer.headers['access-control-allow-origin']]).toEqual([status, code, '*']);
  }
  expect(
    (await server.send(beacon(key, { host: 'A.Shops.Example' }), { headers: { origin: 'https://a.shops.example' } })).status,
  ).toBe(202);
  expect(await countersOf(tenant)).toEqual({
    ...{ accepted: 1, rejected_no_consent: 1, rejected_malformed: 1, rejected_invalid_field: 4, rejected_unknown_key: 0 },
    ...{ rejected_too_large: 1, rejected_over_rate: 0 },
  });
  expect(await countersOf(other.tenant)).toMatchObject({ accepted: 0, rejected_malformed: 0 });
  const { items, unknown_to_installation: unknown } = await server.slice.queries.rejects(tenant, new Date());
  expect(items.find(({ reason }) => reason === 'invalid_field')).toMatchObject({
    ...{ app: 'shop', count: 4, status: 400 },
    fields: expect.arrayContaining([
      { field: 'user_id', count: 1 },
      { field: 'host', count: 1 },
      { field: 'Origin', count: 2 },
    ]),
  });
  expect(items.find(({ reason }) => reason === 'over_rate')).toMatchObject({ count: 0, app: null });
  expect(unknown).toBeGreaterThanOrEqual(3);
  expect((await appOf(tenant))?.last_refusal).toMatchObject({ status: expect.any(Number), sentence: expect.any(String) });
});

test('a body over its bound is refused when it comes in parts, and one that stops half-way is nobody’s', async () => {
  const { tenant, key } = await server.newApp();
  const status = await new Promise<number>((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port: server.port, path: '/ingest/rum', method: 'POST', ca: server.ca, agent: false },
      (incoming) => resolve(incoming.statusCode ?? 0),
    );
    outgoing.on('error', reject);
    outgoing.write(`{"key":"${key}","page":"/`);
    for (let i = 0; i < 20; i++) outgoing.write('x'.repeat(1024));
    outgoing.end('"}');
  });
  expect(status).toBe(413);
  expect(await countersOf(tenant)).toMatchObject({ rejected_too_large: 1 });
  const half = request({
    ...{ host: '127.0.0.1', port: server.port, path: '/ingest/rum', method: 'POST', ca: server.ca, agent: false },
    headers: { 'content-length': '500' },
  });
  half.on('error', () => {});
  half.write(beacon(key).slice(0, 20));
  setTimeout(() => half.destroy(), 50);
  await new Promise((resolve) => half.on('close', resolve));
  expect((await server.send(beacon(key))).status).toBe(202);
});

test('a key has a budget, said with the time to wait and with the share that is missing', async () => {
  const { tenant, ctx, app, key } = await server.newApp([], { rate_per_min: 2 });
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) statuses.push((await server.send(beacon(key))).status);
  expect(statuses).toEqual([202, 202, 429, 429]);
  const refused = await server.send(beacon(key));
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(20);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(30);
  expect((await server.slice.queries.rejects(tenant, new Date())).missing_share).toBeCloseTo(3 / 5);
  await changeApp(server.context, ctx, { id: app.id, rate_per_min: 0 });
  for (let i = 0; i < 20; i++) expect((await server.send(beacon(key))).status).toBe(202);
});

test('a key rotates with an overlap, and what is retired counts for who had it', async () => {
  const { tenant, ctx, app, key } = await server.newApp();
  const rotated = await rotateKey(server.context, ctx, { id: app.id, overlap_hours: 1 });
  const [current, former] = rotated.keys;
  expect([former?.key, current?.retires_at]).toEqual([key, null]);
  expect(rotated.snippet).toContain(`data-key="${current?.key}"`);
  for (const one of [key, current?.key ?? '']) expect((await server.send(beacon(one))).status).toBe(202);
  await rotateKey(server.context, ctx, { id: app.id, overlap_hours: 0 });
  for (const one of [key, current?.key ?? '']) expect((await server.send(beacon(one))).status).toBe(401);
  expect(await countersOf(tenant)).toMatchObject({ accepted: 2, rejected_unknown_key: 2 });
  await removeApp(server.context, ctx, app.id);
  expect((await server.send(beacon(key))).status).toBe(401);
  expect(await countersOf(tenant)).toMatchObject({ rejected_unknown_key: 3 });
  await expect(removeApp(server.context, ctx, app.id)).rejects.toMatchObject({ code: 'not_found' });
});

test('an app has ten keys at most, however many rotate it at once', async () => {
  const { ctx, app } = await server.newApp();
  const all = await Promise.allSettled(
    Array.from({ length: 16 }, () => rotateKey(server.context, ctx, { id: app.id, overlap_hours: 1 })),
  );
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
  expect((await appOf(ctx.principal.tenant))?.keys).toHaveLength(10);
});

test('nothing is acknowledged that the bus does not have', async () => {
  const { tenant, key } = await server.newApp();
  server.bus.isAway = true;
  const refused = await server.send(beacon(key));
  server.bus.isAway = false;
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
  expect(publishedOf(tenant)).toEqual([]);
  expect(await countersOf(tenant)).toMatchObject({ accepted: 0 });
});

test('another replica takes a new key within a second', async () => {
  const replica = await startRum(database);
  try {
    const { key } = await server.newApp();
    await vi.waitFor(async () => expect((await replica.send(beacon(key))).status).toBe(202), { timeout: 5000, interval: 50 });
  } finally {
    await replica.close();
  }
});

test('every release of the script is served to every page, for ever, and a fetch by a page of the app is seen', async () => {
  const { tenant, app } = await server.newApp(['shop.example']);
  expect(app).toMatchObject({
    ...{ script_fetches: { count: 0, last_at: null }, first_beacon_at: null, effective_rate_per_min: 300, source: 'console' },
    snippet: expect.stringContaining(`src="https://obs.example/rum.${RELEASE.hash}.js" integrity="sha384-x"`),
  });
  const headers = { origin: 'https://shop.example', 'accept-encoding': 'br' };
  for (const { hash, bytes } of [OLDER, RELEASE]) {
    const plain = await server.get(`/rum.${hash}.js`);
    expect([plain.status, plain.text]).toEqual([200, bytes.toString()]);
    expect(plain.headers).toMatchObject({
      ...{ 'content-type': 'text/javascript; charset=utf-8', 'access-control-allow-origin': '*' },
      ...{ 'cross-origin-resource-policy': 'cross-origin', 'cache-control': expect.stringContaining('immutable') },
    });
  }
  const newest = await server.get('/rum.js', { headers });
  expect(newest.headers).toMatchObject({ 'content-encoding': 'br', 'cache-control': 'public, max-age=300' });
  const again = await server.get('/rum.js', { headers: { 'if-none-match': String(newest.headers.etag) } });
  expect([again.status, again.text]).toEqual([304, '']);
  expect((await server.get('/rum.ffffffffffffffff.js')).status).toBe(404);
  expect((await appOf(tenant))?.script_fetches).toMatchObject({ count: 1 });
});

test('with its tenant its keys go', async () => {
  const { tenant, key } = await server.newApp();
  expect((await server.send(beacon(key))).status).toBe(202);
  expect(await server.slice.data.eraseTenant(tenant)).toMatchObject({ rum_apps: 1, rum_keys: 1 });
  await vi.waitFor(async () => expect((await server.send(beacon(key))).status).toBe(401), { timeout: 5000 });
});
