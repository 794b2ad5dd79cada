// What the page Telemetry in gives to copy, run as it stands against a receiver.
import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { decodeConforming } from '@svc/otlp-wire/test-conforming';
import { buildCollector, COLLECTOR_LIMIT_MS, collectorUnavailable } from '@svc/testkit/collector';
import { freePort } from '@svc/testkit/free-port';
import { fetchPythonExporters, pythonExportersUnavailable } from '@svc/testkit/python-exporters';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestReceiver, TABLE, type TestReceiver, toTable } from '../server/src/features/otlp/test-receiver.ts';
import { CA_FILE, type Receiver, type Sender, writeSnippet } from '../web-console/src/features/otlp/snippets.ts';
import { bareEnv } from './env.ts';

const [noPython, noCollector] = [pythonExportersUnavailable(), collectorUnavailable()];
if (noPython) process.stderr.write(`SKIPPED: the lines for Python: ${noPython}\n`);
if (noCollector) process.stderr.write(`SKIPPED: the lines for the Collector: ${noCollector}\n`);
process.stderr.write('SKIPPED: the lines for Java, Go, .NET and OBI: their agents and packages are nowhere here\n');

/** Of the kind that is minted. */
const TOKEN = 'svc_otlp_a-B_c0123456789';
const SIGNALS = ['traces', 'logs', 'metrics'] as const;

let test: TestReceiver;
let folder: string;
beforeAll(async () => {
  const [acme] = TABLE.entries;
  if (!acme) throw new Error('no tenant');
  test = await startTestReceiver({ tokens: toTable([[TOKEN, acme]]) });
  folder = mkdtempSync(join(tmpdir(), 'svc-snippets-'));
  writeFileSync(join(folder, CA_FILE), test.ca);
});
afterAll(async () => {
  await test?.receiver.drain(100);
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  test.published.length = 0;
});

/** The two ways to send, each as if its listener were the only one. */
const receiverOf = (way: 'grpc' | 'http'): Receiver => ({
  grpc: way === 'grpc' ? `localhost:${test.grpcPort}` : null,
  http: way === 'http' ? `localhost:${test.httpPort}` : null,
  ownAuthority: true,
});

/** A command of the snippet that would fetch packages or name what only a real program has; it ends with 64 when called otherwise. */
function standIn(name: string, order: string | undefined, run: string): void {
  const check = order === undefined ? '' : `[ "$*" = '${order}' ] || { echo "${name} $*" >&2; exit 64; }\n`;
  writeFileSync(join(folder, name), `#!/bin/sh\n${check}${run}\n`);
  chmodSync(join(folder, name), 0o755);
}

/** Runs the lines in a shell that has nothing else in its environment. */
async function runLines(sender: Sender, way: 'grpc' | 'http'): Promise<void> {
  const { text } = writeSnippet(sender, receiverOf(way), TOKEN);
  await promisify(execFile)('sh', ['-e', '-c', text], { cwd: folder, env: bareEnv(folder), timeout: 60_000 });
}

/** What reached the bus of a signal, decoded. */
const arrivedOf = (signal: (typeof SIGNALS)[number]): string =>
  test.published
    .filter(({ topic }) => topic === `svc.otlp.${signal}`)
    .map(({ message }) => JSON.stringify(decodeConforming(signal, message.value)))
    .join('\n');

const expectAll = (service: string): void => {
  for (const signal of SIGNALS) {
    expect(arrivedOf(signal), signal).toContain(service);
    expect(arrivedOf(signal), signal).toContain('"svc.tenant.id","value":{"string_value":"acme"}');
  }
};

describe('the lines for JavaScript', () => {
  it('bring traces, logs and metrics', async () => {
    const program = join(import.meta.dirname, 'stack', 'otlp-program.ts');
    standIn('npm', 'install @opentelemetry/api @opentelemetry/auto-instrumentations-node', 'exit 0');
    standIn(
      'node',
      '--require @opentelemetry/auto-instrumentations-node/register app.js',
      `exec '${process.execPath}' '${program}'`,
    );
    await runLines('JavaScript', 'http');
    expectAll('my-service');
  });
});

/** Exporters that are told nothing but what the environment says. */
const PYTHON_APP = (way: 'grpc' | 'http'): string => `
from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.proto.${way}._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.${way}.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.${way}.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

tracers, loggers = TracerProvider(), LoggerProvider()
tracers.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
loggers.add_log_record_processor(SimpleLogRecordProcessor(OTLPLogExporter()))
meters = MeterProvider(metric_readers=[PeriodicExportingMetricReader(OTLPMetricExporter(), export_interval_millis=3600000)])
with tracers.get_tracer("shop").start_as_current_span("GET /cart"):
    loggers.get_logger("shop").emit(LogRecord(body="bought", severity_text="INFO"))
meters.get_meter("shop").create_counter("carts").add(3)
for provider in (tracers, loggers, meters):
    provider.shutdown()
`;

describe.skipIf(noPython)('the lines for Python', () => {
  it.each(['grpc', 'http'] as const)('bring traces, logs and metrics over %s', { timeout: 200_000 }, async (way) => {
    const site = await fetchPythonExporters();
    standIn('pip', 'install opentelemetry-distro opentelemetry-exporter-otlp', 'exit 0');
    standIn('opentelemetry-bootstrap', '-a install', 'exit 0');
    standIn('opentelemetry-instrument', 'python app.py', `PYTHONPATH='${site}' exec python3 app.py`);
    writeFileSync(join(folder, 'app.py'), PYTHON_APP(way));
    await runLines('Python', way);
    expectAll('my-service');
  });
});

describe.skipIf(noCollector)('the lines for the Collector', () => {
  it.each(['grpc', 'http'] as const)(
    'send on over %s what a receiver beside them takes',
    { timeout: COLLECTOR_LIMIT_MS },
    async (way) => {
      const { collector, telemetrygen } = await buildCollector();
      const port = await freePort();
      const receivers = `receivers: { otlp: { protocols: { grpc: { endpoint: "127.0.0.1:${port}" } } } }`;
      writeFileSync(join(folder, 'config.yaml'), `${receivers}\n${writeSnippet('Collector', receiverOf(way), TOKEN).text}\n`);
      const child = spawn(collector, ['--config', 'config.yaml'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
      try {
        let words = '';
        child.stderr.on('data', (part) => {
          words += part;
        });
        await vi.waitFor(() => expect(words).toContain('Everything is ready'), { timeout: 30_000 });
        for (const signal of SIGNALS) {
          const order = [
            signal,
            '--otlp-insecure',
            '--otlp-endpoint',
            `127.0.0.1:${port}`,
            `--${signal}`,
            '1',
            '--service',
            'my-service',
          ];
          await promisify(execFile)(telemetrygen, order, { timeout: 30_000 });
        }
        await vi.waitFor(() => expectAll('my-service'), { timeout: 20_000 });
      } finally {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGTERM');
        await ended;
      }
    },
  );
});
