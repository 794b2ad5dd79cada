import { ChannelCredentials, Metadata } from '@grpc/grpc-js';
import { OTLPLogExporter as LogsGrpc } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPLogExporter as LogsJson } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as LogsProto } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter as MetricsGrpc } from '@opentelemetry/exporter-metrics-otlp-grpc';
import { OTLPMetricExporter as MetricsJson } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as MetricsProto } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as TracesGrpc } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as TracesJson } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as TracesProto } from '@opentelemetry/exporter-trace-otlp-proto';
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { decodeConforming } from '@svc/otlp-wire/test-conforming';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestReceiver, type TestReceiver, TOKENS } from '../test-receiver.ts';

let test: TestReceiver;
beforeAll(async () => {
  test = await startTestReceiver();
});
afterAll(async () => await test?.receiver.drain());
beforeEach(() => {
  test.published.length = 0;
});

/** What the SDK makes of a program that traces, logs and measures. */
async function record() {
  const spans = new InMemorySpanExporter();
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] })
    .getTracer('shop')
    .startSpan('GET /cart', { attributes: { 'http.route': '/cart', tries: 3, fast: true, sizes: [1, 2] } })
    .end();
  const logs = new InMemoryLogRecordExporter();
  new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: logs })] })
    .getLogger('shop')
    .emit({ body: { bought: ['tea'] }, attributes: { cart: 7 }, severityText: 'INFO' });
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 });
  const meter = new MeterProvider({ readers: [reader] }).getMeter('shop');
  meter.createCounter('carts', { unit: '1' }).add(3, { kind: 'tea' });
  meter.createHistogram('cart.duration', { unit: 's' }).record(0.2);
  await reader.forceFlush();
  const recorded = { traces: spans.getFinishedSpans(), logs: logs.getFinishedLogRecords(), metrics: metrics.getMetrics()[0] };
  await reader.shutdown();
  return recorded;
}

interface Exporter {
  export(items: never, done: (result: { code: number; error?: Error }) => void): void;
  shutdown(): Promise<void>;
}

function createExporters(token: string): Record<string, Record<'traces' | 'logs' | 'metrics', Exporter>> {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  const credentials = ChannelCredentials.createSsl(Buffer.from(test.ca));
  const overGrpc = { url: `https://localhost:${test.grpcPort}`, credentials, metadata, timeoutMillis: 5000 };
  const headers = { authorization: `Bearer ${token}` };
  const overHttp = (signal: string, compression?: 'gzip') => ({
    ...{
      url: `https://localhost:${test.httpPort}/v1/${signal}`,
      headers,
      httpAgentOptions: { ca: test.ca },
      timeoutMillis: 5000,
    },
    ...(compression ? { compression: compression as never } : {}),
  });
  return {
    gRPC: { traces: new TracesGrpc(overGrpc), logs: new LogsGrpc(overGrpc), metrics: new MetricsGrpc(overGrpc) },
    'gRPC, gzip': {
      traces: new TracesGrpc({ ...overGrpc, compression: 'gzip' as never }),
      logs: new LogsGrpc({ ...overGrpc, compression: 'gzip' as never }),
      metrics: new MetricsGrpc({ ...overGrpc, compression: 'gzip' as never }),
    },
    'HTTP protobuf': {
      traces: new TracesProto(overHttp('traces')),
      logs: new LogsProto(overHttp('logs', 'gzip')),
      metrics: new MetricsProto(overHttp('metrics')),
    },
    'HTTP JSON': {
      traces: new TracesJson(overHttp('traces')),
      logs: new LogsJson(overHttp('logs')),
      metrics: new MetricsJson(overHttp('metrics', 'gzip')),
    },
  };
}

async function exportAll(exporters: Record<'traces' | 'logs' | 'metrics', Exporter>) {
  const recorded = await record();
  const results: { code: number; error?: Error }[] = [];
  for (const signal of ['traces', 'logs', 'metrics'] as const) {
    results.push(await new Promise((resolve) => exporters[signal].export(recorded[signal] as never, resolve)));
    await exporters[signal].shutdown();
  }
  return results;
}

describe.each(['gRPC', 'gRPC, gzip', 'HTTP protobuf', 'HTTP JSON'])('the OpenTelemetry JS exporters over %s', (way) => {
  it('are served for all three signals', async () => {
    const exporters = createExporters(TOKENS.acme)[way];
    if (!exporters) throw new Error('no exporters');
    expect(await exportAll(exporters)).toEqual([{ code: 0 }, { code: 0 }, { code: 0 }]);
    expect(test.published.map(({ topic }) => topic)).toEqual(['svc.otlp.traces', 'svc.otlp.logs', 'svc.otlp.metrics']);
    const [traces, logs, metrics] = (['traces', 'logs', 'metrics'] as const).map((signal, index) =>
      JSON.stringify(decodeConforming(signal, test.published[index]?.message.value as Buffer)),
    );
    for (const text of [traces, logs, metrics]) expect(text).toContain('{"key":"svc.tenant.id","value":{"string_value":"acme"}}');
    expect(traces).toMatch(/GET \/cart.*"tries","value":\{"int_value":"3"\}/);
    expect(logs).toMatch(/bought.*tea/);
    expect(metrics).toMatch(/carts.*cart\.duration.*"bucket_counts"/);
  });

  it('are told that a token is wrong, and do not try again', async () => {
    const exporters = createExporters('wrong')[way];
    if (!exporters) throw new Error('no exporters');
    const results = await exportAll(exporters);
    expect(results.map(({ code }) => code)).toEqual([1, 1, 1]);
    for (const { error } of results)
      expect(String(error?.message) + Reflect.get(error ?? {}, 'code')).toMatch(/UNAUTHENTICATED|401|Unauthorized/i);
    expect(test.published).toEqual([]);
  });
});
