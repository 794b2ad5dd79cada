import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
}, 60_000);
afterAll(async () => await database.close());

const a = parseTenantId('tenant-a');

test('the tenant is set inside the transaction of both doors and gone afterwards', async () => {
  const raw = await database.relational.withTenantSql(
    a,
    async (sql) => (await sql.query(`SELECT current_setting('app.tenant_id') AS t`)).rows[0],
  );
  expect(raw).toEqual({ t: 'tenant-a' });
  const prisma = await database.relational.withTenant(
    a,
    async (db) => await db.$queryRaw`SELECT current_setting('app.tenant_id') AS t`,
  );
  expect(prisma).toEqual([{ t: 'tenant-a' }]);
});
