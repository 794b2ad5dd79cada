import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TenantId } from '#kernel';
import { createTenant } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { createSampleRollUps } from './roll-up-samples.ts';

let database: TestDatabase;
const log = pino({ level: 'silent' });

beforeAll(async () => {
  database = await createTestDatabase();
  for (const id of ['a', 'b']) await createTenant(database.relational, { id, name: id });
});
afterAll(() => database.close());

test('every tenant has its turn, on a process that does leased work and on no other', async () => {
  const seen: TenantId[] = [];
  const series = { rollUp: async (tenant: TenantId) => seen.push(tenant) };
  const slice = createSampleRollUps({ relational: database.relational, series, log, firstMs: 0 });
  expect(slice.roles).toEqual(['evaluate']);
  slice.start();
  await expect.poll(() => seen, { timeout: 20_000 }).toEqual(['a', 'b']);
  await slice.close();
});
