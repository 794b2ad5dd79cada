import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SIGNALS } from '@svc/otlp-wire/signal';
import { decodeConforming } from '@svc/otlp-wire/test-conforming';
import { type Signal, walk } from '@svc/otlp-wire/walk';
import { buildCollector, type CollectorPrograms, collectorUnavailable } from '@svc/testkit/collector';
import { freePort } from '@svc/testkit/free-port';
import { pythonExportersUnavailable, sendFromPython } from '@svc/testkit/python-exporters';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '#kernel';
import { makeRequest } from '../test-clients.ts';
import { startTestReceiver, type TestReceiver, TOKENS } from '../test-receiver.ts';

const noPython = pythonExportersUnavailable();
if (noPython) process.stderr.write(`SKIPPED: OTLP from the Python exporters: ${noPython}\n`);
const noGo = collectorUnavailable();
if (noGo) process.stderr.write(`SKIPPED: OTLP from the Collector and telemetrygen: ${noGo}\n`);

const FETCH_LIMIT_MS = 600_000;

let test: TestReceiver;
let folder: string;
let caFile: string;
beforeAll(async () => {
  test = await startTestReceiver();
  folder = mkdtempSync(join(tmpdir(), 'svc-exporters-'));
  caFile = join(folder, 'ca.pem');
  writeFileSync(caFile, test.ca);
});
afterAll(async () => {
  await test?.receiver.drain(100);
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  test.published.length = 0;
  test.reports.length = 0;
});

const targetOf = (way: 'grpc' | 'http'): string => `localhost:${way === 'grpc' ? test.grpcPort : test.httpPort}`;

const publishedOf = (signal: Signal): Buffer[] =>
  test.published.filter(({ topic }) => topic === `svc.otlp.${signal}`).map(({ message }) => message.value);

const countItems = (signal: Signal): number =>
  publishedOf(signal).reduce((sum, bytes) => sum + walk(signal, bytes, { tenant: 'acme', nowMs: Date.now() }).items, 0);

describe.skipIf(noPython)('the OpenTelemetry exporters for Python', () => {
  it.each(['grpc', 'http'] as const)('are served for all three signals over %s', { timeout: FETCH_LIMIT_MS }, async (way) => {
    const words = await sendFromPython({ way, target: targetOf(way), token: TOKENS.acme, caFile });
    expect(words).toEqual({ traces: 'SUCCESS', logs: 'SUCCESS', metrics: 'SUCCESS' });
    for (const signal of SIGNALS) {
      expect(publishedOf(signal)).toHaveLength(1);
      const text = JSON.stringify(decodeConforming(signal, publishedOf(signal)[0] as Buffer));
      expect(text).toContain('python-shop');
      expect(text).toContain('{"key":"svc.tenant.id","value":{"string_value":"acme"}}');
    }
  });

  it.each(['grpc', 'http'] as const)('are told over %s that a token is wrong', { timeout: FETCH_LIMIT_MS }, async (way) => {
    const words = await sendFromPython({ way, target: targetOf(way), token: 'wrong', caFile });
    expect(words).toEqual({ traces: 'FAILURE', logs: 'FAILURE', metrics: 'FAILURE' });
    expect(test.published).toEqual([]);
  });
});

describe.skipIf(noGo)('programs in Go', () => {
  let programs: CollectorPrograms;
  beforeAll(async () => {
    programs = await buildCollector();
  }, FETCH_LIMIT_MS);

  describe.each(['grpc', 'http'] as const)('telemetrygen over %s', (way) => {
    const generate = async (signal: Signal, token: string, ...more: string[]): Promise<string> => {
      const to = [...(way === 'http' ? ['--otlp-http'] : []), '--otlp-endpoint', targetOf(way), '--ca-cert', caFile];
      const header = ['--otlp-header', `authorization="Bearer ${token}"`];
      const order = [signal, ...to, ...header, `--${signal}`, '20', '--rate', '0', '--workers', '1', ...more];
      const { stdout, stderr } = await promisify(execFile)(programs.telemetrygen, order, { timeout: 30_000 });
      return stdout + stderr;
    };

    it.each(SIGNALS)('delivers all %s', async (signal) => {
      await generate(signal, TOKENS.acme);
      // A trace of it is two spans.
      expect(countItems(signal)).toBe(signal === 'traces' ? 40 : 20);
    });

    const refusals = async () => {
      await test.receiver.report();
      return test.reports.splice(0).flatMap((report) => report.refusals.map(({ reason }) => reason));
    };

    it.each([
      ['unknown_token', /Unauthenticated|401/i, ['wrong']],
      ['wrong_tenant', /PermissionDenied|403/i, [TOKENS.acme, '--otlp-attributes', 'svc.tenant.id="other"']],
    ] as const)('is told why it is refused: %s', async (reason, words, [token, ...more]) => {
      const isTold = async () => {
        const said = await generate('traces', token, ...more);
        expect(await refusals()).toContain(reason);
        return said;
      };
      // On a busy machine it may end before it has printed what it was told.
      await expect.poll(isTold, { timeout: 60_000 }).toMatch(words);
      expect(test.published).toEqual([]);
    });
  });

  describe.each(['grpc', 'http'] as const)('the Collector, which exports over %s', (way) => {
    let collector: ChildProcess | undefined;
    let port: number;
    let words = '';
    beforeAll(async () => {
      port = await freePort();
      const config = join(folder, `collector-${way}.yaml`);
      writeFileSync(config, collectorConfig(way, port));
      collector = spawn(programs.collector, ['--config', config], { stdio: ['ignore', 'ignore', 'pipe'] });
      collector.stderr?.on('data', (chunk: Buffer) => {
        words += chunk.toString();
      });
      await vi.waitUntil(() => words.includes('Everything is ready'), { timeout: 20_000 });
    }, 30_000);
    afterAll(async () => {
      if (collector?.exitCode !== null) return;
      const ended = new Promise((resolve) => collector?.once('exit', resolve));
      collector.kill('SIGKILL');
      await ended;
    });

    it.each(SIGNALS)('delivers %s, and again what the bus did not take at first', async (signal) => {
      test.bus.fails = new AppError('unavailable', 'full', { retryAfterSeconds: 1 });
      const sent = fetch(`http://127.0.0.1:${port}/v1/${signal}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-protobuf' },
        body: new Uint8Array(makeRequest(signal)),
      });
      expect((await sent).status).toBe(200);
      const refused = async () => {
        await test.receiver.report();
        return test.reports.flatMap(({ refusals }) => refusals).some(({ reason }) => reason === 'unavailable');
      };
      await expect.poll(refused, { timeout: 10_000 }).toBe(true);
      test.bus.fails = undefined;
      await expect.poll(() => countItems(signal), { timeout: 20_000 }).toBe(1);
    });
  });
});

/** Receives plainly on loopback, and sends on as ours demands: TLS, gzip, bearer token. */
function collectorConfig(way: 'grpc' | 'http', port: number): string {
  const exporter = way === 'grpc' ? 'otlp' : 'otlphttp';
  const endpoint = way === 'grpc' ? targetOf(way) : `https://${targetOf(way)}`;
  const pipeline = `{ receivers: [otlp], exporters: [${exporter}] }`;
  return `
receivers: { otlp: { protocols: { http: { endpoint: "127.0.0.1:${port}" } } } }
extensions: { bearertokenauth: { token: "${TOKENS.acme}" } }
exporters:
  ${exporter}:
    endpoint: "${endpoint}"
    compression: gzip
    tls: { ca_file: "${caFile}" }
    auth: { authenticator: bearertokenauth }
    retry_on_failure: { initial_interval: 300ms }
service:
  extensions: [bearertokenauth]
  telemetry: { metrics: { level: none } }
  pipelines: { traces: ${pipeline}, logs: ${pipeline}, metrics: ${pipeline} }
`;
}
