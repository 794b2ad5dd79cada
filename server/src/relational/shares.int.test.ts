import { measureFairShare, repeatAtOnce } from '@svc/testkit/fair-share';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { findTenant } from './directory.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

const QUIET = parseTenantId('quiet');
const LOUD = parseTenantId('loud');

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

test('beside a tenant that holds whatever it is given, another tenant, sign-in and the work of the system go on', async () => {
  const { relational } = database;
  const hold = () => relational.withTenantSql(LOUD, (sql) => sql.query('SELECT pg_sleep(0.1)'));
  const measured = await measureFairShare({
    quiet: async () => {
      await relational.withTenantSql(QUIET, (sql) => sql.query('SELECT 1'));
      await findTenant(relational, 'quiet');
      await relational.withSystemSql(QUIET, (sql) => sql.query('SELECT 1'));
      expect(await relational.health()).toEqual({ status: 'ok' });
    },
    loud: async (signal) => void (await repeatAtOnce(30, signal, hold)),
  });
  expect(measured.beside.p95, JSON.stringify(measured)).toBeLessThanOrEqual(measured.boundMs);
});

test('a tenant that asks for too much at once is refused and told when to come again', async () => {
  const { relational } = database;
  const flood = Array.from({ length: 200 }, () => relational.withTenantSql(LOUD, (sql) => sql.query('SELECT pg_sleep(0.01)')));
  const settled = await Promise.allSettled(flood);
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(100);
  for (const one of refused) expect(one).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
});
