import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSealer } from '#crypto';
import { parseTenantId, systemClock, type TenantId } from '#kernel';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { createAudit } from '../features/audit/index.ts';
import { appendEverywhere } from '../features/identity/people/every-trail.ts';

let database: TestDatabase;
let audit: ReturnType<typeof createAudit>;
const TENANTS = ['one', 'three', 'two'].map(parseTenantId);
beforeAll(async () => {
  database = await createTestDatabase({ poolSize: 10 });
  audit = createAudit({
    relational: database.relational,
    sealer: createSealer(Buffer.alloc(32, 1)),
    clock: systemClock,
    nameActors: async () => new Map(),
    retentionDays: 400,
    dataDir: '/nonexistent',
    log: pino({ level: 'silent' }),
  });
});
afterAll(async () => await database.close());

const write = async (home: TenantId, tenants: readonly TenantId[], fails = false) =>
  await database.relational.withTenantSql(home, async (sql) => {
    const entry = { actor: { kind: 'account' as const, id: 'ann' }, action: 'password.replace' };
    await appendEverywhere(sql, audit.appendAudit, { home, entries: tenants.map((tenant) => ({ tenant, entry })) });
    const { rows } = await sql.query<{ tenant: string }>("SELECT current_setting('app.tenant_id') AS tenant");
    expect(rows[0]?.tenant).toBe(home);
    if (fails) throw new Error('rolled back');
  });
const checked = async () =>
  await Promise.all(
    TENANTS.map(async (tenant) => {
      const { ok, checked: count } = await audit.verify(tenant, { maxEntries: 10_000 });
      return { ok, count };
    }),
  );

test('one transaction writes the trails of several tenants, all or none, and each chain stays whole', async () => {
  const [one, , two] = TENANTS as [TenantId, TenantId, TenantId];
  await write(two, [two, one]);
  await expect(write(one, TENANTS, true)).rejects.toThrow('rolled back');
  expect((await checked()).map(({ count }) => count)).toEqual([1, 0, 1]);
});

test('many at the same time, from every tenant, never wait for each other in a circle', async () => {
  const before = await checked();
  const orders = [TENANTS, TENANTS.toReversed()];
  await Promise.all(Array.from({ length: 30 }, (_, n) => write(TENANTS[n % 3] as TenantId, orders[n % 2] ?? [])));
  const after = await checked();
  expect(after.every(({ ok }) => ok)).toBe(true);
  expect(after.map(({ count }, index) => count - (before[index]?.count ?? 0))).toEqual([30, 30, 30]);
});
