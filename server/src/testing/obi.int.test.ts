import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeConforming } from '@svc/otlp-wire/test-conforming';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createCallerFactory } from '#api';
import { type Bus, createLogBus } from '#bus';
import type { Relational } from '#relational';
import type { Telemetry } from '#telemetry';
import { openTestTelemetry } from '#test-telemetry';
import { createMetrics } from '../features/metrics/index.ts';
import { callGrpc, postHttp } from '../features/otlp/test-clients.ts';
import { ACME, OTHER, startTestReceiver, type TestReceiver, TOKENS } from '../features/otlp/test-receiver.ts';
import { createOtlpStore } from '../features/otlp-store/index.ts';
import { createTopology } from '../features/topology/index.ts';
import { createTraces } from '../features/traces/index.ts';
import { OBI_TRACE, obiApplicationMetrics, obiFlows, obiSpans } from './test-obi-output.ts';

const MINUTE = 60_000;
const BASE = Math.floor(Date.now() / MINUTE) * MINUTE - 10 * MINUTE;
const log = pino({ level: 'silent' });
const relational = undefined as unknown as Relational;

const clock = { now: () => Date.now() + MINUTE };
const ctxOf = (tenant: typeof ACME) => {
  const principal = { kind: 'account' as const, id: 'a', tenant, permissions: new Set(['otlp.read' as const]) };
  return { requestId: 'r', ctx: { requestId: 'r', principal } };
};
const window = { from: new Date(BASE - MINUTE).toISOString(), to: new Date(BASE + 5 * MINUTE).toISOString() };

/** Rows of the tenant. */
async function countRows({ store }: Telemetry, table: string): Promise<number> {
  const sql = `SELECT count() AS n FROM ${table} WHERE tenant_id = {tenant:String}`;
  return Number((await store.read<{ n: number }>(ACME, sql))[0]?.n);
}

describe('what OBI sends', () => {
  let folder: string;
  let telemetry: Telemetry;
  let bus: Bus;
  let receiver: TestReceiver;
  let otlp: ReturnType<typeof createOtlpStore>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-obi-'));
    telemetry = await openTestTelemetry();
    bus = await createLogBus({ folder: join(folder, 'log'), log });
    otlp = createOtlpStore({ bus, telemetry, log });
    await otlp.start();
    receiver = await startTestReceiver({ bus });
    const token = TOKENS.acme;
    const flows = encodeConforming('metrics', obiFlows(BASE));
    const durations = encodeConforming('metrics', obiApplicationMetrics(BASE));
    const spans = encodeConforming('traces', obiSpans(BASE));
    const answers = await Promise.all([
      callGrpc(receiver, { signal: 'metrics', token, body: flows }),
      postHttp(receiver, { signal: 'metrics', token, body: durations }),
      postHttp(receiver, { signal: 'traces', token, body: spans }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([0, 200, 200]);
    const count = (table: string) => countRows(telemetry, table);
    const counts = async () => [await count('spans'), await count('metric_points'), await count('metric_histograms')];
    await vi.waitFor(async () => expect(await counts()).toEqual([6, 7, 3]), { timeout: 10_000, interval: 100 });
  }, 40_000);
  afterAll(async () => {
    await receiver?.receiver.drain();
    await otlp?.close();
    await bus?.close();
    await telemetry?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('makes the service map: calls by their spans, bytes by its flows, both ways, also to what sends no spans', async () => {
    const topology = createTopology({ telemetry, relational, clock, log });
    await topology.compute(ACME);
    const map = await createCallerFactory(topology.procedures)(ctxOf(ACME)).map(window);
    const edge = (source: string, target: string) =>
      map.edges.find((one) => one.source === source && one.target.endsWith(target));
    expect(edge('service:frontend', ':orders')).toMatchObject({ kind: 'call', calls: 1, errors: 0, bytes: 1500 + 3000 });
    expect(edge('service:orders', ':frontend')).toBeUndefined();
    expect(edge('service:orders', ':ledger')).toMatchObject({ kind: 'flow', bytes: 2048 });
    expect(map.edges.find(({ kind }) => kind === 'database')).toMatchObject({ source: 'service:orders', calls: 1, errors: 1 });
    expect(map.gaps.map(({ code }) => code)).not.toContain('no_flows');
    const theirs = await createCallerFactory(topology.procedures)(ctxOf(OTHER)).map(window);
    expect(theirs.edges).toEqual([]);
  });

  it('is a trace with its time in queue, its gRPC call and its failed query', async () => {
    const traces = createCallerFactory(createTraces({ telemetry, clock }).procedures)(ctxOf(ACME));
    const trace = await traces.get({ id: OBI_TRACE });
    expect(trace.spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['in queue', 'processing', 'SELECT orders']));
    expect(new Set(trace.spans.map(({ service }) => service))).toEqual(new Set(['frontend', 'orders']));
    const found = await traces.list({ ...window, service: ['orders'], status: ['error'] } as never);
    expect(found.items.map(({ trace_id: id }) => id)).toEqual([OBI_TRACE]);
  });

  it('can be asked for as metrics by the names that a TSDB gives them', async () => {
    const metrics = createCallerFactory(createMetrics({ telemetry, relational, clock, keptDays: 30, log }).procedures)(
      ctxOf(ACME),
    );
    const { items } = await metrics.names(window);
    expect(items.map(({ metric }) => metric).sort()).toEqual([
      'db_client_operation_duration_seconds',
      'http_server_request_duration_seconds',
      'obi_network_flow_bytes_total',
      'rpc_server_duration_seconds',
    ]);
    const flows = await metrics.range({
      ...window,
      metric: 'obi_network_flow_bytes_total',
      matchers: [{ label: 'k8s.dst.owner.name', op: '=', values: ['ledger'] }],
      function: 'increase',
      step_seconds: 60,
    });
    expect(flows).toMatchObject({ otel_name: 'obi.network.flow.bytes', kind: 'sum', matched: 1 });
  });
});
