import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { expect, test, vi } from 'vitest';
import { createLogBus } from '#bus';
import type { TenantId } from '#kernel';
import { openTelemetry, rollUpHours } from '#telemetry';
import { metricHours } from '../features/metrics/reader-clickhouse/roll-up.ts';
import { createOtlpStore } from '../features/otlp-store/index.ts';
import { LATER_MS, PER_START, TENANTS, timeOf } from './test-numbered-metrics.ts';

const migrationsDir = fileURLToPath(new URL('../../../clickhouse/migrations', import.meta.url));
const CHILD = fileURLToPath(new URL('./metrics-kill-child.ts', import.meta.url));
const log = pino({ level: 'silent' });
const HOUR_MS = 3_600_000;
/** The step of the child's that it dies at: each insert is of series, points or histograms; three steps roll up. */
const KILLS = [
  ['insert', 'after', 1],
  ['insert', 'during', 5],
  ['derive', 'after', 1],
  ['insert', 'before', 2],
  ['derive', 'during', 3],
] as const;

/** Runs the child until it kills itself; gives what was acknowledged to it, `tenant:number`. */
async function runUntilKilled(folder: string, from: number, kill: readonly [string, string, number]): Promise<string[]> {
  const args = [CHILD, folder, migrationsDir, String(from), ...kill.map(String)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const acknowledged: string[] = [];
  for await (const line of createInterface(child.stdout)) acknowledged.push(line);
  expect(await exited).toEqual([null, 'SIGKILL']);
  return acknowledged;
}

interface Point {
  fp: string;
  at: number;
  n: number;
  faults: number;
}

const pointsSql = `SELECT toString(fp) AS fp, toUnixTimestamp64Milli(ts) AS at, any(value) AS n, uniqExact(value) - 1 AS faults
  FROM metric_points WHERE tenant_id = {tenant:String} AND metric = 'requests_total' GROUP BY fp, ts ORDER BY ts`;
const histogramsSql = `SELECT toString(fp) AS fp, toUnixTimestamp64Milli(ts) AS at, toFloat64(any(count)) AS n,
    countIf(sum != 2 * count OR counts != [0, count]) AS faults
  FROM metric_histograms WHERE tenant_id = {tenant:String} AND metric = 'latency_seconds' GROUP BY fp, ts ORDER BY ts`;
const HOUR_COLUMNS = [
  ...['points', 'first_at', 'last_at', 'first', 'last', 'increase', 'total'],
  ...['count_first', 'count_last', 'count_increase', 'count_total'],
];
const hoursSql = `SELECT hour, ${HOUR_COLUMNS.map((name) => `argMax(${name}, version) AS ${name}_now`).join(', ')}
  FROM metric_hours WHERE tenant_id = {tenant:String} AND metric = {metric:String} GROUP BY fp, hour ORDER BY hour`;

/** What the hours of these points have to be; a histogram's sum is twice its count. */
function hoursOf(points: readonly Point[], kind: 'counter' | 'histogram'): Record<string, number>[] {
  const hours = Map.groupBy(points, ({ at }) => Math.floor(at / HOUR_MS));
  return [...hours].map(([hour, list]) => {
    const told = (scale: number): [number, number, number, number] => {
      const values = list.map(({ n }) => scale * n);
      const [first = 0, last = 0] = [values[0], values.at(-1)];
      return [first, last, last - first, values.reduce((sum, value) => sum + value, 0)];
    };
    const [values, counts] = kind === 'counter' ? [told(1), [0, 0, 0, 0]] : [told(2), told(1)];
    const numbers = [list.length, list[0]?.at, list.at(-1)?.at, ...values, ...counts];
    return { hour, ...Object.fromEntries(HOUR_COLUMNS.map((name, i) => [`${name}_now`, numbers[i] as number])) };
  });
}

test('killed with -9 around inserts and roll-ups, it has every acknowledged point once, and hours that say the same', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-metrics-kill-'));
  try {
    const acknowledged: string[] = [];
    for (const [start, kill] of KILLS.entries()) acknowledged.push(...(await runUntilKilled(folder, start * PER_START, kill)));
    const telemetry = await openTelemetry({ dataDir: folder, migrationsDir, log });
    const bus = await createLogBus({ folder: join(folder, 'log'), log });
    const otlp = createOtlpStore({ bus, telemetry, log });
    await otlp.start();
    const store = telemetry.store;
    const missing = async (tenant: TenantId, sql: string) => {
      const numbers = new Set((await store.read<Point>(tenant, sql)).map(({ n }) => n));
      return acknowledged.filter((each) => each.startsWith(`${tenant}:`) && !numbers.has(Number(each.split(':')[1])));
    };
    const lost = async () =>
      (await Promise.all(TENANTS.flatMap((tenant) => [missing(tenant, pointsSql), missing(tenant, histogramsSql)]))).flat();
    await vi.waitFor(async () => expect((await lost()).slice(0, 5)).toEqual([]), { timeout: 60_000, interval: 300 });
    await otlp.close();
    expect(acknowledged.length).toBeGreaterThan(100);
    for (const tenant of TENANTS) {
      await rollUpHours(store, tenant, { ...metricHours(30), nowMs: Date.now() + LATER_MS });
      const names = await store.read(
        tenant,
        'SELECT metric, labels FROM metric_series WHERE tenant_id = {tenant:String} ORDER BY metric LIMIT 1 BY fp',
      );
      expect(names).toEqual(['latency_seconds', 'requests_total'].map((metric) => ({ metric, labels: { route: '/' } })));
      for (const [kind, metric, sql] of [
        ['counter', 'requests_total', pointsSql],
        ['histogram', 'latency_seconds', histogramsSql],
      ] as const) {
        const points = await store.read<Point>(tenant, sql);
        expect(points.filter(({ at, n, faults }) => at !== timeOf(n) || faults > 0)).toEqual([]);
        expect(new Set(points.map(({ fp }) => fp)).size).toBe(1);
        expect(await store.read(tenant, hoursSql, { metric })).toEqual(hoursOf(points, kind));
      }
    }
    await bus.close();
    await telemetry.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
