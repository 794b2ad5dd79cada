import { TOPICS } from '@svc/contracts/bus-topics';
import { conformingType } from '@svc/otlp-wire/test-conforming';
import type { Signal } from '@svc/otlp-wire/walk';
import pino from 'pino';
import type protobuf from 'protobufjs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createCallerFactory } from '#api';
import { createMemoryBus } from '#bus';
import { parseTenantId, systemClock } from '#kernel';
import type { Relational } from '#relational';
import type { Telemetry } from '#telemetry';
import { openTestTelemetry } from '#test-telemetry';
import { createLogs } from '../features/logs/index.ts';
import { createMetrics } from '../features/metrics/index.ts';
import { createOtlpStore } from '../features/otlp-store/index.ts';
import { encodeRequest } from '../features/otlp-store/test-requests.ts';
import { createTraces } from '../features/traces/index.ts';

const log = pino({ level: 'silent' });
const ACME = parseTenantId('acme');
const TRACE = '0102030405060708090a0b0c0d0e0f10';
const LINKED = 'ff'.repeat(16);
const START = BigInt(Date.now() - 5000) * 1_000_000n + 123n;

const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

const RESOURCE = {
  attributes: [text('service.name', 'checkout'), text('host.name', 'h1')],
  droppedAttributesCount: 4,
  entityRefs: [
    {
      schemaUrl: 'https://example.com/entities',
      type: 'host',
      idKeys: ['host.name'],
      descriptionKeys: ['os.name', 'os.version'],
    },
    { type: 'service', idKeys: ['service.name'] },
  ],
};
const SCOPE = {
  name: '@opentelemetry/instrumentation-http',
  version: '0.207.0',
  attributes: [
    text('scope.part', 'é'),
    { key: 'scope.build', value: { intValue: '7' } },
    { key: 'scope.list', value: { arrayValue: { values: [{ stringValue: 'x' }, { doubleValue: 2 }] } } },
  ],
  droppedAttributesCount: 5,
};
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
    {
      timeUnixNano: String(START + 7n),
      name: 'exception',
      attributes: [text('exception.type', 'TimeoutError')],
      droppedAttributesCount: 6,
    },
    { timeUnixNano: String(START + 9n), name: 'retry' },
  ],
  droppedEventsCount: 2,
  links: [
    { traceId: LINKED, spanId: 'ee'.repeat(8) },
    {
      traceId: LINKED,
      spanId: 'ee'.repeat(8),
      traceState: 'vendor=1,other=2',
      attributes: [text('why', 'batch')],
      droppedAttributesCount: 8,
      flags: 769,
    },
  ],
  droppedLinksCount: 3,
  status: { code: 2, message: 'upstream timed out' },
};

const SECOND_SCOPE = { ...SCOPE, attributes: [text('scope.part', 'other')] };
const SECOND = { traceId: TRACE, spanId: '31'.repeat(8), name: 'second', kind: 1, status: {} };
/** Two scopes and two resources that nothing but what is noted tells apart; spans in the order in which they are given back. */
const SENT = {
  resourceSpans: [
    {
      resource: RESOURCE,
      scopeSpans: [
        { scope: SCOPE, spans: [SPAN], schemaUrl: 'https://opentelemetry.io/schemas/1.27.0' },
        { scope: SCOPE, spans: [at(SECOND, 1n)], schemaUrl: 'https://opentelemetry.io/schemas/1.26.0' },
        { scope: SECOND_SCOPE, spans: [at(SECOND, 2n)] },
      ],
      schemaUrl: 'https://opentelemetry.io/schemas/1.28.0',
    },
    { resource: { attributes: RESOURCE.attributes }, scopeSpans: [{ scope: {}, spans: [at(SECOND, 3n)] }] },
  ],
};

function at(span: typeof SECOND, later: bigint) {
  const time = String(START + later);
  return { ...span, startTimeUnixNano: time, endTimeUnixNano: time };
}

const IDS = new Set(['traceId', 'spanId', 'parentSpanId']);
/** With ids as protobuf's own JSON has them. */
const toWire = (signal: Signal, request: object): Buffer =>
  encodeRequest(signal, JSON.parse(JSON.stringify(request), (key, value) => (IDS.has(key) ? base64(value) : value)) as object);

const RECORD = {
  timeUnixNano: String(START),
  observedTimeUnixNano: String(START + 5n),
  severityNumber: 17,
  severityText: 'ERROR',
  body: { stringValue: 'payment failed' },
  attributes: SPAN.attributes,
  droppedAttributesCount: 9,
  flags: 257,
  traceId: TRACE,
  spanId: SPAN.spanId,
  eventName: 'payment.failed',
};
const SCHEMAS = { resource: 'https://opentelemetry.io/schemas/1.28.0', scope: 'https://opentelemetry.io/schemas/1.27.0' };
const scopeLogs = [{ scope: SCOPE, logRecords: [RECORD], schemaUrl: SCHEMAS.scope }];
const SENT_LOGS = { resourceLogs: [{ resource: RESOURCE, scopeLogs, schemaUrl: SCHEMAS.resource }] };

const POINT = { timeUnixNano: String(START), asDouble: 1.5, attributes: [text('queue', 'in')] };
const METRIC = { name: 'queue.length', metadata: [text('prometheus.type', 'gauge')], gauge: { dataPoints: [POINT] } };
const scopeMetrics = [
  { scope: SCOPE, metrics: [METRIC], schemaUrl: SCHEMAS.scope },
  { scope: { name: 'other' }, metrics: [METRIC, METRIC] },
];
const SENT_METRICS = { resourceMetrics: [{ resource: RESOURCE, scopeMetrics, schemaUrl: SCHEMAS.resource }] };

const WIRE = {
  traces: toWire('traces', SENT),
  logs: toWire('logs', SENT_LOGS),
  metrics: toWire('metrics', SENT_METRICS),
};
/** Only profiles have them. */
const OF_PROFILES = new Set(['string_value_strindex', 'key_strindex']);

/** Fields of a message and all below it, as `Message.field`; of a value those that it has, of a type all. */
function fieldsOf(type: protobuf.Type, values: Record<string, unknown>[] | undefined, found = new Set<string>()): Set<string> {
  for (const field of type.fieldsArray) {
    const given = values?.flatMap((value) => value[field.name] ?? []);
    const name = `${type.name}.${field.name}`;
    if (OF_PROFILES.has(field.name) || given?.length === 0 || (values === undefined && found.has(name))) continue;
    found.add(name);
    const below = field.resolve().resolvedType;
    if (below && 'fieldsArray' in below) fieldsOf(below, given as Record<string, unknown>[] | undefined, found);
  }
  return found;
}

test.each(['traces', 'logs'] as const)('what is sent below has every field that %s can have', (signal) => {
  const type = conformingType(signal);
  const sent = type.toObject(type.decode(WIRE[signal]), { longs: String, enums: String });
  expect([...fieldsOf(type, [sent])].sort()).toEqual([...fieldsOf(type, undefined)].sort());
});

const principal = { kind: 'account' as const, id: 'a', tenant: ACME, permissions: new Set(['otlp.read' as const]) };
const asker = { requestId: 'test', ctx: { requestId: 'test', principal } };
const relational = undefined as unknown as Relational;
const within = { timeout: 8000 };

let telemetry: Telemetry;
let otlp: ReturnType<typeof createOtlpStore>;

describe('over the wire and back', () => {
  beforeAll(async () => {
    telemetry = await openTestTelemetry();
    const bus = createMemoryBus({ log });
    otlp = createOtlpStore({ bus, telemetry, log });
    await otlp.start();
    const headers = { at: String(Date.now()) };
    // The same request sent again by an exporter that did not hear the answer: another message with the same span.
    await bus.publish(TOPICS.otlpTraces, [
      { tenant: ACME, value: WIRE.traces, headers },
      { tenant: ACME, value: WIRE.traces, headers },
    ]);
    await bus.publish(TOPICS.otlpLogs, [{ tenant: ACME, value: WIRE.logs, headers }]);
    await bus.publish(TOPICS.otlpMetrics, [{ tenant: ACME, value: WIRE.metrics, headers }]);
  });
  afterAll(async () => {
    await otlp?.close();
    await telemetry?.close();
  });

  test('a trace that came over the wire is read, filtered by what its builder set apart, and given back as it was sent', async () => {
    const ask = createCallerFactory(createTraces({ telemetry, clock: systemClock }).procedures)(asker);
    const list = () => ask.list({ service: 'checkout', attribute: ['http.response.status_code=503', 'host.name=h1', '1='] });
    await vi.waitFor(async () => expect((await list()).items).toMatchObject([{ trace_id: TRACE, spans: 4, errors: 1 }]), within);
    expect(await ask.get({ id: TRACE })).toMatchObject({
      span_count: 4,
      errors: 1,
      missing_parents: 1,
      duration_ns: 1_000_000_001,
      spans: expect.arrayContaining([
        expect.objectContaining({
          id: SPAN.spanId,
          parent: SPAN.parentSpanId,
          parent_missing: true,
          kind: 'client',
          code: '503',
          events: 2,
          links: 2,
        }),
      ]),
    });
    expect(JSON.parse(await ask.otlp({ id: TRACE }))).toEqual(SENT);
    expect(await ask.span({ id: TRACE, span: SPAN.spanId })).toMatchObject({
      resource_schema_url: SCHEMAS.resource,
      scope: SCOPE.name,
      scope_version: SCOPE.version,
      scope_attributes: [
        { key: 'scope.part', value: 'é', type: 's' },
        { key: 'scope.build', value: '7', type: 'i' },
        { key: 'scope.list', value: '["x",2.0]', type: 'a' },
      ],
      scope_schema_url: 'https://opentelemetry.io/schemas/1.27.0',
      trace_state: 'a=b',
      flags: 257,
      events: [
        { name: 'exception', dropped: 6 },
        { name: 'retry', dropped: 0 },
      ],
      links: [
        { trace_state: '', flags: 0, dropped: 0 },
        { trace_state: 'vendor=1,other=2', flags: 769, dropped: 8 },
      ],
      dropped: { attributes: 1, events: 2, links: 3, resource: 4, scope: 5 },
    });
  });

  test('a log record is read with all that was sent of it, its scope and its resource', async () => {
    const ask = createCallerFactory(createLogs({ telemetry, clock: systemClock }).procedures)(asker);
    const { items } = await vi.waitFor(async () => {
      const page = await ask.list({ service: ['checkout'] });
      expect(page.items).toHaveLength(1);
      return page;
    }, within);
    const [listed] = items;
    const record = await ask.record({ id: listed?.id ?? '' });
    expect(record).toEqual(listed);
    const seconds = (ns: string) => `${new Date(Number(BigInt(ns) / 1_000_000n)).toISOString().slice(0, 19)}.${ns.slice(-9)}Z`;
    expect(record).toMatchObject({
      ts: seconds(RECORD.timeUnixNano),
      observed_ts: seconds(RECORD.observedTimeUnixNano),
      severity: 17,
      severity_text: 'ERROR',
      service: 'checkout',
      body: 'payment failed',
      event_name: 'payment.failed',
      trace_id: TRACE,
      span_id: SPAN.spanId,
      flags: 257,
      resource: { 'service.name': 'checkout', 'host.name': 'h1' },
      resource_schema_url: SCHEMAS.resource,
      scope: SCOPE.name,
      scope_version: SCOPE.version,
      scope_attributes: { 'scope.part': 'é', 'scope.build': '7', 'scope.list': '["x",2.0]' },
      scope_schema_url: SCHEMAS.scope,
      dropped: 9,
    });
    expect(Object.keys(record.attributes)).toHaveLength(SPAN.attributes.length);
  });

  test('a metric tells who recorded its series, and what it was sent with', async () => {
    const ask = createCallerFactory(createMetrics({ telemetry, clock: systemClock, keptDays: 30, relational, log }).procedures)(
      asker,
    );
    const range = await vi.waitFor(() => ask.range({ metric: 'queue_length', by: ['scope.part'], aggregate: 'sum' }), within);
    expect(range).toMatchObject({
      scopes: [
        { name: SCOPE.name, version: SCOPE.version, schema_url: SCHEMAS.scope, resource_schema_url: SCHEMAS.resource },
        { name: 'other', version: '', schema_url: '', resource_schema_url: SCHEMAS.resource },
      ],
      metadata: { 'prometheus.type': 'gauge' },
      matched: 2,
    });
  });
});
