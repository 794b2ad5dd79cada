import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { AMPLIFIERS } from '@svc/otlp-wire/test-amplifiers';
import { lookupType } from '@svc/otlp-wire/test-conforming';
import { type Signal, walk } from '@svc/otlp-wire/walk';
import pino from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Bus, createLogBus } from '#bus';
import type { Telemetry } from '#telemetry';
import { openFreshTelemetry } from '#test-telemetry';
import { callGrpc, postHttp, toOtlpJson } from '../features/otlp/test-clients.ts';
import { ACME, startTestReceiver, type TestReceiver, TOKENS } from '../features/otlp/test-receiver.ts';
import { createOtlpStore } from '../features/otlp-store/index.ts';

const log = pino({ level: 'silent' });
const token = TOKENS.acme;
const MIB = 1024 * 1024;
/** The fixed budget of docs/limits.md, receiver, builder and chDB in this one process together. */
const MOST_GROWTH = 1024 * MIB;

const RESPONSES: Record<Signal, [type: string, field: string]> = {
  traces: ['trace.v1.ExportTraceServiceResponse', 'rejected_spans'],
  logs: ['logs.v1.ExportLogsServiceResponse', 'rejected_log_records'],
  metrics: ['metrics.v1.ExportMetricsServiceResponse', 'rejected_data_points'],
};

let folder: string;
let telemetry: Telemetry;
let bus: Bus;
let otlp: ReturnType<typeof createOtlpStore>;
let receiver: TestReceiver;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-otlp-hostile-'));
  telemetry = await openFreshTelemetry(folder);
  bus = await createLogBus({ folder: join(folder, 'log'), log });
  otlp = createOtlpStore({ bus, telemetry, log });
  await otlp.start();
  receiver = await startTestReceiver({ bus });
});
afterAll(async () => {
  await receiver?.receiver.drain(100);
  await otlp?.close();
  await bus?.close();
  await telemetry?.close();
  await rm(folder, { recursive: true, force: true });
});

type Send = (signal: Signal, body: Buffer) => Promise<number>;

/** How many records the answer says were rejected. */
function rejectedOf(signal: Signal, body: Buffer): number {
  const [name, field] = RESPONSES[signal];
  const type = lookupType(`opentelemetry.proto.collector.${name}`);
  const response = type.toObject(type.decode(body), { longs: Number, defaults: true });
  return Number(Reflect.get(Object(response.partial_success), field) ?? 0);
}

const overGrpc: Send = async (signal, body) => {
  const headers = { 'grpc-encoding': 'gzip' };
  const answer = await callGrpc(receiver, { signal, token, body: gzipSync(body), isCompressed: true, headers });
  expect(answer.status).toBe(0);
  return rejectedOf(signal, answer.body);
};
const overHttp: Send = async (signal, body) => {
  const answer = await postHttp(receiver, { signal, token, body: gzipSync(body), headers: { 'content-encoding': 'gzip' } });
  expect(answer.status).toBe(200);
  return rejectedOf(signal, answer.body);
};
const asJson: Send = async (signal, body) => {
  const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
  const answer = await postHttp(receiver, { signal, token, body: gzipSync(toOtlpJson(signal, body)), headers });
  expect(answer.status).toBe(200);
  const { partialSuccess = {} } = JSON.parse(answer.body.toString()) as { partialSuccess?: Record<string, string> };
  return Number(Object.entries(partialSuccess).find(([name]) => name.startsWith('rejected'))?.[1] ?? 0);
};

function counted(signal: Signal) {
  const { rows = 0, leftOut = 0, truncated = 0 } = otlp.storeCounters().tenants.get(signal)?.get(ACME) ?? {};
  return { rows, taken: rows + leftOut, truncated };
}

async function readable(table: string): Promise<number> {
  const sql = `SELECT count() AS rows FROM ${table} WHERE tenant_id = {tenant:String}`;
  const [row] = await telemetry.store.read<{ rows: number }>(ACME, sql);
  return row?.rows ?? 0;
}

/** The most that this process grew while it worked. */
async function watchMemory(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  await work().finally(() => clearInterval(timer));
  return most - before;
}

const WAYS: readonly [way: string, send: Send, bytes: number][] = [
  ['gRPC', overGrpc, 4 * MIB - 4096],
  ['HTTP protobuf', overHttp, 500_000],
  ['HTTP JSON', asJson, 60_000],
];

test.each(WAYS)(
  'over %s what is acknowledged of hostile requests can be read, and takes bounded memory',
  async (_, send, bytes) => {
    const accepted: Record<Signal, number> = { traces: 0, logs: 0, metrics: 0 };
    const before = { traces: counted('traces'), logs: counted('logs'), metrics: counted('metrics') };
    const grown = await watchMemory(async () => {
      for (const { signal, make } of AMPLIFIERS) {
        const body = make(bytes, Date.now());
        const { items } = walk(signal, body, { tenant: ACME, nowMs: Date.now() });
        accepted[signal] += items - (await send(signal, body));
      }
      await vi.waitFor(
        () => {
          for (const signal of ['traces', 'logs', 'metrics'] as const)
            expect({ signal, taken: counted(signal).taken - before[signal].taken }).toEqual({ signal, taken: accepted[signal] });
        },
        { timeout: 60_000, interval: 100 },
      );
    });
    expect([await readable('spans'), await readable('logs')]).toEqual([counted('traces').rows, counted('logs').rows]);
    expect(Math.min(...Object.values(accepted))).toBeGreaterThan(1000);
    expect(grown).toBeLessThan(MOST_GROWTH);
  },
);

test('records that are refused for their weight are counted with their reason', async () => {
  await receiver.receiver.report();
  const refusals = receiver.reports.flatMap((report) => report.refusals);
  expect(new Set(refusals.map(({ tenant, reason }) => `${tenant} ${reason}`))).toEqual(new Set(['acme too_heavy']));
  expect(refusals.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(1_000_000);
});
