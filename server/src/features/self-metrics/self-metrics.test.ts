import { TOPICS } from '@svc/contracts/bus-topics';
import Fastify from 'fastify';
import { pino } from 'pino';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Bus, createMemoryBus } from '#bus';
import { answerError } from '#edge';
import { type Count, parseTenantId, Secret } from '#kernel';
import { openTestTelemetry } from '#test-telemetry';
import { createSelfMetrics } from './index.ts';

const TENANT = parseTenantId('acme');
const TOKEN = 'a-token-of-at-least-thirty-two-characters';
const log = pino({ level: 'silent' });

const stores = await openTestTelemetry();
afterAll(() => stores.close());

let counts: Count[];
let open: { close(): Promise<unknown> }[];
beforeEach(() => {
  counts = [];
  open = [];
});
afterEach(async () => {
  for (const one of open.reverse()) await one.close();
});

async function start(token: Secret | undefined = new Secret(TOKEN)) {
  const procedures = () => new Set(['fleet.policy.get']);
  const metrics = createSelfMetrics({ version: '1.2.3', token, counts: () => counts, procedures, log });
  const app = Fastify();
  app.setErrorHandler(answerError);
  metrics.routes(app);
  app.get('/trpc/:path', async () => 'ok');
  app.get('/v1/agents/:id', async () => 'ok');
  open.push(metrics, app);
  const scrape = async (authorization = `Bearer ${TOKEN}`) => await app.inject({ url: '/metrics', headers: { authorization } });
  /** Lines of one metric, without their scope. */
  const lines = async (name: string) =>
    (await scrape()).body
      .split('\n')
      .filter((line) => line.startsWith(name))
      .map((line) => line.replace(/,?otel_scope_\w+="[^"]*"/g, ''));
  return { metrics, app, scrape, lines };
}

async function publish(bus: Bus, n: number) {
  for (let i = 0; i < n; i += 1) await bus.publish(TOPICS.endpointResults, [{ tenant: TENANT, value: Buffer.from('{}') }]);
}

describe('self-metrics', () => {
  it('gives Prometheus’ text to who has the token, and nothing to anybody else', async () => {
    const { scrape } = await start();
    const { statusCode, headers, body } = await scrape();
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(body).toMatch(/target_info\{.*service_name="svc".*service_version="1\.2\.3"/);
    expect(body).toMatch(/svc_process_memory_rss(_bytes)?(\{[^}]*\})? [1-9]\d{6,}/);
    for (const given of ['', TOKEN, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, `Basic ${TOKEN}`, 'Bearer ']) {
      const refused = await scrape(given);
      expect([given, refused.statusCode, refused.headers['www-authenticate']]).toEqual([given, 401, 'Bearer']);
      expect(refused.body).not.toContain('svc_process');
    }
  });

  it('answers nobody where no token is set', async () => {
    const { metrics, app } = await start(undefined);
    for (const authorization of ['Bearer ', 'Bearer undefined', 'Bearer ***'])
      expect((await app.inject({ url: '/metrics', headers: { authorization } })).statusCode).toBe(401);
    expect((await metrics.collect()).scopeMetrics[0]?.metrics.length).toBeGreaterThan(3);
  });

  it('reads what slices count whenever it is asked', async () => {
    const { lines } = await start();
    const refused = (value: number): Count => ({
      name: 'svc.ingest.refused',
      value,
      attributes: { source: 'otlp', reason: 'too_large', tenant: 'acme' },
    });
    counts = [refused(3), { name: 'svc.export.queue', value: 7 }];
    expect(await lines('svc_ingest_refused')).toEqual([
      'svc_ingest_refused_total{source="otlp",reason="too_large",tenant="acme"} 3',
    ]);
    counts = [refused(4)];
    expect((await lines('svc_ingest_refused'))[0]).toMatch(/ 4$/);
  });

  it('times publishing and handling, and tells how far behind each group is', async () => {
    const { metrics, lines } = await start();
    const bus = metrics.measureBus(createMemoryBus({ log }));
    open.push(bus);
    const held = Promise.withResolvers<void>();
    await bus.subscribe({ topic: TOPICS.endpointResults, group: 'g' }, () => held.promise);
    await publish(bus, 3);
    expect(await lines('svc_bus_lag')).toEqual(['svc_bus_lag{topic="svc.endpoint.results",group="g"} 3']);
    expect((await lines('svc_bus_publish_duration')).find((line) => line.includes('_count'))).toMatch(/outcome="ok"\} 3$/);
    held.resolve();
    await vi.waitFor(async () => expect((await lines('svc_bus_lag'))[0]).toMatch(/ 0$/));
    expect((await lines('svc_bus_handle_duration')).some((line) => line.includes('_count'))).toBe(true);
  });

  it('tells a failed publication from one that held, and passes the failure on', async () => {
    const { metrics, lines } = await start();
    const broken = { publish: () => Promise.reject(new Error('no disk')) } as unknown as Bus;
    await expect(metrics.measureBus(broken).publish(TOPICS.rumEvents, [])).rejects.toThrow('no disk');
    expect((await lines('svc_bus_publish_duration')).find((line) => line.includes('_count'))).toMatch(/outcome="failed"\} 1$/);
  });

  it('times inserts by table and leaves the stores as they are', async () => {
    const { metrics, lines } = await start();
    const telemetry = metrics.measureTelemetry(stores);
    const ts = Date.now() - 1000;
    await telemetry.series.write([{ tenant: TENANT, metric: 'm', labels: { agent: 'a' }, ts, value: 1 }]);
    const query = { metrics: ['m'], labels: {}, fromMs: ts - 1000, toMs: ts + 1000, stepMs: 0 };
    expect((await telemetry.series.range(TENANT, query))[0]?.avg).toEqual([1]);
    expect((await lines('svc_store_insert_duration')).find((line) => line.includes('_count'))).toMatch(/table="samples".* 1$/);
  });

  it('names routes by their pattern and procedures only where they are known', async () => {
    const { app, lines } = await start();
    for (const url of ['/v1/agents/1', '/v1/agents/2', '/trpc/fleet.policy.get?input=1', '/trpc/evil', '/trpc/a,b', '/nowhere'])
      await app.inject({ url });
    const counted = (await lines('svc_api_duration')).filter((line) => line.includes('_count'));
    expect(counted.find((line) => line.includes('/v1/agents/:id'))).toMatch(/ 2$/);
    const procedures = counted.map((line) => /procedure="([^"]*)"/.exec(line)?.[1]).filter((name) => name !== undefined);
    expect(procedures.sort()).toEqual(['batch', 'fleet.policy.get', 'unknown']);
    expect(counted.join()).not.toMatch(/evil|nowhere/);
  });
});
