import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TOPICS } from '@svc/contracts/bus-topics';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createCallerFactory } from '#api';
import { createMemoryBus } from '#bus';
import { parseTenantId, systemClock } from '#kernel';
import { createMemoryTelemetry, openTelemetry, type Telemetry } from '#telemetry';
import { createOtlp } from './features/otlp/index.ts';
import { encodeRequest } from './features/otlp/store/test-requests.ts';
import { createTraces } from './features/traces/index.ts';

const log = pino({ level: 'silent' });
const ACME = parseTenantId('acme');
const TRACE = '0102030405060708090a0b0c0d0e0f10';
const LINKED = 'ff'.repeat(16);
const START = BigInt(Date.now() - 5000) * 1_000_000n + 123n;

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

const RESOURCE = { attributes: [text('service.name', 'checkout'), text('host.name', 'h1')] };
const SCOPE = { name: '@opentelemetry/instrumentation-http', version: '0.207.0' };
/** In OTLP JSON, where ids are hex; protobuf's own JSON has them in base64. */
const SPAN = {
  traceId: TRACE,
  spanId: '1112131415161718',
  traceState: 'a=b',
  parentSpanId: '2122232425262728',
  flags: 257,
  name: 'GET /cart/{id}',
  kind: 3,
  startTimeUnixNano: String(START),
  endTimeUnixNano: String(START + 1_000_000_001n),
  attributes: [
    text('z.last', 'é€😀'),
    text('2', 'two'),
    text('1', ''),
    { key: 'http.response.status_code', value: { intValue: '503' } },
    { key: 'big', value: { intValue: '-9223372036854775808' } },
    { key: 'flag', value: { boolValue: true } },
    { key: 'ratio', value: { doubleValue: 0.25 } },
    { key: 'whole', value: { doubleValue: 2 } },
    { key: 'raw', value: { bytesValue: 'AP8=' } },
    { key: 'list', value: { arrayValue: { values: [{ stringValue: 'x' }, { intValue: '9223372036854775807' }, {}] } } },
    { key: 'tree', value: { kvlistValue: { values: [{ key: 'k', value: { doubleValue: 1.5 } }] } } },
    {
      key: 'nested',
      value: {
        arrayValue: {
          values: [
            { bytesValue: 'AP8=' },
            { bytesValue: '' },
            { doubleValue: 2 },
            { doubleValue: 'NaN' },
            { kvlistValue: { values: [{ key: 'bytesValue', value: { stringValue: 'AP8=' } }] } },
            {
              kvlistValue: {
                values: [
                  { key: 'b', value: { bytesValue: 'AQ==' } },
                  { key: '1', value: { intValue: '1' } },
                  { key: 'b', value: { kvlistValue: { values: [] } } },
                ],
              },
            },
          ],
        },
      },
    },
    { key: 'none', value: {} },
  ],
  droppedAttributesCount: 1,
  events: [
    { timeUnixNano: String(START + 7n), name: 'exception', attributes: [text('exception.type', 'TimeoutError')] },
    { timeUnixNano: String(START + 9n), name: 'retry' },
  ],
  droppedEventsCount: 2,
  links: [{ traceId: LINKED, spanId: 'ee'.repeat(8), attributes: [text('why', 'batch')] }],
  droppedLinksCount: 3,
  status: { code: 2, message: 'upstream timed out' },
};

let folder: string;
let telemetry: Telemetry;
let otlp: ReturnType<typeof createOtlp>;

describe.each(['chDB', 'memory'])('on %s', (place) => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-as-sent-'));
    const migrationsDir = fileURLToPath(new URL('../../clickhouse/migrations', import.meta.url));
    telemetry = place === 'memory' ? createMemoryTelemetry() : await openTelemetry({ dataDir: folder, migrationsDir, log });
    const bus = createMemoryBus({ log });
    otlp = createOtlp({ bus, telemetry, log });
    await otlp.start();
    const wire = {
      ...SPAN,
      traceId: base64(SPAN.traceId),
      spanId: base64(SPAN.spanId),
      parentSpanId: base64(SPAN.parentSpanId),
      links: SPAN.links.map((link) => ({ ...link, traceId: base64(link.traceId), spanId: base64(link.spanId) })),
    };
    const value = encodeRequest('traces', {
      resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ scope: SCOPE, spans: [wire] }] }],
    });
    const headers = { at: String(Date.now()) };
    // The same request sent again by an exporter that did not hear the answer: another message with the same span.
    await bus.publish(TOPICS.otlpTraces, [
      { tenant: ACME, value, headers },
      { tenant: ACME, value, headers },
    ]);
  });
  afterAll(async () => {
    await otlp?.close();
    await telemetry?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('a trace that came over the wire is read, filtered by what its builder set apart, and given back as it was sent', async () => {
    const ask = createCallerFactory(createTraces({ telemetry, clock: systemClock }).procedures)({
      requestId: 'test',
      ctx: {
        requestId: 'test',
        principal: { kind: 'account', id: 'a', tenant: ACME, permissions: new Set(['otlp.read' as const]) },
      },
    });
    const list = () => ask.list({ service: 'checkout', attribute: ['http.response.status_code=503', 'host.name=h1', '1='] });
    await vi.waitFor(async () => expect((await list()).items).toMatchObject([{ trace_id: TRACE, spans: 1, errors: 1 }]), {
      timeout: 8000,
    });
    expect(await ask.get({ id: TRACE })).toMatchObject({
      span_count: 1,
      errors: 1,
      missing_parents: 1,
      duration_ns: 1_000_000_001,
      spans: [
        { id: SPAN.spanId, parent: SPAN.parentSpanId, parent_missing: true, kind: 'client', code: '503', events: 2, links: 1 },
      ],
    });
    expect(JSON.parse(await ask.otlp({ id: TRACE }))).toEqual({
      resourceSpans: [{ resource: RESOURCE, scopeSpans: [{ scope: SCOPE, spans: [SPAN] }] }],
    });
  });
});
