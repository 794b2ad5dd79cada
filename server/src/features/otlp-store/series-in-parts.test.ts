import { TOPICS } from '@svc/contracts/bus-topics';
import type { SeriesReport } from '@svc/otlp-wire/rows';
import { encodeConforming } from '@svc/otlp-wire/test-conforming';
import pino from 'pino';
import { afterAll, expect, test } from 'vitest';
import type { BusMessage } from '#bus';
import { parseTenantId, type TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';
import { openTestTelemetry } from '#test-telemetry';
import { createStoreConsumer } from './consume.ts';
import { type BuildThread, createBuildThread } from './thread.ts';

const NOW = Date.now();
const BOUND = 100;
const [acme, quiet] = [parseTenantId('acme'), parseTenantId('quiet')];
const log = pino({ level: 'silent' });
const signal = new AbortController().signal;

const reads: string[] = [];
const readSeries = async (tenant: string) => {
  reads.push(tenant);
  return { tenant, months: new Map(), days: new Map() };
};
const thread = createBuildThread(log, { seriesPerDay: BOUND, readSeries });
const telemetry = await openTestTelemetry();
afterAll(async () => {
  await thread.close();
  await telemetry.close();
});

/** What became of each build: blocks of a part are told of once. */
const told: boolean[][] = [];
/** A builder that holds two messages at a time. */
const small: BuildThread = {
  async build(batch) {
    const { done, ...built } = await thread.build({ ...batch, messages: batch.messages.slice(0, 2) });
    const own: boolean[] = [];
    told.push(own);
    const tell = (stored: boolean): void => {
      own.push(stored);
      done(stored);
    };
    return { ...built, taken: Math.min(2, batch.messages.length), done: tell };
  },
  close: async () => undefined,
};

/** Gauges of the series with these numbers. */
function gauges(from: number, to: number): Buffer {
  const data_points = Array.from({ length: to - from }, (_, i) => ({
    time_unix_nano: String(BigInt(NOW - from) * 1_000_000n),
    as_double: 1,
    attributes: [{ key: 'user', value: { string_value: `u${from + i}` } }],
  }));
  return encodeConforming('metrics', {
    resource_metrics: [{ scope_metrics: [{ metrics: [{ name: 'g', gauge: { data_points } }] }] }],
  });
}

const toMessages = (requests: readonly [TenantId, Buffer][], first: number): BusMessage[] =>
  requests.map(([tenant, value], i) => ({ tenant, value, headers: { at: String(NOW) }, offset: BigInt(first + i) }));

async function countRows(store: ColumnStore, tenant: TenantId, table: string): Promise<number> {
  const sql = `SELECT count() AS rows FROM ${table} WHERE tenant_id = {tenant:String}`;
  return (await store.read<{ rows: number }>(tenant, sql))[0]?.rows ?? 0;
}

test('a batch in parts, whose tenant’s series are read first and one of whose messages is at fault: each row and each report once', async () => {
  const { store } = telemetry;
  const reports: SeriesReport[] = [];
  const noteSeries = (more: readonly SeriesReport[]): void => void reports.push(...more);
  const { handle, counters } = createStoreConsumer({ store, thread: small, noteSeries, log });
  const batchOf = (messages: BusMessage[]) => ({ topic: TOPICS.otlpMetrics, partition: 1, messages });
  const requests: [TenantId, Buffer][] = [
    [acme, gauges(0, 40)],
    [acme, gauges(40, 80)],
    [acme, Buffer.from('no request')],
    [acme, gauges(80, 120)],
    [acme, gauges(120, 160)],
    [quiet, gauges(0, 10)],
  ];
  await handle(batchOf(toMessages(requests, 0)), signal);
  expect(reads).toEqual(['acme']);
  expect(told).toEqual([[true], [true], [true]]);
  expect(counters.tenants.get('metrics')?.get(acme)).toMatchObject({ rows: 160, leftOut: 0 });
  expect(counters.refused.get('metrics')).toBe(1);
  // The overflow series is one.
  expect(await countRows(store, acme, 'metric_series')).toBe(BOUND + 1);
  expect(await countRows(store, quiet, 'metric_series')).toBe(10);
  expect(await countRows(store, acme, 'metric_points')).toBe(160);
  expect(reports.reduce((sum, { folded }) => sum + folded, 0)).toBe(60);
  expect(reports.at(-1)).toMatchObject({ tenant: 'acme', admitted: BOUND, leftOut: 0, metrics: [{ name: 'g', points: 60 }] });

  // A later fault costs nobody a series, a place or what was noted.
  const later: [TenantId, Buffer][] = [
    [acme, gauges(200, 210)],
    [quiet, Buffer.from('no request')],
  ];
  await handle(batchOf(toMessages(later, 6)), signal);
  expect(reports.at(-1)).toMatchObject({ tenant: 'acme', admitted: BOUND, folded: 10, metrics: [{ name: 'g', points: 70 }] });
  expect(reads).toEqual(['acme']);
});
