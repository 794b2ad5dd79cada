import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeOld } from './retention.ts';
import { createTestChanges, type TestChanges } from './test-changes.ts';

let changes: TestChanges;
beforeAll(async () => {
  changes = await createTestChanges();
});
afterAll(async () => await changes?.close());

const DAY_MINUTES = 24 * 60;
const retain = async (tenant: Parameters<typeof removeOld>[1]) => await removeOld(changes.deps, tenant, changes.deps.relational);

test('a tenant has at most a hundred webhooks', async () => {
  const tenant = await changes.newTenant();
  const as = changes.as(tenant);
  await changes.database.relational.withTenantSql(tenant, (sql) =>
    sql.query(
      `INSERT INTO change_webhooks (tenant_id, id, provider, name, secret, created_by, created_at)
       SELECT $1, $1 || '-' || n, 'generic', 'n', 'sealed', 'ann', now() FROM generate_series(1, 99) n`,
      [tenant],
    ),
  );
  await as.webhooks.create({ provider: 'generic', name: 'the last' });
  await expect(as.webhooks.create({ provider: 'generic', name: 'one more' })).rejects.toMatchObject({
    cause: { code: 'conflict' },
  });
});

test('changes, outcomes and refusals go after their own times, and a webhook keeps its newest outcomes', async () => {
  const tenant = await changes.newTenant();
  const as = changes.as(tenant);
  const { webhook, secret } = await as.webhooks.create({ provider: 'generic', name: 'CI' });
  const own = { id: webhook.id, secret };
  const tell = async (id: string) =>
    await changes.tell(own, { id, title: id, target: 'shop.example', occurred_at: '2001-01-01T00:00:00Z' });
  const left = async () => {
    await retain(tenant);
    const { webhook: now, last } = await as.webhooks.get({ id: own.id });
    return { changes: (await as.list({})).items.length, outcomes: last.length, refusals: now.refusals.length };
  };
  await tell('first');
  await changes.tell({ ...own, secret: 'wrong' }, {});
  await changes.settled();
  expect(await left()).toEqual({ changes: 1, outcomes: 1, refusals: 1 });
  changes.pass(8 * DAY_MINUTES);
  await tell('second');
  await changes.settled();
  expect(await left()).toEqual({ changes: 2, outcomes: 1, refusals: 1 });
  changes.pass(30 * DAY_MINUTES);
  expect(await left()).toEqual({ changes: 2, outcomes: 0, refusals: 0 });
  changes.pass(365 * DAY_MINUTES);
  expect(await left()).toEqual({ changes: 1, outcomes: 0, refusals: 0 });
  await changes.database.relational.withTenantSql(tenant, async (sql) => {
    await sql.query(
      `INSERT INTO change_deliveries (tenant_id, webhook_id, delivery_id, received_at, event, outcome, events, dropped)
       SELECT $1, $2, n::text, $3::timestamptz - make_interval(secs => n), '', 'stored', 1, '[]' FROM generate_series(1, 10005) n`,
      [tenant, own.id, new Date(changes.now())],
    );
    await sql.query('UPDATE change_counters SET last_number = 5000002');
  });
  await retain(tenant);
  const count = (table: string) =>
    changes.database.relational.withTenantSql(
      tenant,
      async (sql) => (await sql.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`)).rows[0]?.n,
    );
  expect([await count('change_deliveries'), await count('changes')]).toEqual([10_000, 0]);
});

test('of more candidates than ten thousand the newest are ranked, and the best hundred given', async () => {
  const tenant = await changes.newTenant();
  await changes.database.relational.withTenantSql(tenant, (sql) =>
    sql.query(
      `INSERT INTO changes (tenant_id, id, number, webhook_id, key, source, kind, title, summary, target, anchor, target_from, attributes,
         occurred_at, told_at, received_at, search)
       SELECT $1, gen_random_uuid(), n, 'w', n::text, 's', 'deploy', 'c' || n, '', 'shop.example', 'shop.example', 'change', '{}', at, at, at, ''
       FROM generate_series(1, 10001) n CROSS JOIN LATERAL (SELECT $2::timestamptz - make_interval(secs => n) AS at) t`,
      [tenant, new Date(changes.now())],
    ),
  );
  const id = changes.addIncident(tenant, [{ target: 'shop.example' }]);
  const found = await changes.as(tenant).ofIncident({ id });
  expect(found.looked_at).toEqual({ changes: 10_001, candidates: 10_000, elsewhere: 1, untargeted: 0, bounded: true });
  expect([found.items.length, found.items[0]?.change.title]).toEqual([100, 'c1']);
});
