import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { TOPICS } from '@svc/contracts/bus-topics';
import type { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { type ClickHouseServer, clickHouseUnavailable, startClickHouse } from '@svc/testkit/clickhouse';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Bus, createLogBus } from '#bus';
import { parseTenantId, systemClock } from '#kernel';
import { openTelemetry, type Telemetry } from '#telemetry';
import { openFreshTelemetry } from '#test-telemetry';
import { createResults } from './index.ts';

const migrationsDir = fileURLToPath(new URL('../../../../clickhouse/migrations', import.meta.url));
const log = pino({ level: 'silent' });
const tenant = parseTenantId('acme');
const BASE = Date.now() - 60 * 60_000;
const WINDOW = { fromMs: BASE, toMs: BASE + 2 * 60 * 60_000 };

let made = 0;
const makeResult = (fields: Partial<CanonicalResult> = {}): CanonicalResult => {
  made++;
  return {
    result_id: `0192f0c1-2345-7abc-8def-${String(made).padStart(12, '0')}`,
    tenant_id: 'acme',
    agent_id: 'a1',
    canary_type: 'endpoint.gateway',
    started_at: new Date(BASE + made * 1000).toISOString(),
    present: true,
    metrics: { 'rtt.avg.ms': made },
    attributes: {},
    ...fields,
  };
};
const message = (value: unknown) => ({ tenant, value: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)) });

describe('results on the embedded stores', () => {
  let folder: string;
  let telemetry: Telemetry;
  let bus: Bus;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-results-'));
    telemetry = await openFreshTelemetry(folder);
    bus = await createLogBus({ folder: join(folder, 'log'), log });
  });
  afterAll(async () => {
    await bus.close();
    await telemetry.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('stores what the bus brings, and skips what is no result without stopping', async () => {
    const results = createResults({ bus, telemetry, clock: systemClock, log });
    await results.start();
    const good = Array.from({ length: 300 }, () => makeResult());
    const bad = [
      '{',
      '"text"',
      JSON.stringify({ ...makeResult(), tenant_id: 'other' }),
      JSON.stringify(makeResult({ started_at: '2001-01-01T00:00:00Z' })),
    ];
    await bus.publish(TOPICS.endpointResults, [...good.slice(0, 150), ...bad, ...good.slice(150)].map(message));
    const history = () => results.queries.history(tenant, { agentId: 'a1', ...WINDOW });
    await vi.waitFor(async () => expect(await history()).toHaveLength(300), { timeout: 20_000, interval: 50 });
    const refused = { not_json: 1, wrong_shape: 1, wrong_tenant: 1, out_of_time: 1 };
    await vi.waitFor(() => expect(results.stats()).toEqual({ stored: 300, refused, storing: true }), { timeout: 20_000 });
    const reasons = ['not_json', 'wrong_shape', 'wrong_tenant', 'out_of_time'];
    expect(results.counts()).toEqual(
      expect.arrayContaining([
        { name: 'svc.ingest.stored', value: 300, attributes: { source: 'results', tenant } },
        ...reasons.map((reason) => ({ name: 'svc.ingest.refused', value: 1, attributes: { source: 'results', reason, tenant } })),
      ]),
    );
    expect(await results.health()).toEqual({ status: 'ok' });
    await results.close();
  });

  test('reads on where it stopped after a restart of the slice', async () => {
    await bus.publish(TOPICS.endpointResults, [message(makeResult({ agent_id: 'restart' }))]);
    const results = createResults({ bus, telemetry, clock: systemClock, log });
    await results.start();
    const seen = () => results.queries.latest(tenant, 'restart');
    await vi.waitFor(async () => expect(await seen()).toHaveLength(1), { timeout: 20_000 });
    await vi.waitFor(() => expect(results.stats()).toMatchObject({ stored: 1 }), { timeout: 20_000 });
    await results.close();
  });

  test('takes results of canaries and of browsers as well', async () => {
    const results = createResults({ bus, telemetry, clock: systemClock, log });
    await results.start();
    await bus.publish(TOPICS.networkResults, [
      message(makeResult({ agent_id: 'canary', canary_type: 'https', metrics: { 'total.ms': 5 }, test_id: 't1', success: true })),
    ]);
    await bus.publish(TOPICS.rumEvents, [message(makeResult({ agent_id: '', canary_type: 'rum', metrics: { 'lcp.ms': 900 } }))]);
    const range = (metric: string) => telemetry.series.range(tenant, { metrics: [metric], labels: {}, ...WINDOW, stepMs: 0 });
    await vi.waitFor(async () => expect(await range('svc_rum_lcp_ms')).toMatchObject([{ labels: {}, avg: [900] }]), {
      timeout: 5000,
    });
    // Metrics of tests are made by the slice of their runs.
    await vi.waitFor(async () =>
      expect(await results.queries.latest(tenant, 'canary')).toMatchObject([{ type: 'https', metrics: { 'total.ms': 5 } }]),
    );
    expect(await range('svc_https_total_ms')).toEqual([]);
    await results.close();
  });

  test('lets go of what is older than thirty days, and of nothing younger', async () => {
    const daysAgo = (days: number) => Date.now() - days * 24 * 60 * 60_000;
    await telemetry.store.write({
      table: 'results',
      rows: 2,
      columns: [
        { name: 'tenant_id', type: 'LowCardinality(String)', values: ['acme', 'acme'] },
        { name: 'agent_id', type: 'String', values: ['expired', 'kept'] },
        { name: 'ts', type: 'DateTime64(3)', values: [daysAgo(31.5), daysAgo(28)] },
      ],
    });
    const sql = "SELECT agent_id FROM results WHERE tenant_id = {tenant:String} AND agent_id IN ('expired', 'kept')";
    const left = () => telemetry.store.read(tenant, sql);
    await vi.waitFor(async () => expect(await left()).toEqual([{ agent_id: 'kept' }]), { timeout: 60_000, interval: 500 });
  });
});

const unavailable = clickHouseUnavailable();
if (unavailable) process.stderr.write(`SKIPPED: ${unavailable}\n`);

describe.skipIf(unavailable !== undefined)('results on a ClickHouse server', () => {
  let folder: string;
  let server: ClickHouseServer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-results-'));
    server = await startClickHouse();
  });
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('loses and doubles nothing while the server is killed with -9 and away for a while', async () => {
    const telemetry = await openTelemetry({ dataDir: folder, url: server.url, migrationsDir, log });
    const bus = await createLogBus({ folder: join(folder, 'log'), log });
    const results = createResults({ bus, telemetry, clock: systemClock, log });
    await results.start();
    const sent: CanonicalResult[] = [];
    const publish = async () => {
      const some = Array.from({ length: 50 }, () => makeResult({ agent_id: 'away' }));
      await bus.publish(TOPICS.endpointResults, some.map(message));
      sent.push(...some);
    };
    for (let round = 0; round < 30; round++) {
      await publish();
      if (round === 8) await server.kill();
      if (round === 22) await server.start();
      if (round === 20) {
        await vi.waitFor(
          async () =>
            expect(await results.health()).toMatchObject({
              status: 'degraded',
              detail: expect.stringContaining('wait on the bus'),
            }),
          { timeout: 30_000 },
        );
        expect(await telemetry.health()).toMatchObject({
          status: 'failed',
          detail: expect.stringContaining('ClickHouse at http://127.0.0.1'),
        });
      }
      await sleep(50);
    }
    const history = async () =>
      (await results.queries.history(tenant, { agentId: 'away', ...WINDOW, limit: 10_000 })).map(({ resultId }) => resultId);
    await vi.waitFor(async () => expect(await history()).toHaveLength(sent.length), { timeout: 60_000, interval: 200 });
    expect((await history()).sort()).toEqual(sent.map(({ result_id }) => result_id).sort());
    expect(await results.health()).toEqual({ status: 'ok' });
    await results.close();
    await bus.close();
    await telemetry.close();
  });
});
