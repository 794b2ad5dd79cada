import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import { readPages } from './pages.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase;
const mine = parseTenantId('mine');
const agents = [randomUUID(), randomUUID()].sort();

/** A state of every agent each millisecond: the second column of the key decides where a page ends. */
async function fill(tenant: TenantId, ids: readonly string[], states: number): Promise<void> {
  await database.relational.withTenantSql(tenant, async (sql) => {
    for (const id of ids) {
      await sql.query(
        `INSERT INTO endpoint_summary (tenant_id, agent_id, ring, state, enrolled_at) VALUES ($1, $2, 'main', 'running', now())`,
        [tenant, id],
      );
      await sql.query(
        `INSERT INTO endpoint_states (tenant_id, agent_id, at, state)
         SELECT $1, $2, timestamptz '2026-11-21 12:00:00Z' + n * interval '1 millisecond', 'paused' FROM generate_series(1, $3::integer) n`,
        [tenant, id, states],
      );
    }
  });
}

beforeAll(async () => {
  database = await createTestDatabase();
  await fill(mine, agents, 1300);
  await fill(parseTenantId('other'), [randomUUID()], 10);
});
afterAll(() => database.close());

test('gives every row of the tenant once, in the order of a key of two columns', async () => {
  const table = { table: 'endpoint_states', columns: ['agent_id', 'at', 'state'], key: ['agent_id', 'at'] };
  const sizes: number[] = [];
  const seen: string[] = [];
  for await (const rows of readPages<{ agent_id: string; at: Date }>(database.relational, mine, table)) {
    sizes.push(rows.length);
    seen.push(...rows.map((row) => `${row.agent_id} ${row.at.toISOString()}`));
  }
  expect(sizes).toEqual([1000, 1000, 600]);
  expect(new Set(seen).size).toBe(2600);
  expect(seen).toEqual([...seen].sort());
});

test('gives no page of a table without rows', async () => {
  const pages: unknown[] = [];
  for await (const rows of readPages(database.relational, mine, { table: 'enrol_tokens', columns: ['id'], key: ['id'] }))
    pages.push(rows);
  expect(pages).toEqual([]);
});
