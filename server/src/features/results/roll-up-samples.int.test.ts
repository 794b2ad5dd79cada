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

function start(works: boolean) {
  const seen: TenantId[] = [];
  const series = { rollUp: async (tenant: TenantId) => seen.push(tenant) };
  const slice = createSampleRollUps({ relational: database.relational, series, works, log, firstMs: 0 });
  slice.start();
  return { seen, close: slice.close };
}

test('every tenant has its turn, on a process that does leased work and on no other', async () => {
  const idle = start(false);
  const working = start(true);
  await expect.poll(() => working.seen, { timeout: 20_000 }).toEqual(['a', 'b']);
  await Promise.all([working.close(), idle.close()]);
  expect(idle.seen).toEqual([]);
});
