import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '#kernel';
import type { Relational } from '#relational';
import { createTestChanges, type TestChanges } from './test-changes.ts';

let changes: TestChanges;
let isAway = false;

/** The database answers nothing while it is away. */
function interruptible(relational: Relational): Relational {
  const check = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isAway) throw new AppError('unavailable', 'The database does not answer.', { retryAfterSeconds: 1 });
    return await work();
  };
  return {
    ...relational,
    withTenantSql: (tenant, work) => check(() => relational.withTenantSql(tenant, work)),
    withSystemSql: (tenant, work) => check(() => relational.withSystemSql(tenant, work)),
    directory: (name, args) => check(() => relational.directory(name, args)),
  };
}

beforeAll(async () => {
  changes = await createTestChanges({}, interruptible);
});
afterAll(async () => await changes?.close());

test('while the database is away a known webhook’s delivery is taken and stored once later, an unknown one is to come again', async () => {
  const tenant = await changes.newTenant();
  const { webhook, secret } = await changes.as(tenant).webhooks.create({ provider: 'generic', name: 'CI' });
  const own = { id: webhook.id, secret };
  const entry = { title: 'Deployed while away', occurred_at: '2026-06-02T11:59:00Z' };
  isAway = true;
  for (let again = 0; again < 2; again += 1)
    expect(await changes.tell(own, entry)).toMatchObject({ status: 202, body: { accepted: 1 } });
  expect((await changes.tell({ ...own, secret: 'wrong' }, entry)).status).toBe(401);
  const unknown = await changes.tell({ id: 'not-cached', secret }, entry);
  expect([unknown.status, unknown.body.code, unknown.headers['retry-after']]).toEqual([503, 'unavailable', '5']);
  await expect.poll(async () => (await changes.slice.health()).status).toBe('degraded');
  isAway = false;
  await changes.settled();
  expect((await changes.as(tenant).list({})).items).toMatchObject([{ title: 'Deployed while away', number: 1 }]);
  expect((await changes.as(tenant).webhooks.get({ id: own.id })).webhook).toMatchObject({
    deliveries: 1,
    refusals: [{ reason: 'wrong_signature', count: 1 }],
  });
  expect((await changes.tell({ id: 'not-cached', secret }, entry)).status).toBe(401);
  await expect.poll(async () => (await changes.slice.health()).status).toBe('ok');
});
