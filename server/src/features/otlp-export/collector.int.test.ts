import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCollector, COLLECTOR_LIMIT_MS, collectorUnavailable } from '@svc/testkit/collector';
import { freePort } from '@svc/testkit/free-port';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRootCa, createServerLeaf } from '#crypto';
import { parseTenantId, Secret } from '#kernel';
import type { OtlpExportConfig } from './config.ts';
import { resourceMetricsOf } from './resource-metrics.ts';
import { createSender } from './sender.ts';

const missing = collectorUnavailable();
if (missing) process.stderr.write(`SKIPPED: export to the OpenTelemetry Collector: ${missing}\n`);

const TOKEN = 'a-collector-token';
const ACME = parseTenantId('acme');

interface Written {
  resourceMetrics: {
    resource: { attributes: { key: string; value: { stringValue: string } }[] };
    scopeMetrics: {
      metrics: { name: string; unit: string; gauge: { dataPoints: { asDouble: number; timeUnixNano: string }[] } }[];
    }[];
  }[];
}

describe.skipIf(missing)('export to the OpenTelemetry Collector', { timeout: 60_000 }, () => {
  let folder: string;
  let child: ChildProcess | undefined;
  let words = '';
  const ports = { grpc: 0, http: 0 };
  beforeAll(async () => {
    const { collector } = await buildCollector();
    folder = mkdtempSync(join(tmpdir(), 'svc-collector-'));
    const ca = await createRootCa({ commonName: 'collector test' });
    const leaf = await createServerLeaf(ca, { hosts: ['localhost', '127.0.0.1'] });
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    file('ca.pem', ca.certPem);
    const pair = `cert_file: ${file('cert.pem', leaf.certPem)}, key_file: ${file('key.pem', leaf.keyPem)}`;
    [ports.grpc, ports.http] = [await freePort(), await freePort()];
    const shared = `tls: { ${pair} }, auth: { authenticator: bearertokenauth }`;
    const config = `
extensions: { bearertokenauth: { scheme: Bearer, token: "${TOKEN}" } }
receivers:
  otlp:
    protocols:
      grpc: { endpoint: "127.0.0.1:${ports.grpc}", ${shared} }
      http: { endpoint: "127.0.0.1:${ports.http}", ${shared} }
exporters: { file: { path: ${join(folder, 'out.json')}, flush_interval: 100ms } }
service:
  extensions: [bearertokenauth]
  telemetry: { metrics: { level: none } }
  pipelines: { metrics: { receivers: [otlp], exporters: [file] } }
`;
    child = spawn(collector, ['--config', file('config.yaml', config)], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr?.on('data', (part) => {
      words += part;
    });
    await vi.waitFor(() => expect(words).toContain('Everything is ready'), { timeout: 30_000 });
  }, COLLECTOR_LIMIT_MS);
  afterAll(async () => {
    const isRunning = child?.exitCode === null && child.signalCode === null;
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child?.kill('SIGTERM');
    if (isRunning) await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (protocol: OtlpExportConfig['protocol'], token = TOKEN) => {
    const url = `https://127.0.0.1:${protocol === 'grpc' ? ports.grpc : ports.http}`;
    const caFile = join(folder, 'ca.pem');
    return createSender({ url, protocol, token: new Secret(token), caFile, intervalSeconds: 60, insecure: false }, url);
  };
  const written = (): Written[] =>
    readFileSync(join(folder, 'out.json'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));

  it.each(['grpc', 'http/protobuf'] as const)('is taken over %s as it was measured', async (protocol) => {
    const sender = open(protocol);
    const value = protocol === 'grpc' ? -61.5 : -48.25;
    const atMs = Date.now() - 1234;
    const points = [{ name: 'svc.endpoint.wifi.rssi_dbm', unit: 'dBm', value, atMs, attributes: { 'svc.agent.id': 'a' } }];
    expect(await sender.send(resourceMetricsOf(ACME, points, '1'))).toEqual({ ok: true, words: '' });
    await vi.waitFor(() => expect(JSON.stringify(written())).toContain(String(value)), { timeout: 10_000 });
    const [resource] = written().at(-1)?.resourceMetrics ?? [];
    expect(resource?.resource.attributes).toContainEqual({ key: 'svc.tenant.id', value: { stringValue: 'acme' } });
    const timeUnixNano = `${atMs}000000`;
    const metric = {
      name: 'svc.endpoint.wifi.rssi_dbm',
      unit: 'dBm',
      gauge: { dataPoints: [{ asDouble: value, timeUnixNano }] },
    };
    expect(resource?.scopeMetrics[0]?.metrics[0]).toMatchObject(metric);
    await sender.close();
  });

  it.each(['grpc', 'http/protobuf'] as const)('hears over %s that the token is wrong', async (protocol) => {
    const sender = open(protocol, 'another');
    const outcome = await sender.send(resourceMetricsOf(ACME, [{ name: 'm', unit: '', value: 1, atMs: 1, attributes: {} }], '1'));
    expect(outcome).toMatchObject({ ok: false, retry: false });
    expect(outcome.words).toMatch(/401|UNAUTHENTICATED/i);
    await sender.close();
  });
});
