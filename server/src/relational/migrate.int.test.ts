import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findMigrationsDir, findPendingMigrations, migrate } from './migrate.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase;
let dir: string;
let owner: pg.Client;

const write = (name: string, sql: string): void => {
  mkdirSync(join(dir, name), { recursive: true });
  writeFileSync(join(dir, name, 'migration.sql'), sql);
};
const rowsOf = async (sql: string): Promise<unknown[]> => (await owner.query(sql)).rows;

beforeEach(async () => {
  database = await createTestDatabase({ migrated: false });
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  dir = mkdtempSync(join(tmpdir(), 'svc-migrations-'));
  write('0001_a', 'CREATE TABLE a (x int)');
}, 60_000);
afterEach(async () => {
  await owner.end();
  await database.close();
  rmSync(dir, { recursive: true, force: true });
});

test('applies what is missing, in order, once', async () => {
  write('0002_b', 'ALTER TABLE a ADD COLUMN y int; INSERT INTO a VALUES (1, 2)');
  expect(await migrate(database.ownerUrl, dir)).toEqual(['0001_a', '0002_b']);
  expect(await migrate(database.ownerUrl, dir)).toEqual([]);
  write('0003_c', 'CREATE TABLE c (x int)');
  expect(await migrate(database.ownerUrl, dir)).toEqual(['0003_c']);
  expect(await rowsOf('SELECT * FROM a')).toEqual([{ x: 1, y: 2 }]);
});

test('several at once apply each migration once', async () => {
  write('0002_b', 'SELECT pg_sleep(0.2); CREATE TABLE b (x int)');
  const all = await Promise.all([1, 2, 3].map(async () => await migrate(database.ownerUrl, dir)));
  expect(all.flat().sort()).toEqual(['0001_a', '0002_b']);
});

test('an edited migration is refused and nothing further is applied', async () => {
  await migrate(database.ownerUrl, dir);
  write('0001_a', 'CREATE TABLE a (x bigint)');
  write('0002_b', 'CREATE TABLE b (x int)');
  await expect(migrate(database.ownerUrl, dir)).rejects.toThrow(/0001_a was changed after it was applied/);
  expect(await rowsOf("SELECT to_regclass('b') AS b")).toEqual([{ b: null }]);
});

test('a failing migration leaves nothing of itself, keeps its reason, and blocks until somebody decides', async () => {
  write('0002_b', 'CREATE TABLE b (x int); SELECT 1/0');
  await expect(migrate(database.ownerUrl, dir)).rejects.toThrow(/0002_b failed: division by zero/);
  expect(await rowsOf("SELECT to_regclass('b') AS b")).toEqual([{ b: null }]);
  expect(await rowsOf("SELECT logs, finished_at FROM _prisma_migrations WHERE migration_name = '0002_b'")).toEqual([
    { logs: 'division by zero', finished_at: null },
  ]);
  write('0002_b', 'CREATE TABLE b (x int)');
  await expect(migrate(database.ownerUrl, dir)).rejects.toThrow(/0002_b was begun and not finished.*rolled_back_at/s);
  await owner.query("UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '0002_b'");
  expect(await migrate(database.ownerUrl, dir)).toEqual(['0002_b']);
});

test('an index is built beside writers, outside of a transaction', async () => {
  write('0002_i', '-- big table\nCREATE INDEX CONCURRENTLY i ON a (x);\n');
  expect(await migrate(database.ownerUrl, dir)).toEqual(['0001_a', '0002_i']);
  expect(await rowsOf("SELECT indisvalid FROM pg_index WHERE indexrelid = 'i'::regclass")).toEqual([{ indisvalid: true }]);
});

test('tells what a database lacks, before and after the first migration', async () => {
  cpSync(findMigrationsDir(), dir, { recursive: true });
  const core = '0001_core';
  expect(await findPendingMigrations(database.relational, dir)).toContain(core);
  rmSync(join(dir, '0001_a'), { recursive: true });
  await migrate(database.ownerUrl, dir);
  expect(await findPendingMigrations(database.relational, dir)).toEqual([]);
  write('9999_next', 'CREATE TABLE n (x int)');
  expect(await findPendingMigrations(database.relational, dir)).toEqual(['9999_next']);
});

test('a database that is not there is named as unavailable', async () => {
  await expect(migrate('postgres://svc_owner:x@127.0.0.1:1/svc', dir)).rejects.toMatchObject({ code: 'unavailable' });
});
