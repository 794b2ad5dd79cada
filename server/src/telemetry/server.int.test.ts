import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ClickHouseServer, clickHouseUnavailable, startClickHouse } from '@svc/testkit/clickhouse';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createColumnStore } from './clickhouse.ts';
import { openServer } from './engine/server.ts';
import { describeErasing } from './erase.contract.ts';
import { migrateStore } from './migrate.ts';
import { migrateTelemetry, openTelemetry } from './open.ts';
import { describeSeriesHours } from './series/hours.contract.ts';
import { describeSeriesStore } from './series/series.contract.ts';
import { createSeriesStore } from './series/series.ts';
import { describeSpanExtras } from './span-extras.contract.ts';
import { describeColumnStore } from './store.contract.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../clickhouse/migrations', import.meta.url));
const log = pino({ level: 'silent' });
const unavailable = clickHouseUnavailable();
if (unavailable) process.stderr.write(`SKIPPED: ${unavailable}\n`);

describe.skipIf(unavailable !== undefined)('ClickHouse server', () => {
  let server: ClickHouseServer;
  beforeAll(async () => {
    server = await startClickHouse();
  });
  afterAll(() => server?.stop());

  describeColumnStore('a server', async () => openServer({ url: server.url }));

  describeSeriesStore('a server', async (clock) => {
    const engine = openServer({ url: server.url });
    await engine.command('DROP TABLE IF EXISTS schema_migrations');
    await migrateStore(engine, { directory: MIGRATIONS, mode: 'apply' });
    return { series: createSeriesStore(createColumnStore(engine), clock), close: () => engine.close() };
  });

  describeErasing('a server', async () => (await openAt(server.url)).store);

  describeSeriesHours('a server', async () => openServer({ url: server.url }));

  describeSpanExtras('a server', async () => openServer({ url: server.url }));

  const openAt = (url: string) => openTelemetry({ dataDir: '/nonexistent', migrationsDir: MIGRATIONS, url, log });

  test('names what is wrong when it cannot be opened, without the password', async () => {
    const { password } = new URL(server.url);
    await expect(openAt(server.url.replace(password, 'wrong'))).rejects.toMatchObject({
      code: 'unavailable',
      message: `ClickHouse at http://127.0.0.1:${server.port} refuses the user and password it was given.`,
    });
    await expect(openAt(`${server.url}/missing`)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('no such database'),
    });
    const closed = server.url.replace(String(server.port), '1');
    await expect(openAt(closed)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'ClickHouse at http://127.0.0.1:1 does not answer.',
    });
  });

  test('refuses to serve from a store that lacks migrations until they are applied', async () => {
    const options = { dataDir: '/nonexistent', migrationsDir: MIGRATIONS, url: server.url, log };
    const engine = openServer({ url: server.url });
    await engine.command('DROP TABLE IF EXISTS schema_migrations');
    await engine.close();
    const migrations = readdirSync(MIGRATIONS).length;
    await expect(openTelemetry({ ...options, migrations: 'check' })).rejects.toThrow(
      `lacks ${migrations} migrations: run "npm run svc -- migrate"`,
    );
    expect(await migrateTelemetry(options)).toHaveLength(migrations);
    const telemetry = await openTelemetry({ ...options, migrations: 'check' });
    expect(telemetry.kind).toBe('server');
    await telemetry.close();
  });

  test('an insert does not wait for reads, however many there are', async () => {
    const telemetry = await openAt(server.url);
    const tenant = parseTenantId('busy');
    let read = 0;
    const reads = Array.from({ length: 30 }, async () => {
      await telemetry.store.read(tenant, 'SELECT sleep(1), {tenant:String} AS tenant');
      read++;
    });
    const ts = Date.now() - 60_000;
    await telemetry.series.write([{ tenant, metric: 'm', labels: { agent: 'a' }, ts, value: 1 }]);
    // Twelve at once: behind them it would have waited for 24.
    expect(read).toBeLessThan(24);
    await Promise.all(reads);
    await telemetry.close();
  });

  test('keeps through kill -9 what was acknowledged, says that it is away and comes back by itself', async () => {
    const telemetry = await openAt(server.url);
    const tenant = parseTenantId('killed');
    const ts = Date.now() - 60_000;
    const point = (i: number) => ({ tenant, metric: 'm', labels: { agent: 'a' }, ts: ts + i, value: i });
    await telemetry.series.write(Array.from({ length: 1000 }, (_, i) => point(i)));
    await server.kill();
    expect(await telemetry.health()).toMatchObject({ status: 'failed', detail: expect.stringContaining('does not answer') });
    await expect(telemetry.series.write([point(1000)])).rejects.toMatchObject({ code: 'unavailable' });
    await server.start();
    await telemetry.series.write([point(1000)]);
    expect(await telemetry.health()).toEqual({ status: 'ok' });
    const [points] = await telemetry.series.range(tenant, { metrics: ['m'], labels: {}, fromMs: ts, toMs: ts + 2000, stepMs: 0 });
    expect(points?.avg).toEqual(Array.from({ length: 1001 }, (_, i) => i));
    await telemetry.close();
  });
});
