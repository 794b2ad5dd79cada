import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import { decodeConforming } from '@svc/otlp-wire/test-conforming';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '#kernel';
import { ACME, OTHER, startTestReceiver, type TestReceiver, TOKENS } from '../features/otlp/test-receiver.ts';
import { resourceMetricsOf } from '../features/otlp-export/resource-metrics.ts';
import { createSender, type Sender } from '../features/otlp-export/sender.ts';

class AskedReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

let folder: string;
let receiver: TestReceiver;
const senders: Sender[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-export-self-'));
  receiver = await startTestReceiver();
  writeFileSync(join(folder, 'ca.pem'), receiver.ca);
});
afterAll(async () => {
  for (const sender of senders) await sender.close();
  await receiver?.receiver.drain();
  rmSync(folder, { recursive: true, force: true });
});

const open = (protocol: 'grpc' | 'http/protobuf', token = TOKENS.acme): Sender => {
  const url = `https://localhost:${protocol === 'grpc' ? receiver.grpcPort : receiver.httpPort}`;
  const caFile = join(folder, 'ca.pem');
  const sender = createSender({ url, protocol, token: new Secret(token), caFile, intervalSeconds: 60, insecure: false }, url);
  senders.push(sender);
  return sender;
};
const point = {
  name: 'svc.endpoint.wifi.rssi_dbm',
  unit: 'dBm',
  value: -61,
  atMs: Date.now(),
  attributes: { 'svc.agent.id': 'a' },
};
const lastTaken = () => JSON.stringify(decodeConforming('metrics', receiver.published.at(-1)?.message.value ?? Buffer.alloc(0)));

describe.each(['grpc', 'http/protobuf'] as const)('metrics sent to our own receiver over %s', (protocol) => {
  it('are taken for the tenant of the token, whose they are', async () => {
    expect(await open(protocol).send(resourceMetricsOf(ACME, [point], '1'))).toEqual({ ok: true, words: '' });
    expect(receiver.published.at(-1)?.message.tenant).toBe(ACME);
    expect(lastTaken()).toContain('svc.endpoint.wifi.rssi_dbm');
  });

  it('are refused in words for another tenant, and not sent again', async () => {
    const before = receiver.published.length;
    const outcome = await open(protocol).send(resourceMetricsOf(OTHER, [point], '1'));
    expect(outcome).toMatchObject({ ok: false, retry: false });
    expect(outcome.words).toMatch(/tenant/i);
    expect((await open(protocol, 'no-token').send(resourceMetricsOf(ACME, [point], '1'))).ok).toBe(false);
    expect(receiver.published.length).toBe(before);
  });

  it('are given a tenant where they are our own, histograms and all', async () => {
    const reader = new AskedReader();
    const meter = new MeterProvider({ readers: [reader] }).getMeter('svc');
    meter.createHistogram('svc.bus.publish.duration', { unit: 's' }).record(0.01, { topic: 't' });
    const { resourceMetrics } = await reader.collect();
    expect(await open(protocol).send(resourceMetrics)).toMatchObject({ ok: true });
    expect(lastTaken()).toMatch(/svc\.tenant\.id.*acme.*svc\.bus\.publish\.duration/);
  });
});
