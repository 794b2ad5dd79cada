import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOPICS } from '@svc/contracts/bus-topics';
import { encodeConforming } from '@svc/otlp-wire/test-conforming';
import pino from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Bus, createLogBus } from '#bus';
import { AppError, parseTenantId } from '#kernel';
import type { Telemetry } from '#telemetry';
import { openFreshTelemetry } from '#test-telemetry';
import { createOtlpStore } from './index.ts';

const log = pino({ level: 'silent' });
const NOW = Date.now();
const POINTS = 50;
const requests = (start: number): Buffer => {
  const data_points = Array.from({ length: POINTS }, (_, i) => ({
    time_unix_nano: String(BigInt(start + i * 1000) * 1_000_000n),
    as_int: String(i),
    attributes: [{ key: 'route', value: { string_value: `/${i % 5}` } }],
  }));
  const sum = { aggregation_temporality: 2, is_monotonic: true, data_points };
  return encodeConforming('metrics', { resource_metrics: [{ scope_metrics: [{ metrics: [{ name: 'requests', sum }] }] }] });
};

let folder: string;
let telemetry: Telemetry;
let bus: Bus;
const metricDays = { application: 20, host: 7, flow: 3 };
let otlp: ReturnType<typeof createOtlpStore>;
let failing = false;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-otlp-metrics-'));
  telemetry = await openFreshTelemetry(folder);
  bus = await createLogBus({ folder: join(folder, 'log'), log });
  const store = telemetry.store;
  // A store that is away for the points, after it has taken their series.
  const writeEncoded: typeof store.writeEncoded = async (block) => {
    if (failing && block.table === 'metric_points') throw new AppError('unavailable', 'Away.');
    await store.writeEncoded(block);
  };
  otlp = createOtlpStore({ bus, telemetry: { ...telemetry, store: { ...store, writeEncoded } }, metricDays, log });
  await otlp.start();
});
afterAll(async () => {
  await otlp.close();
  await bus.close();
  await telemetry.close();
  await rm(folder, { recursive: true, force: true });
});

test('points that come twice, or after the store was away, are stored once and under one name', { timeout: 20_000 }, async () => {
  const acme = parseTenantId('acme');
  const publish = async (start: number) =>
    void (await bus.publish(TOPICS.otlpMetrics, [{ tenant: acme, value: requests(start), headers: { at: String(NOW) } }]));
  const count = async () => {
    const sql = `SELECT count() AS points, uniq(fp) AS series, uniq(days) AS clocks, max(days) AS kept FROM (
        SELECT fp, ts, any(keep_days) AS days FROM metric_points WHERE tenant_id = {tenant:String} GROUP BY fp, ts)`;
    return (await telemetry.store.read(acme, sql))?.[0];
  };
  const stored = (points: number) =>
    vi.waitFor(async () => expect(await count()).toEqual({ points, series: 5, clocks: 1, kept: 20 }), {
      timeout: 8000,
      interval: 50,
    });
  await publish(NOW - 600_000);
  await stored(POINTS);
  failing = true;
  await publish(NOW - 300_000);
  await publish(NOW - 600_000);
  await vi.waitFor(async () => expect((await otlp.health()).status).toBe('degraded'), { timeout: 5000, interval: 50 });
  failing = false;
  await stored(2 * POINTS);
  await vi.waitFor(async () => expect((await otlp.health()).status).toBe('ok'), { timeout: 5000, interval: 50 });
  const series = await telemetry.store.read(
    acme,
    'SELECT metric, labels FROM metric_series WHERE tenant_id = {tenant:String} LIMIT 1 BY fp',
  );
  expect(series?.map((row) => JSON.stringify(row)).sort()).toEqual(
    [0, 1, 2, 3, 4].map((i) => `{"metric":"requests_total","labels":{"route":"/${i}"}}`),
  );
});
