import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ByteSink, encodeBlock } from '@svc/bytes';
import { nicesOf } from '@svc/testkit/threads';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Engine } from '../engine/engine.ts';
import { migrateStore } from '../migrate.ts';
import { openChdb } from './engine.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../../clickhouse/migrations', import.meta.url));
/** Enough for merges of those tables that wait longest. */
const BLOCKS = 50;
/** Of those that are merged fourteen at a time, and of those that wait for more (0014). */
const MOST_LEFT = 14;
const MOST_LEFT_OF_PATIENT = 38;
const PATIENT: readonly string[] = ['logs', 'metric_histograms'];
const NOW = 'toDateTime64(now() - 60, 3)';
const HOUR = 'toUInt32(intDiv(toUnixTimestamp(now()), 3600))';

/** Every table whose merges are set by a migration, and the expression for its column of time. */
const TABLES = {
  results: { ts: NOW },
  samples: { ts: NOW },
  sample_hours: { hour: HOUR },
  spans: { ts: NOW },
  logs: { ts: NOW },
  metric_points: { ts: NOW },
  metric_histograms: { ts: NOW },
  metric_hours: { hour: HOUR },
  test_runs: { ts: NOW },
  test_hours: { hour: HOUR },
  rum_views: { ts: NOW },
  rum_hours: { hour: HOUR },
} as const;

const directory = await mkdtemp(join(tmpdir(), 'svc-merges-'));
let engine: Engine;

beforeAll(async () => {
  engine = await openChdb({ directory, memoryBytes: 1024 ** 3 });
  await migrateStore(engine, { directory: MIGRATIONS, mode: 'apply' });
});

afterAll(async () => {
  await engine.close();
  await rm(directory, { recursive: true, force: true });
});

const ask = <Row>(sql: string) => engine.query<Row>({ sql, params: {}, timeoutMs: 10_000, maxRows: 100 });

test('no table has its merges set and stands outside of this test', async () => {
  const set = await ask<{ name: string }>(
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND create_table_query LIKE '%min_parts_to_merge_at_once%' ORDER BY name",
  );
  expect(set.map(({ name }) => name)).toEqual(Object.keys(TABLES).sort());
});

test('one merge at a time for every four cores, and none for which the others wait too long', async () => {
  const found = await ask<{ name: string; value: string }>(
    `SELECT name, value FROM (
       SELECT name, value FROM system.server_settings WHERE name IN ('background_pool_size', 'background_merges_mutations_concurrency_ratio')
       UNION ALL SELECT name, value FROM system.merge_tree_settings WHERE name = 'max_bytes_to_merge_at_max_space_in_pool') ORDER BY name`,
  );
  expect(found.map(({ value }) => value)).toEqual([
    '1',
    String(Math.max(1, Math.floor(availableParallelism() / 4))),
    '2147483648',
  ]);
});

test('what it remembers between questions is bounded well below what it may hold', async () => {
  const caches = ['mark', 'index_mark', 'text_index_header', 'text_index_tokens', 'query_condition'];
  const [bounds] = await ask<{ caches: number; bytes: number }>(
    `SELECT count() AS caches, sum(toUInt64(value)) AS bytes FROM system.server_settings
     WHERE name IN ('${caches.map((name) => `${name}_cache_size`).join("', '")}')`,
  );
  expect(bounds?.caches).toBe(caches.length);
  expect(bounds?.bytes).toBeLessThanOrEqual(192 * 1024 * 1024);
});

test('large blocks go in one after the other, and small ones beside them', async () => {
  await engine.command('CREATE TABLE slow (text String, slept UInt8 MATERIALIZED sleep(0.3)) ENGINE = MergeTree ORDER BY text');
  const stored: string[] = [];
  const insert = async (name: string, length: number): Promise<number> => {
    const sink = new ByteSink();
    encodeBlock(sink, { table: 'slow', rows: 1, columns: [{ name: 'text', type: 'String', values: [name.repeat(length)] }] });
    await engine.insert({ table: 'slow', columns: ['text'], bytes: sink.view() });
    stored.push(name);
    return performance.now();
  };
  const large = 5 * 1024 * 1024;
  const [first, second] = await Promise.all([insert('a', large), insert('b', large), insert('c', 10)]);
  expect(stored.at(-1)).toMatch(/[ab]/);
  expect(Math.abs(second - first)).toBeGreaterThan(250);
  expect(await ask('SELECT count() AS n FROM slow')).toEqual([{ n: 3 }]);
});

test.runIf(process.platform === 'linux')('who merges stands behind who answers', async () => {
  const sink = new ByteSink();
  const values = ['shop'];
  encodeBlock(sink, { table: 'spans', rows: 1, columns: [{ name: 'tenant_id', type: 'LowCardinality(String)', values }] });
  await engine.insert({ table: 'spans', columns: ['tenant_id'], bytes: sink.view() });
  const nices = nicesOf('MergeMutate');
  expect(nices.length).toBeGreaterThan(0);
  expect(new Set(nices)).toEqual(new Set([10]));
});

test('what is erased goes from part to part at once, without a pause after each', async () => {
  await engine.command('CREATE TABLE rewritten (n UInt32) ENGINE = MergeTree PARTITION BY n ORDER BY n');
  await engine.command('INSERT INTO rewritten SELECT number FROM numbers(40)');
  const begunMs = performance.now();
  await engine.command('ALTER TABLE rewritten DELETE WHERE n < 20 SETTINGS mutations_sync = 2');
  // By the engine's own pauses of up to 1.1 s it takes more than 20 s.
  expect(performance.now() - begunMs).toBeLessThan(15_000);
  expect(await ask('SELECT count() AS n FROM rewritten')).toEqual([{ n: 20 }]);
});

test('blocks that go on coming are merged', async () => {
  for (let i = 0; i < BLOCKS; i++)
    for (const [table, time] of Object.entries(TABLES)) {
      const [[column, expression]] = Object.entries(time) as [[string, string]];
      await engine.command(`INSERT INTO ${table} (tenant_id, ${column}) SELECT 'shop', ${expression}`);
    }
  await vi.waitFor(
    async () => {
      const found = await ask<{ name: string; parts: number }>(
        `SELECT table AS name, count() AS parts FROM system.parts
         WHERE active AND database = currentDatabase() AND table IN ('${Object.keys(TABLES).join("', '")}') GROUP BY table ORDER BY table`,
      );
      const unmerged = found.filter(({ name, parts }) => parts > (PATIENT.includes(name) ? MOST_LEFT_OF_PATIENT : MOST_LEFT));
      expect(unmerged, JSON.stringify(found)).toEqual([]);
    },
    { timeout: 60_000, interval: 500 },
  );
}, 90_000);
