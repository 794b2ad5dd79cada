import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOPICS } from '@svc/contracts/bus-topics';
import { nicesOf } from '@svc/testkit/threads';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Bus, createLogBus } from '#bus';
import { AppError, parseTenantId, type TenantId } from '#kernel';
import type { ColumnStore, Telemetry } from '#telemetry';
import { openFreshTelemetry } from '#test-telemetry';
import { createOtlpStore } from './index.ts';
import { encodeRequest } from './test-requests.ts';

const log = pino({ level: 'silent' });
const acme = parseTenantId('acme');
const other = parseTenantId('other');
const NOW = Date.now();
const ns = (ms: number, rest = 0): string => String(BigInt(ms) * 1_000_000n + BigInt(rest));
const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

const TRACE = '0102030405060708090a0b0c0d0e0f10';
const ATTRIBUTES = [
  text('http.request.method', 'GET'),
  text('http.route', '/cart/{id}'),
  { key: 'http.response.status_code', value: { intValue: '503' } },
  text('z.last', 'é€😀'),
  text('a.first', ''),
  { key: 'flag', value: { boolValue: true } },
  { key: 'ratio', value: { doubleValue: 0.25 } },
  { key: 'raw', value: { bytesValue: base64('00ff') } },
  { key: 'list', value: { arrayValue: { values: [{ stringValue: 'x' }, { intValue: '1' }] } } },
  { key: 'tree', value: { kvlistValue: { values: [{ key: 'k', value: { doubleValue: 1.5 } }] } } },
  { key: 'none', value: {} },
  text('server.address', 'db.example.com'),
  { key: 'server.port', value: { intValue: '5432' } },
];

const SPAN = {
  traceId: base64(TRACE),
  spanId: base64('1112131415161718'),
  parentSpanId: base64('2122232425262728'),
  traceState: 'a=b',
  flags: 257,
  name: 'GET /cart/{id}',
  kind: 3,
  startTimeUnixNano: ns(NOW - 5000, 123),
  endTimeUnixNano: ns(NOW - 4000, 124),
  attributes: ATTRIBUTES,
  droppedAttributesCount: 1,
  droppedEventsCount: 2,
  droppedLinksCount: 3,
  events: [
    { timeUnixNano: ns(NOW - 4500, 7), name: 'exception', attributes: [text('exception.type', 'TimeoutError')] },
    { timeUnixNano: ns(NOW - 4400), name: 'retry' },
  ],
  links: [{ traceId: base64('ff'.repeat(16)), spanId: base64('ee'.repeat(8)), attributes: [text('why', 'batch')] }],
  status: { code: 2, message: 'upstream timed out' },
};

const resource = (service: string) => ({ attributes: [text('service.name', service), text('host.name', 'h1')] });
const scope = { name: '@opentelemetry/instrumentation-http', version: '0.207.0' };
const traces = (...spans: object[]): Buffer =>
  encodeRequest('traces', { resourceSpans: [{ resource: resource('checkout'), scopeSpans: [{ scope, spans }] }] });
const logs = (...logRecords: object[]): Buffer =>
  encodeRequest('logs', { resourceLogs: [{ resource: resource('checkout'), scopeLogs: [{ scope, logRecords }] }] });

const message = (tenant: TenantId, value: Buffer, at = NOW) => ({ tenant, value, headers: { at: String(at) } });

describe('OTLP data on the embedded stores', () => {
  let folder: string;
  let telemetry: Telemetry;
  let bus: Bus;
  let otlp: ReturnType<typeof createOtlpStore>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-otlp-store-'));
    telemetry = await openFreshTelemetry(folder);
    bus = await createLogBus({ folder: join(folder, 'log'), log });
    otlp = createOtlpStore({ bus, telemetry, log });
    await otlp.start();
  });
  afterAll(async () => {
    await otlp.close();
    await bus.close();
    await telemetry.close();
    await rm(folder, { recursive: true, force: true });
  });

  const read = <Row>(tenant: TenantId, sql: string): Promise<Row[]> => telemetry.store.read<Row>(tenant, sql);
  const countOf = async (tenant: TenantId, table: string): Promise<number> => {
    const sql = `SELECT count() AS rows FROM ${table} WHERE tenant_id = {tenant:String}`;
    return (await read<{ rows: number }>(tenant, sql))[0]?.rows ?? -1;
  };
  const waitFor = (tenant: TenantId, table: string, rows: number) =>
    vi.waitFor(async () => expect(await countOf(tenant, table)).toBe(rows), { timeout: 8000, interval: 50 });

  test('a span comes back as it was sent, with all kinds of values in their order, also after a merge', async () => {
    await bus.publish(TOPICS.otlpTraces, [
      message(acme, traces(SPAN)),
      message(acme, traces({ ...SPAN, name: 'second', events: [] })),
    ]);
    await waitFor(acme, 'spans', 2);
    // Who builds blocks stands behind who waits for an answer.
    if (process.platform === 'linux') expect(nicesOf('otlp-store')).toEqual([10]);
    const sql = `SELECT *, hex(trace_id) AS trace, hex(span_id) AS span, hex(parent_id) AS parent, toUnixTimestamp64Nano(ts) AS ns,
      arrayMap(x -> toUnixTimestamp64Nano(x), event_ts) AS event_ns, toUnixTimestamp64Milli(received) AS received_ms,
      mapKeys(attributes) AS keys, mapValues(attributes) AS texts
      FROM spans WHERE tenant_id = {tenant:String} AND name != 'second'`;
    const expected = {
      service: 'checkout',
      resource: { 'service.name': 'checkout', 'host.name': 'h1' },
      resource_types: 'ss',
      scope: '@opentelemetry/instrumentation-http',
      scope_version: '0.207.0',
      duration_ns: 1_000_000_001,
      trace: TRACE.toUpperCase(),
      span: '1112131415161718',
      parent: '2122232425262728',
      trace_state: 'a=b',
      flags: 257,
      name: 'GET /cart/{id}',
      kind: 3,
      keys: ATTRIBUTES.map(({ key }) => key),
      texts: [
        'GET',
        '/cart/{id}',
        '503',
        'é€😀',
        '',
        'true',
        '0.25',
        'AP8=',
        '["x",1]',
        '{"k":1.5}',
        '',
        'db.example.com',
        '5432',
      ],
      attribute_types: 'ssissbdyamnsi',
      status: 2,
      status_message: 'upstream timed out',
      http_method: 'GET',
      http_route: '/cart/{id}',
      http_status: 503,
      peer: 'db.example.com:5432',
      event_names: ['exception', 'retry'],
      event_attributes: [{ 'exception.type': 'TimeoutError' }, {}],
      event_attribute_types: ['s', ''],
      extras: JSON.stringify({
        links: [
          { traceId: 'ff'.repeat(16), spanId: 'ee'.repeat(8), attributes: { keys: ['why'], values: ['batch'], types: 's' } },
        ],
        droppedAttributesCount: 1,
        droppedEventsCount: 2,
        droppedLinksCount: 3,
      }),
      received_ms: NOW,
    };
    expect((await read(acme, sql))[0]).toMatchObject(expected);
    const times =
      "SELECT toString(toUnixTimestamp64Nano(ts)) AS ns FROM spans WHERE tenant_id = {tenant:String} AND name != 'second'";
    expect(await read(acme, times)).toEqual([{ ns: SPAN.startTimeUnixNano }]);
    await bus.publish(TOPICS.otlpTraces, [message(acme, traces({ ...SPAN, name: 'second' }))]);
    await waitFor(acme, 'spans', 3);
    await telemetry.store.derive(acme, "OPTIMIZE TABLE spans PARTITION tuple({tenant:String}, toDate(now(), 'UTC')) FINAL");
    expect((await read(acme, sql))[0]).toMatchObject(expected);
    expect(await countOf(other, 'spans')).toBe(0);
  });

  test('a log record comes back as it was sent; one without a time has the one it was observed or received at', async () => {
    const record = {
      timeUnixNano: ns(NOW - 3000, 5),
      observedTimeUnixNano: ns(NOW - 2000),
      severityNumber: 17,
      severityText: 'ERROR',
      body: { stringValue: 'payment failed\n\nfor é' },
      attributes: [text('request.id', 'r1')],
      traceId: base64(TRACE),
      spanId: base64('1112131415161718'),
      flags: 1,
      eventName: 'payment.failed',
    };
    const observed = { observedTimeUnixNano: ns(NOW - 1000), body: { kvlistValue: { values: [text('a', 'b')] } } };
    await bus.publish(TOPICS.otlpLogs, [message(acme, logs(record, observed, {}))]);
    await waitFor(acme, 'logs', 3);
    const sql = `SELECT toString(toUnixTimestamp64Nano(ts)) AS ns, toString(toUnixTimestamp64Nano(observed_ts)) AS observed, row, severity,
      severity_text, body, body_type, event_name, attributes, attribute_types, service, hex(trace_id) AS trace, flags
      FROM logs WHERE tenant_id = {tenant:String} ORDER BY row`;
    expect(await read(acme, sql)).toMatchObject([
      {
        ns: record.timeUnixNano,
        observed: record.observedTimeUnixNano,
        row: 0,
        severity: 17,
        severity_text: 'ERROR',
        body: 'payment failed\n\nfor é',
        body_type: 's',
        event_name: 'payment.failed',
        attributes: { 'request.id': 'r1' },
        attribute_types: 's',
        service: 'checkout',
        trace: TRACE.toUpperCase(),
        flags: 1,
      },
      { ns: ns(NOW - 1000), observed: ns(NOW - 1000), row: 1, body: '{"a":"b"}', body_type: 'm' },
      { ns: ns(NOW), observed: ns(NOW), row: 2, body: '', body_type: 'n' },
    ]);
  });

  test('what is out of time is left out, what is too large is cut and says so, and both are counted', async () => {
    const tenant = parseTenantId('bounds');
    const hour = 3_600_000;
    const attributes = Array.from({ length: 130 }, (_, i) => text(`k${i}`, 'v'));
    const span = (startMs: number, fields: object = {}) => ({
      ...SPAN,
      startTimeUnixNano: ns(startMs),
      endTimeUnixNano: ns(startMs),
      ...fields,
    });
    const spans = [
      span(NOW - 16 * 24 * hour),
      span(NOW + 2 * hour),
      { ...SPAN, startTimeUnixNano: '0' },
      span(NOW - 24 * hour, { attributes, events: [{ timeUnixNano: '18446744073709551615', name: 'far' }] }),
      span(NOW, { attributes: [text('long', 'é'.repeat(4000))] }),
    ];
    await bus.publish(TOPICS.otlpTraces, [message(tenant, traces(...spans))]);
    await bus.publish(TOPICS.otlpLogs, [
      message(tenant, logs({ timeUnixNano: ns(NOW), body: { stringValue: 'x'.repeat(70_000) } })),
    ]);
    await waitFor(tenant, 'spans', 2);
    await waitFor(tenant, 'logs', 1);
    const sql = `SELECT length(attributes) AS size, attributes['svc.truncated'] AS mark, length(attributes['long']) AS long,
      endsWith(attribute_types, 'b') AS typed, toUnixTimestamp64Nano(event_ts[1]) AS event_ns
      FROM spans WHERE tenant_id = {tenant:String} ORDER BY ts`;
    expect(await read(tenant, sql)).toMatchObject([
      { size: 129, mark: 'true', long: 0, typed: 1, event_ns: 0 },
      { size: 2, mark: 'true', long: 4096, typed: 1 },
    ]);
    const body = "SELECT length(body) AS size, attributes['svc.truncated'] AS mark FROM logs WHERE tenant_id = {tenant:String}";
    expect(await read(tenant, body)).toEqual([{ size: 65_536, mark: 'true' }]);
    // Counted behind the last block of the batch, which is not the one of the spans.
    const counts = { rows: 2, truncated: 2, leftOut: 3, repeated: 0 };
    await vi.waitFor(() => expect(otlp.storeCounters()?.tenants.get('traces')?.get('bounds')).toEqual(counts));
  });

  test('columns of well-known attributes take old names too, and the newer where both are there; a peer is whom a client calls', async () => {
    const tenant = parseTenantId('hot');
    const int = (key: string, value: number) => ({ key, value: { intValue: String(value) } });
    const old = [
      text('http.method', 'PUT'),
      int('http.status_code', 404),
      text('net.peer.name', '::1'),
      int('net.peer.port', 80),
    ];
    const of = (name: string, kind: number, attributes: object[]) => ({ ...SPAN, name, kind, attributes, events: [], links: [] });
    const spans = [
      of('1 old', 3, old),
      of('2 both', 3, [...old, text('http.request.method', 'GET'), text('peer.service', 'cart')]),
      of('3 database', 3, [text('db.system', 'mysql'), text('db.system.name', 'postgresql')]),
      of('4 producer', 4, [text('messaging.system', 'kafka')]),
      of('5 server', 2, [text('server.address', 'me'), text('rpc.service', 'shop.Cart'), text('http.status_code', 'many')]),
      of('6 none', 3, []),
    ];
    await bus.publish(TOPICS.otlpTraces, [message(tenant, traces(...spans))]);
    await waitFor(tenant, 'spans', 6);
    const sql = `SELECT http_method AS method, http_status AS status, db_system AS db, rpc_service AS rpc, peer
      FROM spans WHERE tenant_id = {tenant:String} ORDER BY name`;
    const none = { method: '', status: 0, db: '', rpc: '', peer: '' };
    expect(await read(tenant, sql)).toEqual([
      { ...none, method: 'PUT', status: 404, peer: '[::1]:80' },
      { ...none, method: 'GET', status: 404, peer: 'cart' },
      { ...none, db: 'postgresql', peer: 'postgresql' },
      { ...none, peer: 'kafka' },
      { ...none, rpc: 'shop.Cart' },
      none,
    ]);
  });

  test('what is no request of our receiver stops nothing and is counted', async () => {
    const tenant = parseTenantId('junk');
    const good = traces(SPAN);
    await bus.publish(TOPICS.otlpTraces, [
      message(tenant, Buffer.from('not protobuf at all')),
      message(tenant, good),
      message(tenant, good.subarray(0, good.length - 3)),
      { tenant, value: good },
      message(tenant, Buffer.alloc(0)),
      message(tenant, good),
    ]);
    await waitFor(tenant, 'spans', 2);
    await vi.waitFor(() => expect(otlp.storeCounters()?.refused.get('traces')).toBe(3));
    expect(await otlp.health()).toEqual({ status: 'ok' });
  });

  test('while the store is away data waits and health tells how much; then all of it is stored', async () => {
    const tenant = parseTenantId('away');
    const waiting = await createLogBus({ folder: join(folder, 'away'), log });
    const store = telemetry.store;
    let away = true;
    const writeEncoded: ColumnStore['writeEncoded'] = (block) =>
      away ? Promise.reject(new AppError('unavailable', 'The disk is full.')) : store.writeEncoded(block);
    const second = createOtlpStore({ bus: waiting, telemetry: { ...telemetry, store: { ...store, writeEncoded } }, log });
    await second.start();
    await waiting.publish(TOPICS.otlpTraces, [message(tenant, traces(SPAN)), message(tenant, traces(SPAN, SPAN))]);
    const detail = '2 OTLP requests wait on the bus: the column store does not take traces.';
    await vi.waitFor(async () => expect(await second.health()).toEqual({ status: 'degraded', detail }), { timeout: 8000 });
    away = false;
    await waitFor(tenant, 'spans', 3);
    await vi.waitFor(async () => expect(await second.health()).toEqual({ status: 'ok' }), { timeout: 8000 });
    await second.close();
    await waiting.close();
  });
});
