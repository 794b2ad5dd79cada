import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClickHouseServer, clickHouseUnavailable, startClickHouse } from '@svc/testkit/clickhouse';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCallerFactory } from '#api';
import { parseTenantId, type TenantId } from '#kernel';
import { type ColumnStore, openTelemetry, type Telemetry } from '#telemetry';
import { createLogs } from './index.ts';
import { type TestLog, writeLogs } from './test-logs.ts';

const ACME = parseTenantId('acme');
const OTHER = parseTenantId('other');
const NOW = Date.parse('2026-11-21T12:00:00Z');
/** Of an hour ago; the day's partition holds the whole window. */
const BASE = BigInt(NOW - 3_600_000) * 1_000_000n;
const SECOND = 1_000_000_000n;
const TRACE = 'ab'.repeat(16);

let folder: string;
let telemetry: Telemetry;
let store: ColumnStore;

const asks = (tenant: TenantId, deps: { telemetry: Pick<Telemetry, 'store'>; nowMs?: number }) =>
  createCallerFactory(createLogs({ telemetry: deps.telemetry, clock: { now: () => deps.nowMs ?? NOW } }).procedures)({
    requestId: 'test',
    ctx: { requestId: 'test', principal: { kind: 'account', id: 'a', tenant, permissions: new Set(['otlp.read' as const]) } },
  });

const at = (seconds: number, fields: Partial<TestLog> = {}): TestLog => ({
  ts: BASE + BigInt(seconds) * SECOND,
  body: `line ${seconds}`,
  offset: seconds,
  ...fields,
});

const unavailable = clickHouseUnavailable();
if (unavailable) process.stderr.write(`SKIPPED: ${unavailable}\n`);
const PLACES: [string, (() => Promise<ClickHouseServer>) | undefined][] = [
  ['chDB', undefined],
  ...(unavailable ? [] : ([['a ClickHouse server', startClickHouse]] as [string, () => Promise<ClickHouseServer>][])),
];

describe.each(PLACES)('on %s', (_place, start) => {
  let server: ClickHouseServer | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-logs-'));
    const migrationsDir = fileURLToPath(new URL('../../../../clickhouse/migrations', import.meta.url));
    server = await start?.();
    const log = pino({ level: 'silent' });
    telemetry = await openTelemetry({ dataDir: folder, ...(server && { url: server.url }), migrationsDir, log });
    store = telemetry.store;
    await writeLogs(store, ACME, [
      at(1, { body: 'disk is full', severity: 17, attributes: { disk: 'sda', host: 'own' }, resource: { host: 'h1' } }),
      at(2, { body: 'Disk check passed', resource: { host: 'h1' } }),
      at(3, { body: 'order-42 paid', service: 'pay', severity: 13, trace: TRACE, attributes: { 'http.route': '/pay' } }),
      at(4, {
        body: 'order 42 shipped; diskless',
        service: 'ship',
        severity: 5,
        resource: { host: 'h2', 'service.name': 'ship', 'svc.tenant.id': 'acme' },
      }),
      at(5, { body: 'late night', resource: { host: 'h1' } }),
    ]);
    await writeLogs(store, OTHER, [at(3, { body: 'of another tenant: disk', trace: TRACE })]);
  });
  afterAll(async () => {
    await telemetry?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const bodies = async (filter: object, tenant = ACME): Promise<string[]> =>
    (await asks(tenant, { telemetry }).list(filter)).items.map(({ body }) => body);

  describe('a list of log records', () => {
    test.each([
      [{}, ['late night', 'order 42 shipped; diskless', 'order-42 paid', 'Disk check passed', 'disk is full']],
      [{ text: 'DISK' }, ['order 42 shipped; diskless', 'Disk check passed', 'disk is full']],
      [{ text: '"DISK"' }, ['Disk check passed', 'disk is full']],
      [{ text: 'isk ful' }, ['disk is full']],
      [{ text: 'pass' }, ['Disk check passed']],
      [{ text: '%isk' }, []],
      [{ text: 'd_sk' }, []],
      [{ text: 'disk full' }, ['disk is full']],
      [{ text: '"disk is"' }, ['disk is full']],
      [{ text: 'order-42' }, ['order-42 paid']],
      [{ text: '42 order' }, ['order 42 shipped; diskless', 'order-42 paid']],
      [{ text: "'; DROP TABLE logs" }, []],
      [{ severity: 13 }, ['order-42 paid', 'disk is full']],
      [{ service: ['pay', 'ship'] }, ['order 42 shipped; diskless', 'order-42 paid']],
      [{ trace_id: TRACE.toUpperCase() }, ['order-42 paid']],
      [{ attribute: ['http.route=/pay'] }, ['order-42 paid']],
      [{ attribute: ['host=h1'] }, ['late night', 'Disk check passed']],
      [{ attribute: ['host=own'] }, ['disk is full']],
      [{ attribute: ['host', 'host!=h1'] }, ['order 42 shipped; diskless', 'disk is full']],
      [{ attribute: ['host!=h1'] }, ['order 42 shipped; diskless', 'order-42 paid', 'disk is full']],
      [{ attribute: ['!host'] }, ['order-42 paid']],
      [{ attribute: ["x=' OR 1=1"] }, []],
      [{ from: '2026-11-21T11:00:03Z', to: '2026-11-21T11:00:03.000000001Z' }, ['order-42 paid']],
    ])('%j', async (filter, found) => {
      expect(await bodies(filter)).toEqual(found);
    });

    test('ends a page early where its records are heavy, and goes on from there', async () => {
      const heavy = parseTenantId('heavy');
      const attributes = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`key-${i}`, 'x'.repeat(500)]));
      await writeLogs(
        store,
        heavy,
        Array.from({ length: 400 }, (_, i) => at(i, { attributes })),
      );
      const logs = asks(heavy, { telemetry });
      const first = await logs.list({ limit: 1000 });
      expect(JSON.stringify(first).length).toBeLessThan(9 * 1024 * 1024);
      expect(first.items.length).toBeGreaterThan(100);
      const seen = first.items.map(({ id }) => id);
      for (let cursor = first.next_cursor; cursor !== null; ) {
        const page = await logs.list({ limit: 1000, cursor });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.next_cursor;
      }
      expect([seen.length, new Set(seen).size]).toEqual([400, 400]);
    });

    test.each([
      ['an attribute', 'far', { attribute: ['size=xl'] }],
      ['a word', 'far-words', { text: 'xl' }],
    ])('by %s goes back through the whole window, newest first, page after page', async (_, name, filter) => {
      const far = parseTenantId(name);
      const minutes = [1, 14, 16, 119, 121, 700, 2000];
      const lines = minutes.flatMap((m) =>
        ['xl', 's'].map((size, row) => ({
          ts: BASE - BigInt(m) * 60_000_000_000n,
          body: `${m} ${size}`,
          row,
          offset: m,
          attributes: { size },
        })),
      );
      await writeLogs(store, far, lines);
      const window = { from: '2026-11-18T00:00:00Z', to: '2026-11-21T11:00:00Z' };
      const pages: string[][] = [];
      for (let cursor: string | null | undefined; cursor !== null && pages.length < 5; ) {
        const page = await asks(far, { telemetry }).list({
          ...window,
          ...filter,
          limit: 3,
          ...(cursor && { cursor }),
        });
        pages.push(page.items.map(({ body }) => body.replace(' xl', '')));
        cursor = page.next_cursor;
      }
      expect(pages).toEqual([['1', '14', '16'], ['119', '121', '700'], ['2000']]);
    });

    test('tells times to the nanosecond and ids as hex', async () => {
      await writeLogs(store, ACME, [{ ts: BASE + 123_456_789n, body: 'exact', service: 'exact', offset: 900 }]);
      const { items } = await asks(ACME, { telemetry }).list({ service: ['exact', 'pay'] });
      expect(items).toMatchObject([{ trace_id: TRACE }, { ts: '2026-11-21T11:00:00.123456789Z', trace_id: null, span_id: null }]);
    });

    test('gives each record once over pages, in the order of the bus where times are alike', async () => {
      const same = Array.from({ length: 50 }, (_, i) =>
        at(0, { service: 'pages', body: `${i}`, offset: Math.floor(i / 10), row: i % 10 }),
      );
      await writeLogs(store, ACME, same);
      const seen: string[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < 20; page++) {
        const found = await asks(ACME, { telemetry }).list({ service: ['pages'], limit: 7, ...(cursor && { cursor }) });
        seen.push(...found.items.map(({ body }) => body));
        // A newer line between two pages moves nothing.
        await writeLogs(store, ACME, [at(100 + page, { service: 'pages', body: 'new', offset: 100 + page })]);
        if (!found.next_cursor) break;
        cursor = found.next_cursor;
      }
      expect(seen).toEqual(same.map(({ body }) => body).reverse());
    });

    test('cuts long bodies and values in a list and gives them whole one by one', async () => {
      const body = `${'ü'.repeat(10_000)} farthest words`;
      await writeLogs(store, ACME, [at(6, { service: 'long', body, attributes: { stack: 'x'.repeat(4000) } })]);
      const caller = asks(ACME, { telemetry });
      const [item] = (await caller.list({ service: ['long'] })).items;
      expect(item).toMatchObject({ cut: true, body: body.slice(0, 4096), attributes: { stack: 'x'.repeat(512) } });
      expect(await caller.record({ id: item?.id ?? '' })).toMatchObject({
        cut: false,
        body,
        attributes: { stack: 'x'.repeat(4000) },
      });
      // What is beyond the cut is found all the same.
      for (const filter of [{ text: 'farthest' }, { text: '"est words"' }, { attribute: [`stack=${'x'.repeat(4000)}`] }])
        expect((await caller.list({ service: ['long'], ...filter })).items).toEqual([item]);
      expect((await caller.list({ service: ['long'], attribute: [`stack=${'x'.repeat(512)}`] })).items).toEqual([]);
    });
  });

  test('another tenant sees its own records only, also by the name of a record', async () => {
    expect(await bodies({}, OTHER)).toEqual(['of another tenant: disk']);
    const [mine] = (await asks(ACME, { telemetry }).list({ text: 'paid' })).items;
    const other = asks(OTHER, { telemetry });
    await expect(other.record({ id: mine?.id ?? '' })).resolves.toMatchObject({ body: 'of another tenant: disk' });
    const [full] = (await asks(ACME, { telemetry }).list({ text: 'full' })).items;
    await expect(other.record({ id: full?.id ?? '' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(other.context({ id: full?.id ?? '' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await other.facets({})).services).toEqual([{ value: 'shop', count: 1 }]);
    expect((await other.histogram({})).total).toBe(1);
  });

  test('counts by level in steps of a round length', async () => {
    const window = { from: '2026-11-21T11:00:00Z', to: '2026-11-21T11:00:10Z', service: ['shop', 'pay', 'ship'] };
    const { step_ms, total, steps } = await asks(ACME, { telemetry }).histogram({ ...window, buckets: 10 });
    expect({ step_ms, total }).toEqual({ step_ms: 1000, total: 5 });
    expect(steps).toEqual([
      { at: '2026-11-21T11:00:01.000Z', counts: [0, 0, 0, 0, 0, 1, 0] },
      { at: '2026-11-21T11:00:02.000Z', counts: [0, 0, 0, 1, 0, 0, 0] },
      { at: '2026-11-21T11:00:03.000Z', counts: [0, 0, 0, 0, 1, 0, 0] },
      { at: '2026-11-21T11:00:04.000Z', counts: [0, 0, 1, 0, 0, 0, 0] },
      { at: '2026-11-21T11:00:05.000Z', counts: [0, 0, 0, 1, 0, 0, 0] },
    ]);
  });

  test('names the services and attributes of what matches', async () => {
    const { services, attributes } = await asks(ACME, { telemetry }).facets({ service: ['shop', 'pay', 'ship'] });
    expect(services).toEqual([
      { value: 'shop', count: 3 },
      { value: 'pay', count: 1 },
      { value: 'ship', count: 1 },
    ]);
    expect(attributes.map(({ key }) => key)).toEqual(['host', 'disk', 'http.route']);
    expect(attributes[0]?.values[0]).toEqual({ value: 'h1', count: 3 });
  });

  test('a tail begins now, gives what comes then, however late its time, and nothing for good twice', async () => {
    const caller = asks(ACME, { telemetry, nowMs: NOW - 3_540_000 });
    const start = await caller.tail({ service: ['tail'] });
    expect(start.items).toEqual([]);
    await writeLogs(store, ACME, [
      at(20, { service: 'tail', body: 'one', offset: 1000 }),
      at(8, { service: 'tail', body: 'late', offset: 1001 }),
      at(21, { service: 'not followed', body: 'no', offset: 1002 }),
    ]);
    const first = await caller.tail({ service: ['tail'], cursor: start.next_cursor });
    expect(first.items.map(({ body }) => body)).toEqual(['one', 'late']);
    // Of the same message, but in a block that became visible later.
    await writeLogs(store, ACME, [at(22, { service: 'tail', body: 'other block', offset: 1000, row: 5 })]);
    const second = await caller.tail({ service: ['tail'], cursor: first.next_cursor });
    expect(second.items.map(({ body }) => body)).toContain('other block');
    const third = await caller.tail({ service: ['tail'], cursor: second.next_cursor });
    expect(third).toMatchObject({ items: [], matched: 0 });
  });

  test('a flood in a tail is bounded, and counted', async () => {
    const caller = asks(ACME, { telemetry, nowMs: NOW - 3_540_000 });
    const { next_cursor } = await caller.tail({});
    await writeLogs(
      store,
      ACME,
      Array.from({ length: 2000 }, (_, i) => at(30, { service: 'flood', offset: 2000 + i })),
    );
    const page = await caller.tail({ service: ['flood'], cursor: next_cursor });
    expect(page.items).toHaveLength(400);
    expect(page.matched).toBe(2000);
  });

  test('context is of the same service and resource, in order', async () => {
    const caller = asks(ACME, { telemetry });
    const [record] = (await caller.list({ text: 'check' })).items;
    const context = await caller.context({ id: record?.id ?? '', before: 5, after: 5 });
    expect(context.record.body).toBe('Disk check passed');
    expect(context.before.map(({ body }) => body)).toEqual(['disk is full']);
    expect(context.after.map(({ body }) => body)).toEqual(['late night']);
  });

  test('words are found by their index, also those given by a parameter', async () => {
    const explain = `EXPLAIN indexes = 1 SELECT count() FROM logs WHERE tenant_id = {tenant:String} AND hasAllTokens(body, {tokens:Array(String)})`;
    const lines = await store.read<{ explain: string }>(ACME, explain, { tokens: ['disk'] });
    expect(lines.map((line) => line.explain).join('\n')).toMatch(/Name: by_word/);
  });
});
