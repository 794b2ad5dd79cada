import { CreateApp } from '@svc/contracts/rum/apps';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TenantId } from '#kernel';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { listApps, RETIRED_KEPT } from './app-store.ts';
import { createApp, removeApp, rotateKey } from './apps.ts';
import { writeCounted } from './counter-store.ts';
import { presentApps } from './present.ts';
import { beacon, type RumServer, startRum } from './test-rum.ts';

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

const countersOf = (tenant: TenantId) => server.slice.queries.counters(tenant);
const appOf = async (tenant: TenantId) => {
  const rows = await database.relational.withTenantSql(tenant, (sql) => listApps(sql, { after: '', limit: 10 }));
  return (await presentApps(server.context, tenant, rows))[0];
};

test('an app that is registered under the name of a removed one begins anew, and what came of that one stays counted', async () => {
  const { tenant, ctx, app, key } = await server.newApp();
  expect((await server.send(beacon(key))).status).toBe(202);
  expect((await server.send(beacon(key, { user_id: 'ann' }))).status).toBe(400);
  expect(await appOf(tenant)).toMatchObject({ first_beacon_at: expect.any(String), last_refusal: { status: 400 } });
  await removeApp(server.context, ctx, app.id);
  const again = await createApp(server.context, ctx, CreateApp.parse({ name: 'shop', hosts: [] }));
  expect(again).toMatchObject({ first_beacon_at: null, last_beacon_at: null, last_refusal: null });
  expect(await countersOf(tenant)).toMatchObject({ accepted: 1, rejected_invalid_field: 1 });
  expect((await server.send(beacon(again.keys[0]?.key ?? ''))).status).toBe(202);
  const shown = await appOf(tenant);
  expect(shown?.first_beacon_at).toBe(shown?.last_beacon_at);
  expect(await countersOf(tenant)).toMatchObject({ accepted: 2 });
});

const countOf = async (tenant: TenantId, table: 'rum_keys' | 'rum_apps'): Promise<number> => {
  const text = `SELECT count(*)::int AS n FROM ${table}`;
  return (await database.relational.withTenantSql(tenant, (sql) => sql.query<{ n: number }>(text))).rows[0]?.n ?? 0;
};

test('keys that nobody may use any more do not pile up, whether they are rotated or their apps removed', async () => {
  const { tenant, ctx, app, key } = await server.newApp();
  await database.relational.withTenantSql(tenant, (sql) =>
    sql.query(
      `INSERT INTO rum_keys (tenant_id, key, app_id, created_at, retires_at)
       SELECT $1, 'old-' || n, $2, now() - interval '2 days', now() - interval '1 day' FROM generate_series(1, ${RETIRED_KEPT + 50}) n`,
      [tenant, app.id],
    ),
  );
  await rotateKey(server.context, ctx, { id: app.id, overlap_hours: 0 });
  expect(await countOf(tenant, 'rum_keys')).toBe(RETIRED_KEPT + 1);
  // What ended last is known as a former key of the tenant's.
  expect((await server.send(beacon(key))).status).toBe(401);
  expect(await countersOf(tenant)).toMatchObject({ rejected_unknown_key: 1 });
  await removeApp(server.context, ctx, app.id);
  expect(await countOf(tenant, 'rum_keys')).toBe(RETIRED_KEPT);
});

test('several that register the last app at once do not pass the bound together', async () => {
  const { tenant, ctx } = await server.newApp();
  await database.relational.withTenantSql(tenant, (sql) =>
    sql.query(
      `INSERT INTO rum_apps (tenant_id, id, name, hosts, created_by, created_at)
       SELECT $1, gen_random_uuid(), 'app-' || n, '{}', 'ann', now() FROM generate_series(1, 998) n`,
      [tenant],
    ),
  );
  const made = await Promise.allSettled(
    Array.from({ length: 4 }, (_, i) => createApp(server.context, ctx, CreateApp.parse({ name: `last-${i}`, hosts: [] }))),
  );
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await countOf(tenant, 'rum_apps')).toBe(1000);
});

test('what a thousand apps were counted is added in one go, and what is at a field stays apart', async () => {
  const { tenant } = await server.newApp();
  // Of today: what is older than 31 days goes with the next count.
  const at = Date.now() - 60_000;
  const one = { word: 'malformed' as const, field: '', count: 2, firstAtMs: at, lastAtMs: at + 1000 };
  const counted = [
    ...Array.from({ length: 1000 }, (_, i) => ({ ...one, app: `app-${i}` })),
    { ...one, app: 'app-0', word: 'invalid_field' as const, field: 'user_id' },
    { ...one, app: 'app-0', word: 'invalid_field' as const },
  ];
  const write = () => database.relational.withSystemSql(tenant, (sql) => writeCounted(sql, tenant, counted));
  await Promise.all([write(), write()]);
  expect(await countersOf(tenant)).toMatchObject({ rejected_malformed: 4000, rejected_invalid_field: 8 });
  const rejects = await server.slice.queries.rejects(tenant, new Date(at));
  const fields = rejects.items.find(({ reason, app }) => reason === 'invalid_field' && app === 'app-0');
  expect(fields).toMatchObject({ count: 8, fields: [{ field: 'user_id', count: 4 }] });
});

test('no release takes a time of receipt from outside, and the demo’s own build does', async () => {
  const { key } = await server.newApp();
  const at = '2026-11-25T12:00:00.000Z';
  const past = { views: [{ at, beacon: JSON.parse(beacon(key)) }] };
  const options = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const refused = await server.ask('/demo/rum/past', options, JSON.stringify(past));
  expect(refused.status).toBe(404);
  const asked: unknown[] = [];
  const demo = await startRum(database, {}, { judgePast: async (...all) => asked.push(all) });
  try {
    const { tenant, key: own } = await demo.newApp(['shop.example'], { rate_per_min: 1 });
    const stretches = [{ from: at, host: 'shop.example', passed: 0, failed: 90 }];
    const judge = { key: own, from: at, to: '2026-11-25T13:00:00.000Z', test: { id: 'x', name: 'Checkout' }, stretches };
    const views = Array.from({ length: 3 }, () => ({ at, beacon: JSON.parse(beacon(own)) }));
    const taken = await demo.ask('/demo/rum/past', options, JSON.stringify({ views, judge }));
    expect([taken.status, taken.json]).toEqual([202, { accepted: 3, stretches: 1 }]);
    expect(demo.published.map(({ value }) => value.started_at)).toEqual([at, at, at]);
    expect(asked).toMatchObject([[tenant, { app: 'shop', tests: [{ host: 'shop.example', failing: [{ name: 'Checkout' }] }] }]]);
  } finally {
    await demo.close();
  }
});
