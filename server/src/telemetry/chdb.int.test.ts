import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { openChdb } from './chdb/engine.ts';
import { createColumnStore } from './clickhouse.ts';
import { NO_MEMORY, NOT_NOW } from './engine/store-failure.ts';
import { describeErasing } from './erase.contract.ts';
import { migrateStore } from './migrate.ts';
import { describeSeriesHours } from './series/hours.contract.ts';
import { describeSeriesStore } from './series/series.contract.ts';
import { createSeriesStore } from './series/series.ts';
import { describeSpanExtras } from './span-extras.contract.ts';
import { describeColumnStore } from './store.contract.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../clickhouse/migrations', import.meta.url));

const directory = await mkdtemp(join(tmpdir(), "svc-chdb-it's "));
afterAll(() => rm(directory, { recursive: true, force: true }));

const open = () => openChdb({ directory, memoryBytes: 1024 ** 3 });
describeColumnStore('chDB', open);

describeSeriesStore('chDB', async (clock) => {
  const engine = await open();
  await engine.command('DROP TABLE IF EXISTS schema_migrations');
  await migrateStore(engine, { directory: MIGRATIONS, mode: 'apply' });
  return { series: createSeriesStore(createColumnStore(engine), clock), close: () => engine.close() };
});

describeErasing('chDB', async () => {
  const engine = await open();
  await engine.command('DROP TABLE IF EXISTS schema_migrations');
  await migrateStore(engine, { directory: MIGRATIONS, mode: 'apply' });
  return createColumnStore(engine);
});

describeSeriesHours('chDB', open);

describeSpanExtras('chDB', open);

test('names the folder that it cannot write to', async () => {
  const file = join(directory, 'a-file');
  await writeFile(file, '');
  const opened = openChdb({ directory: join(file, 'clickhouse'), memoryBytes: 1024 ** 3 });
  await expect(opened).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining(`cannot write to ${file}`),
  });
});

test('codes of what passes are those that ClickHouse has under these names', async () => {
  const engine = await open();
  const codes = Object.entries({ ...NOT_NOW, ...NO_MEMORY });
  const sql = `SELECT errorCodeToName(arrayJoin([${codes.map(([, code]) => code).join(', ')}])) AS name`;
  const rows = await engine.query<{ name: string }>({ sql, params: {}, timeoutMs: 5000, maxRows: 1000 });
  expect(rows.map(({ name }) => name)).toEqual(codes.map(([name]) => name));
  await engine.close();
});
