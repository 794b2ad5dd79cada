import { fileURLToPath } from 'node:url';
import { TOPICS } from '@svc/contracts/bus-topics';
import type { SeriesReport } from '@svc/otlp-wire/rows';
import { encodeConforming } from '@svc/otlp-wire/test-conforming';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import type { Telemetry } from '#telemetry';
import { openTestTelemetry } from '#test-telemetry';
import { createStoreConsumer } from '../consume.ts';
import { createBuildThread } from '../thread.ts';
import { createSeriesReader } from './read-series.ts';

const _migrationsDir = fileURLToPath(new URL('../../../../../clickhouse/migrations', import.meta.url));
const log = pino({ level: 'silent' });
const signal = new AbortController().signal;
const BOUND = 100;
/** One time for all points of a request, as an SDK sends them. */
const AT = Date.now() - 60_000;

type Kind = 'gauge' | 'delta' | 'sum';
interface Request {
  kind: Kind;
  /** Numbers of the series that have a point. */
  users: readonly [from: number, to: number];
  value?: number;
  atMs?: number;
}

const encode = ({ kind, users: [from, to], value = 2, atMs = AT }: Request): Buffer => {
  const data_points = Array.from({ length: to - from }, (_, i) => ({
    time_unix_nano: String(BigInt(atMs) * 1_000_000n),
    as_double: value,
    attributes: [
      { key: 'user', value: { string_value: `u${from + i}` } },
      { key: 'path', value: { string_value: `/${i % 3}` } },
    ],
  }));
  const sum = { aggregation_temporality: kind === 'delta' ? 1 : 2, is_monotonic: true, data_points };
  const metric = { name: `app.${kind}`, ...(kind === 'gauge' ? { gauge: { data_points } } : { sum }) };
  return encodeConforming('metrics', { resource_metrics: [{ scope_metrics: [{ metrics: [metric] }] }] });
};

/** As the ledger of another slice: it outlives what runs. */
function createLedger() {
  const reports: SeriesReport[] = [];
  const days = new Map<string, Map<number, number>>();
  return {
    reports,
    noteSeries(more: readonly SeriesReport[]): void {
      reports.push(...more);
      for (const { tenant, day, admitted } of more)
        if (admitted !== undefined) days.set(tenant, (days.get(tenant) ?? new Map()).set(day, admitted));
    },
    seriesByDay: async (tenant: TenantId) => days.get(tenant) ?? new Map(),
  };
}

let tenants = 0;
describe('in the column store', () => {
  let telemetry: Telemetry;
  beforeAll(async () => {
    telemetry = await openTestTelemetry();
  });
  afterAll(() => telemetry?.close());

  interface Row {
    fp: string;
    at: number;
    value: number;
  }
  async function pointsOf(tenant: TenantId): Promise<Row[]> {
    const sql = `SELECT toString(fp) AS fp, toInt64(toUnixTimestamp64Milli(ts)) AS at, any(value) AS value FROM metric_points
      WHERE tenant_id = {tenant:String} GROUP BY fp, ts`;
    const stored = await telemetry.store.read<Row>(tenant, sql);
    // As readers do, of points with one series and time only one.
    return [...new Map(stored.map((row) => [`${row.fp} ${row.at}`, row])).values()];
  }
  async function labelsOf(tenant: TenantId): Promise<Map<string, Record<string, string>>> {
    const found = new Map<string, Record<string, string>>();
    const sql = 'SELECT toString(fp) AS fp, labels FROM metric_series WHERE tenant_id = {tenant:String}';
    for (const { fp, labels } of await telemetry.store.read<{ fp: string; labels: Record<string, string> }>(tenant, sql))
      found.set(fp, labels);
    return found;
  }
  const isOverflow = (labels: Record<string, string> | undefined) => labels?.['otel.metric.overflow'] === 'true';

  /** A process, which is at its end when `close` resolves. */
  function start(ledger: ReturnType<typeof createLedger>, nowMs: () => number = Date.now) {
    const { store } = telemetry;
    const clock = { now: nowMs };
    const readSeries = createSeriesReader({ store, countedDays: ledger.seriesByDay, most: 2 * BOUND, clock, log });
    const thread = createBuildThread(log, { seriesPerDay: BOUND, readSeries });
    const { handle } = createStoreConsumer({ store, thread, noteSeries: ledger.noteSeries, log });
    let offset = 0n;
    const send = async (tenant: TenantId, ...requests: Request[]): Promise<void> => {
      const headers = { at: String(nowMs()) };
      const messages = requests.map((one) => ({ tenant, value: encode(one), headers, offset: ++offset }));
      await handle({ topic: TOPICS.otlpMetrics, partition: 1, messages }, signal);
    };
    return { send, close: thread.close };
  }

  const series = (points: readonly Row[]) => new Set(points.map(({ fp }) => fp));
  const totals = (ledger: ReturnType<typeof createLedger>, tenant: TenantId) => {
    const own = ledger.reports.filter((report) => report.tenant === tenant);
    const sum = (of: 'folded' | 'leftOut') => own.reduce((total, report) => total + report[of], 0);
    return { folded: sum('folded'), leftOut: sum('leftOut'), last: own.at(-1) };
  };

  test('ten times the series of a day: the first keep every point, others share the overflow series, another tenant is not touched', async () => {
    const [tenant, quiet] = [parseTenantId(`bound-${++tenants}`), parseTenantId(`quiet-${tenants}`)];
    const ledger = createLedger();
    const { send, close } = start(ledger);
    await send(tenant, { kind: 'gauge', users: [0, 60] });
    await send(tenant, { kind: 'gauge', users: [60, 1000] });
    await send(tenant, { kind: 'gauge', users: [0, 100], value: 7, atMs: AT + 1000 });
    await send(quiet, { kind: 'gauge', users: [0, 20] });
    const points = await pointsOf(tenant);
    const labels = await labelsOf(tenant);
    const overflow = [...labels].filter(([, one]) => isOverflow(one));
    expect(overflow.map(([, one]) => one)).toEqual([{ 'otel.metric.overflow': 'true' }]);
    expect(labels.size).toBe(101);
    // Of points of the overflow series with one millisecond the last is kept.
    expect(points).toHaveLength(100 + 1 + 100);
    expect(points.filter(({ value }) => value === 7)).toHaveLength(100);
    expect(series(await pointsOf(quiet)).size).toBe(20);
    expect(totals(ledger, tenant)).toMatchObject({ folded: 900, leftOut: 0, last: { admitted: 100 } });
    expect(ledger.reports.find(({ folded }) => folded > 0)).toMatchObject({
      metrics: [{ name: 'app_gauge', points: 900 }],
      label: { name: 'user' },
    });
    expect(totals(ledger, quiet).last).toBeUndefined();
    await close();
  });

  test('what deltas add up to is kept; cumulative counters cannot be added up and are left out and counted', async () => {
    const tenant = parseTenantId(`bound-${++tenants}`);
    const ledger = createLedger();
    const { send, close } = start(ledger);
    await send(tenant, { kind: 'gauge', users: [0, 100] });
    await send(tenant, { kind: 'delta', users: [0, 500] }, { kind: 'delta', users: [500, 1000] });
    await send(tenant, { kind: 'sum', users: [0, 1000] });
    const labels = await labelsOf(tenant);
    const points = (await pointsOf(tenant)).filter(({ fp }) => isOverflow(labels.get(fp)));
    expect(points.reduce((sum, { value }) => sum + value, 0)).toBe(2000);
    expect(points).toHaveLength(2);
    expect(totals(ledger, tenant)).toMatchObject({ folded: 1000, leftOut: 1000 });
    await close();
  });

  test('a restart at the bound keeps it, and all series that were there', async () => {
    const tenant = parseTenantId(`bound-${++tenants}`);
    const ledger = createLedger();
    const first = start(ledger);
    await first.send(tenant, { kind: 'gauge', users: [0, 300] });
    await first.close();
    const second = start(ledger);
    // The store has all of it; memory is lost with its process, but not with its thread.
    await second.send(tenant, { kind: 'gauge', users: [300, 1300], atMs: AT + 1000 });
    await second.send(tenant, { kind: 'gauge', users: [0, 100], value: 7, atMs: AT + 2000 });
    const points = await pointsOf(tenant);
    expect(points.filter(({ value }) => value === 7)).toHaveLength(100);
    expect(series(points).size).toBeLessThanOrEqual(101);
    expect(totals(ledger, tenant)).toMatchObject({ folded: 1200, last: { admitted: 100, metrics: [{ points: 1000 }] } });
    await second.close();
  });

  test('midnight opens the next day’s bound, and a clock that goes back does not open it again', async () => {
    const tenant = parseTenantId(`bound-${++tenants}`);
    const ledger = createLedger();
    const midnight = Math.floor(Date.now() / 86_400_000) * 86_400_000;
    let nowMs = midnight - 60_000;
    const { send, close } = start(ledger, () => nowMs);
    const bring = (from: number) => send(tenant, { kind: 'gauge', users: [from, from + 200], atMs: nowMs });
    await bring(0);
    nowMs = midnight + 60_000;
    await bring(1000);
    nowMs = midnight - 3_500_000;
    await bring(2000);
    nowMs = midnight + 120_000;
    await bring(3000);
    const kept = [...(await labelsOf(tenant)).values()]
      .filter((one) => !isOverflow(one))
      .map(({ user }) => Number(user?.slice(1)));
    const of = (from: number) => kept.filter((user) => user >= from && user < from + 1000).length;
    // Twice the bound may be active, the overflow series among them.
    expect([of(0), of(1000), of(2000), of(3000)]).toEqual([100, 99, 0, 0]);
    await close();
  });
});
