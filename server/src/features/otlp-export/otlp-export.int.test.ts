import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { TOPICS } from '@svc/contracts/bus-topics';
import type { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { pino } from 'pino';
import { uuidv7 } from 'uuidv7';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Bus, createMemoryBus } from '#bus';
import { type AuditEntry, type Ctx, parseTenantId, Secret, systemClock } from '#kernel';
import type { Relational } from '#relational';
import type { OtlpExportConfig } from './config.ts';
import { createOtlpExport } from './index.ts';
import { createSender } from './sender.ts';
import { startTestCollector, type TestCollector } from './test-collector.ts';

const ACME = parseTenantId('acme');
const OTHER = parseTenantId('other');
const log = pino({ level: 'silent' });

class AskedReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

let folder: string;
let bus: Bus;
let collector: TestCollector;
let product: ReturnType<typeof createOtlpExport> | undefined;
const audited: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-export-'));
  bus = createMemoryBus({ log });
  audited.length = 0;
});
afterEach(async () => {
  await product?.close();
  product = undefined;
  await bus.close();
  await collector?.close();
  rmSync(folder, { recursive: true, force: true });
});

const configOf = (protocol: OtlpExportConfig['protocol'], over: Partial<OtlpExportConfig> = {}): OtlpExportConfig => {
  const caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, collector.ca);
  return { url: collector.url, protocol, token: new Secret('a-token'), caFile, intervalSeconds: 1, insecure: false, ...over };
};
async function start(config: OtlpExportConfig) {
  const reader = new AskedReader();
  const provider = new MeterProvider({ readers: [reader] });
  provider.getMeter('svc').createCounter('svc.ingest.accepted').add(5);
  const relational = {
    withTenantSql: async (tenant: string, work: (sql: unknown) => Promise<void>) => await work(tenant),
  } as unknown as Relational;
  product = createOtlpExport({
    config,
    bus,
    collectOwn: async () => (await reader.collect()).resourceMetrics,
    relational,
    appendAudit: async (sql: unknown, { action }: AuditEntry) => void audited.push(`${String(sql)} ${action}`),
    version: '1',
    clock: systemClock,
    log,
  });
  await product.start(() => true);
  return product;
}
const ctxOf = (tenant: typeof ACME): Ctx =>
  ({ principal: { kind: 'account', id: 'a', tenant, permissions: new Set(['otlp.read', 'settings.write']) } }) as unknown as Ctx;
const call = (tenant: typeof ACME) =>
  product?.procedures.createCaller({ requestId: 'r', ctx: ctxOf(tenant) }) as NonNullable<
    ReturnType<NonNullable<typeof product>['procedures']['createCaller']>
  >;
const result = (tenant: string, over: Partial<CanonicalResult> = {}): Buffer =>
  Buffer.from(
    JSON.stringify({
      result_id: uuidv7(),
      tenant_id: tenant,
      agent_id: 'agent-1',
      canary_type: 'endpoint.lastmile',
      started_at: new Date().toISOString(),
      present: true,
      metrics: { 'hop.3.rtt.avg.ms': 12.5, hops: 7, 'invented.key': 1 },
      attributes: { 'network.wifi.ssid': 'Home' },
      ...over,
    }),
  );
const publish = (tenant: typeof ACME, ...values: Buffer[]) =>
  bus.publish(
    TOPICS.endpointResults,
    values.map((value) => ({ tenant, value })),
  );
const of = (name: string) => collector.points.filter((point) => point.name === name);

describe.each(['grpc', 'http/protobuf'] as const)('export over %s', (protocol) => {
  beforeEach(async () => {
    collector = await startTestCollector(protocol);
  });

  it('sends own metrics and each tenant’s under dotted names, over TLS, with the token', async () => {
    await start(configOf(protocol));
    const atMs = Date.now() - 5000;
    const http = { canary_type: 'http', success: false, server_address: 'crm.example', metrics: { 'ttfb.ms': 3 } } as const;
    await publish(ACME, result('acme', { started_at: new Date(atMs).toISOString() }), result('acme', http));
    await publish(OTHER, result('other'));
    await vi.waitFor(() => expect(of('svc.endpoint.lastmile.hops').length).toBe(2), { timeout: 5000 });
    const [hop] = of('svc.endpoint.lastmile.hop_rtt_avg_ms').filter(({ tenant }) => tenant === 'acme');
    const attributes = { 'svc.agent.id': 'agent-1', 'svc.hop': '3' };
    expect(hop).toEqual({ name: hop?.name, unit: 'ms', tenant: 'acme', value: 12.5, atMs, attributes });
    expect(of('svc.probe.success')).toMatchObject([{ tenant: 'acme', value: 0, attributes: { 'svc.target': 'crm.example' } }]);
    expect(of('svc.probe.phase_ms')).toMatchObject([{ value: 3, unit: 'ms', attributes: { 'svc.phase': 'first_byte' } }]);
    expect(of('svc.ingest.accepted')[0]).toMatchObject({ value: 5, tenant: undefined });
    expect(new Set(collector.tokens)).toEqual(new Set(['Bearer a-token']));
    expect(JSON.stringify(collector.points)).not.toMatch(/Home|invented/);
    const { status } = call(ACME);
    await vi.waitFor(async () => expect(await status({})).toMatchObject({ queued: 0, sent: 4, dropped: 0, last_error: null }));
    expect(await call(OTHER).status({})).toMatchObject({ endpoint: collector.url, protocol, sent: 2 });
  });

  it('says what came back of a test point, and writes it to the audit', async () => {
    await start(configOf(protocol));
    const { sendTestPoint } = call(ACME);
    expect(await sendTestPoint({})).toMatchObject({ ok: true, words: '' });
    expect(of('svc.export.test')).toMatchObject([{ tenant: 'acme', value: 1 }]);
    collector.faults = { rejected: 1, words: 'the label is too long' };
    expect(await sendTestPoint({})).toMatchObject({ ok: false, words: '1 points refused: the label is too long' });
    collector.faults = { refuse: protocol === 'grpc' ? 16 : 401, words: 'who are you' };
    expect(await sendTestPoint({})).toMatchObject({ ok: false, words: expect.stringContaining('who are you') });
    expect(audited).toEqual(Array.from({ length: 3 }, () => 'acme metrics_export.test'));
  });

  it('keeps what the collector cannot take now, drops what it refuses, and says so', async () => {
    await start(configOf(protocol));
    const { status } = call(ACME);
    collector.faults = { refuse: protocol === 'grpc' ? 3 : 400, words: 'no' };
    await publish(ACME, result('acme'));
    await vi.waitFor(async () => expect((await status({})).dropped).toBe(2), { timeout: 5000 });
    await collector.close();
    await publish(ACME, result('acme'));
    await vi.waitFor(async () => expect(await status({})).toMatchObject({ queued: 2, sent: 0 }), { timeout: 5000 });
    await vi.waitFor(async () => expect((await status({})).last_error?.words).toMatch(/\w/), { timeout: 15_000 });
    expect((await call(OTHER).status({})).queued).toBe(0);
  }, 25_000);

  it('does not trust a collector of another authority', async () => {
    const strange = { ...configOf(protocol), caFile: undefined };
    await start(strange);
    const answer = await call(ACME).sendTestPoint({});
    expect(answer.ok).toBe(false);
    expect(answer.words).toMatch(/certificate|self.signed|UNAVAILABLE|issuer/i);
    expect(collector.tokens).toEqual([]);
  }, 15_000);

  it('does not dial without TLS', () => {
    const config = configOf(protocol, { url: collector.url.replace('https', 'http') });
    expect(() => createSender(config, config.url ?? '')).toThrow(/TLS/);
    expect(() => createSender({ ...config, insecure: true }, config.url ?? '')).not.toThrow();
  });
});

describe('export', () => {
  it('reads nothing and sends nothing without a collector, and says so', async () => {
    collector = await startTestCollector('grpc');
    await start({ ...configOf('grpc'), url: undefined });
    expect(await call(ACME).status({})).toMatchObject({ endpoint: null, queued: 0 });
    expect(await call(ACME).sendTestPoint({})).toMatchObject({
      ok: false,
      words: expect.stringContaining('SVC_OTLP_EXPORT_URL'),
    });
    expect(audited).toEqual(['acme metrics_export.test']);
  });

  it('leaves out what is older than an hour, of another tenant, or no result', async () => {
    collector = await startTestCollector('grpc');
    await start(configOf('grpc'));
    const old = new Date(Date.now() - 2 * 3_600_000).toISOString();
    await publish(ACME, result('acme', { started_at: old }), result('other'), Buffer.from('{'), result('acme'));
    await vi.waitFor(async () => expect(await call(ACME).status({})).toMatchObject({ sent: 2, dropped: 2 }), { timeout: 5000 });
    expect(new Set(of('svc.endpoint.lastmile.hops').map(({ tenant }) => tenant))).toEqual(new Set(['acme']));
  });
});
