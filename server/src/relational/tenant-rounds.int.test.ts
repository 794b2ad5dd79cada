import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createTenant, takeLease } from './directory.ts';
import { startTenantRounds, type TenantRoundsOptions } from './tenant-rounds.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase;
const log = pino({ level: 'silent' });

beforeAll(async () => {
  database = await createTestDatabase();
  for (const id of ['a', 'b', 'c']) await createTenant(database.relational, { id, name: id });
});
afterAll(() => database.close());

const start = (name: string, visit: TenantRoundsOptions['visit'], everyMs = 60_000) =>
  startTenantRounds(database.relational, { name, everyMs, firstMs: 0, visit, log });

test('visits every tenant, also after one whose work failed, and comes again', async () => {
  const seen: string[] = [];
  const rounds = start(
    'again',
    async (tenant) => {
      seen.push(tenant);
      if (tenant === 'b') throw new Error('broken');
    },
    300,
  );
  await expect.poll(() => seen.slice(0, 6), { timeout: 20_000 }).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  await rounds.close();
});

test('visits a tenant whose requests fill their own line', async () => {
  const gate = Promise.withResolvers<void>();
  const { withTenantSql } = database.relational;
  const held = Array.from({ length: 140 }, () => withTenantSql(parseTenantId('b'), () => gate.promise).catch(() => 'refused'));
  const seen: string[] = [];
  const rounds = start('beside', async (tenant, system) => {
    await system.withTenantSql(tenant, (sql) => sql.query('SELECT 1'));
    seen.push(tenant);
  });
  await expect.poll(() => seen, { timeout: 20_000 }).toEqual(['a', 'b', 'c']);
  gate.resolve();
  expect(await Promise.all(held)).toContain('refused');
  await rounds.close();
});

test('one process works while the others wait for its lease', async () => {
  const seen: string[] = [];
  const visit = (member: string) => async () => {
    seen.push(member);
    await sleep(100);
  };
  const members = ['one', 'two'].map((member) => start('shared', visit(member)));
  await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(3);
  await sleep(200);
  expect(new Set(seen).size).toBe(1);
  await Promise.all(members.map((member) => member.close()));
});

test('ends after the visit that runs, and gives the lease back', async () => {
  const seen: string[] = [];
  const rounds = start('ended', async (tenant) => {
    await sleep(100);
    seen.push(tenant);
  });
  await sleep(50);
  await rounds.close();
  const after = seen.length;
  expect(after).toBeLessThan(3);
  expect(await takeLease(database.relational, { name: 'ended', holder: 'another', ttlMs: 1000 })).toBe(true);
  await sleep(200);
  expect(seen).toHaveLength(after);
});
