import { measureFairShare, repeatAtOnce } from '@svc/testkit/fair-share';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { findTenant } from './directory.ts';
import type { TenantSql } from './port.ts';
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

test('a statement, a lock and an idle transaction of a tenant have their time', async () => {
  const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
  const text = `SELECT ${limits.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`;
  const { rows } = await database.relational.withTenantSql(LOUD, (sql) => sql.query(text));
  expect(rows).toEqual([{ statement_timeout: '30s', lock_timeout: '10s', idle_in_transaction_session_timeout: '1min' }]);
});

test('a tenant that waits for a lock holds up nobody else, and is told after ten seconds', { timeout: 60_000 }, async () => {
  const { relational } = database;
  const holder = new pg.Client({ connectionString: database.ownerUrl });
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock(4711)');
  try {
    const lock = (sql: TenantSql) => sql.query('SELECT pg_advisory_xact_lock(4711)');
    const waiting = relational.withTenantSql(LOUD, lock).then(
      () => 'got it',
      () => 'refused',
    );
    const began = performance.now();
    await relational.withTenantSql(QUIET, (sql) => sql.query('SELECT 1'));
    expect(performance.now() - began).toBeLessThan(5000);
    expect(await waiting).toBe('refused');
  } finally {
    await holder.end();
  }
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
