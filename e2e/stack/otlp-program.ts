// A program instrumented with the OpenTelemetry SDK, as its environment says: who it is, where it sends to and with which token.
import { setTimeout as sleep } from 'node:timers/promises';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector } from '@opentelemetry/resources';
import { LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

const resource = detectResources({ detectors: [envDetector] });
const traces = new TracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor({ exporter: new OTLPTraceExporter() })] });
const logs = new LoggerProvider({ resource, processors: [new SimpleLogRecordProcessor({ exporter: new OTLPLogExporter() })] });
const reader = new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter(), exportIntervalMillis: 3_600_000 });
const metrics = new MeterProvider({ resource, readers: [reader] });

const tracer = traces.getTracer('till');
const root = tracer.startSpan('POST /sales', {
  kind: SpanKind.SERVER,
  attributes: { 'http.request.method': 'POST', 'http.route': '/sales', 'http.response.status_code': 500 },
});
const inRoot = trace.setSpan(context.active(), root);
const query = tracer.startSpan(
  'INSERT sales',
  { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql', 'server.address': 'sales-db', 'server.port': 5432 } },
  inRoot,
);
await sleep(20);
query.end();
root.recordException(new Error('the drawer is stuck'));
root.setStatus({ code: SpanStatusCode.ERROR, message: 'the drawer is stuck' });
logs.getLogger('till').emit({ body: 'the drawer is stuck', severityNumber: 17, severityText: 'ERROR', context: inRoot });
const meter = metrics.getMeter('till');
meter.createCounter('till.sales', { unit: '{sale}', description: 'Sales begun.' }).add(1);
meter.createHistogram('till.sale.duration', { unit: 's' }).record(0.02, {}, inRoot);
root.end();
// What is refused is the test's to see.
await Promise.allSettled([traces.forceFlush(), logs.forceFlush(), metrics.forceFlush()]);
await Promise.allSettled([traces.shutdown(), logs.shutdown(), metrics.shutdown()]);
process.stdout.write(`${root.spanContext().traceId}\n`);
