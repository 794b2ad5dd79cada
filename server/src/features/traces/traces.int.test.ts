import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import type { ColumnStore, Telemetry } from '#telemetry';
import { openTestTelemetry } from '#test-telemetry';
import { type TestSpan, writeLines, writeSpans } from './test-spans.ts';
import { BASE, callerOf, idOf, MS, NOW, traceOf } from './test-traces.ts';

const ACME = parseTenantId('acme');
const OTHER = parseTenantId('other');
const BUY = 'b0'.repeat(16);
const LONE = 'f0'.repeat(16);
const NOBODY = '9'.repeat(32);

let telemetry: Telemetry;
let store: ColumnStore;

const asks = (tenant: TenantId) => callerOf(telemetry, tenant);
const span = ([n, parent]: [number, number], [from, to]: [number, number], more: Partial<TestSpan> = {}): TestSpan => ({
  trace: BUY,
  id: idOf(n),
  ...(parent > 0 && { parent: idOf(parent) }),
  at: BASE + BigInt(from) * MS,
  duration: (to - from) * 1e6,
  ...more,
});

const ODD = "tab\tquote'back\\slash\nline {x:String} é😀";

/** A purchase over three services with a failing call, and a hundred plain requests of growing length, a second apart. */
const BUYING: TestSpan[] = [
  span([1, 0], [0, 100], {
    name: 'POST /buy',
    service: 'web',
    kind: 2,
    route: '/buy',
    httpStatus: 200,
    attributes: { 'http.route': '/buy', 'user.tier': 'gold', count: '7', list: '["x",1]' },
    types: 'ssia',
    resource: { 'service.name': 'web', 'host.name': 'h1' },
  }),
  span([2, 1], [10, 90], { name: 'call stock', service: 'web', kind: 3 }),
  span([3, 2], [20, 80], {
    name: 'reserve',
    service: 'stock',
    kind: 2,
    status: 2,
    httpStatus: 503,
    events: [{ at: BASE + 30n * MS, name: 'exception', attributes: { 'exception.type': 'Timeout' } }],
    links: [{ trace: LONE, span: idOf(1) }],
    resource: { 'service.name': 'stock', 'host.name': 'h2' },
  }),
  span([4, 77], [50, 60], {
    name: 'SELECT',
    service: 'postgres',
    kind: 3,
    attributes: { 'db.query.text': 'SELECT 1', odd: ODD, rows: '1.5e3', note: 'Connection TIMED Out: É' },
  }),
];
const PLAIN = Array.from(
  { length: 100 },
  (_, i): TestSpan => ({
    trace: traceOf(i + 1),
    id: idOf(1),
    at: BASE - BigInt(i + 1) * 1000n * MS,
    duration: (i + 1) * 1e6,
    attributes: { n: String(i) },
  }),
);

describe('in the column store', () => {
  beforeAll(async () => {
    telemetry = await openTestTelemetry();
    store = telemetry.store;
    await writeSpans(store, ACME, [...BUYING, ...PLAIN]);
    await writeSpans(store, OTHER, [{ trace: LONE, id: idOf(1), at: BASE, duration: 5, service: 'theirs', name: 'theirs' }]);
    const line = (n: number) => ({ at: BASE + BigInt(n), trace: BUY, body: `line ${n}`, ...(n === 1 && { span: idOf(3) }) });
    await writeLines(store, ACME, [0, 1, 2].map(line));
  });
  afterAll(() => telemetry?.close());

  const found = async (filter: object): Promise<string[]> =>
    (await asks(ACME).list({ limit: 200, ...filter })).items.map(({ root, trace_id: id }) => (id === BUY ? root.name : id));

  describe('a list of traces', () => {
    test('tells of each trace its root, its services and its length', async () => {
      const { items } = await asks(ACME).list({ service: 'stock' });
      expect(items).toEqual([
        {
          trace_id: BUY,
          root: { service: 'web', name: 'POST /buy', seen: true, duration_ms: 100 },
          started_at: '2026-11-21T11:50:00.000Z',
          duration_ms: 100,
          spans: 4,
          errors: 1,
          services: expect.arrayContaining([
            { name: 'web', spans: 2 },
            { name: 'stock', spans: 1 },
          ]),
          service_count: 3,
        },
      ]);
    });

    test('by an attribute goes back through the whole window, newest first, page after page', async () => {
      const far = parseTenantId('far');
      const minutes = [1, 14, 16, 119, 121, 700, 2000];
      const at = (m: number): bigint => BigInt(NOW - m * 60_000) * MS;
      const long = minutes.map((m) => ({ trace: traceOf(m), id: idOf(m), at: at(m), duration: m, attributes: { size: 'xl' } }));
      const others = minutes.map((m) => ({
        trace: traceOf(m + 1),
        id: idOf(m),
        at: at(m),
        duration: 1,
        attributes: { size: 's' },
      }));
      await writeSpans(store, far, [...long, ...others]);
      const filter = { attribute: ['size=xl'], from: new Date(NOW - 3 * 86_400_000).toISOString(), limit: 3 };
      for (const verb of ['list', 'spans'] as const) {
        const pages: string[][] = [];
        for (let cursor: string | null | undefined; cursor !== null && pages.length < 5; ) {
          const page = await asks(far)[verb]({ ...filter, ...(cursor && { cursor }) });
          pages.push(page.items.map(({ trace_id: id }) => id));
          cursor = page.next_cursor;
        }
        expect(pages).toEqual([minutes.slice(0, 3), minutes.slice(3, 6), minutes.slice(6)].map((page) => page.map(traceOf)));
      }
    });

    test.each([
      ['its service', { service: ['stock', 'nobody'] }],
      ['its operation', { operation: 'call stock' }],
      ['its status', { status: 'error' }],
      ['its kind', { kind: ['client'] }],
      ['its length', { min_ms: 60, max_ms: 80, status: 'error' }],
      ['a column', { attribute: 'http.route=/buy' }],
      ['a column by its number', { attribute: 'http.response.status_code=503' }],
      ['a column that differs', { attribute: ['http.status_code', 'http.status_code!=200'] }],
      ['a column that is missing', { attribute: 'http.status_code!=200', operation: 'call stock' }],
      ['a value', { attribute: 'user.tier=gold' }],
      ['two values of one span', { attribute: ['user.tier=gold', 'host.name=h1'] }],
      ['its resource', { attribute: 'host.name=h2' }],
      ['another value of a key', { attribute: ['host.name', 'host.name!=h1'] }],
      ['a key that is missing, so has not the value', { attribute: 'user.tier!=gold', operation: 'call stock' }],
      ['a key', { attribute: 'db.query.text' }],
      ['a value of all kinds of characters', { attribute: `odd=${ODD}` }],
      ['a key that is missing', { attribute: '!n' }],
      ['a value after two signs', { attribute: 'user.tier==gold' }],
      ['a part of a value, whatever its case', { attribute: 'note~timed out' }],
      ['a part that ASCII does not have', { attribute: 'note~: é' }],
      ['a part of its resource', { attribute: ['host.name~2', 'host.name~H'] }],
      ['a part of a column', { attribute: 'http.route~UY' }],
      ['a part of the number of a column', { attribute: 'http.status_code~50' }],
      ['a number above another', { attribute: ['rows>1499.5', 'rows<1501'] }],
      ['a number as small and as large', { attribute: ['rows>=1500', 'rows<=1500'] }],
      ['the number of a column', { attribute: 'http.status_code>=500' }],
      ['the number of a column that is small', { attribute: 'http.status_code<500' }],
    ])('is found by %s', async (_what, filter) => {
      expect(await found(filter)).toEqual(['POST /buy']);
    });

    test.each([
      ['values of two spans', { attribute: ['user.tier=gold', 'host.name=h2'] }],
      ['another tenant', { service: 'theirs' }],
      ['a window that is over', { from: '2026-11-21T10:00:00Z', to: '2026-11-21T11:00:00Z' }],
      ['a value that is left out', { attribute: 'user.tier!=gold', operation: 'POST /buy' }],
      ['a column whose value is left out', { attribute: 'http.status_code!=200', operation: 'POST /buy' }],
      ['a value with quotes', { attribute: "user.tier=gold' OR '1'='1" }],
      ['a status that is no number', { attribute: 'http.status_code=abc' }],
      ['a comparison with text that is no number', { attribute: 'user.tier>0' }],
      ['a number that is not above itself', { attribute: 'rows>1500' }],
      ['a column of text that is no number', { attribute: 'http.route>0' }],
      ['no status at all, which is below none', { attribute: 'http.status_code<600', operation: 'call stock' }],
      ['a part with the signs of a pattern', { attribute: 'note~t%d' }],
      ['a part with quotes', { attribute: "note~x') OR 1=1 --" }],
      ['a key with SQL in it', { attribute: "x'] = '' OR 1=1 --=y" }],
    ])('is empty for %s', async (_what, filter) => {
      expect(await found(filter)).toEqual([]);
    });

    test.each(['time', 'duration'] as const)(
      'gives every trace once over its pages by %s, also while others come in between',
      async (sort) => {
        const tenant = parseTenantId(`pages-${sort}`);
        await writeSpans(store, tenant, PLAIN);
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const page: Awaited<ReturnType<ReturnType<typeof asks>['list']>> = await asks(tenant).list({
            sort,
            limit: 30,
            ...(cursor && { cursor }),
          });
          seen.push(...page.items.map(({ trace_id: id }) => id));
          cursor = page.next_cursor;
          // Before the place reached, so that a list by numbers would shift, and behind it of a trace that was shown.
          if (seen.length === 30)
            await writeSpans(store, tenant, [
              { trace: traceOf(5000), id: idOf(1), at: BASE + 1000n * MS, duration: 900e6 },
              { trace: seen[0] ?? '', id: idOf(2), at: BASE - 90_500n * MS, duration: 3 },
            ]);
        } while (cursor !== null);
        expect([seen.length, new Set(seen).size]).toEqual([100, 100]);
        expect(seen[0]).toBe(traceOf(sort === 'time' ? 1 : 100));
      },
    );

    test('falls by start and by length as its rows tell them, whichever span matched', async () => {
      const tenant = parseTenantId('order');
      const [long, short] = [traceOf(7001), traceOf(7002)];
      await writeSpans(store, tenant, [
        { trace: long, id: idOf(1), at: BASE, duration: 9000e6 },
        { trace: long, id: idOf(2), parent: idOf(1), at: BASE + 8000n * MS, duration: 1e6, service: 'late' },
        { trace: short, id: idOf(1), at: BASE + 5000n * MS, duration: 20e6 },
        { trace: short, id: idOf(2), parent: idOf(1), at: BASE + 5001n * MS, duration: 10e6, service: 'late' },
      ]);
      for (const filter of [{}, { service: 'late' }]) {
        const idsBy = async (sort: 'time' | 'duration') =>
          (await asks(tenant).list({ sort, ...filter })).items.map(({ trace_id: id }) => id);
        expect(await idsBy('time')).toEqual([short, long]);
        expect(await idsBy('duration')).toEqual([long, short]);
      }
    });

    test('holds a thousand at most, each once', async () => {
      const tenant = parseTenantId('many');
      const spans = Array.from({ length: 1500 }, (_, i) => ({
        trace: traceOf(i + 1),
        id: idOf(1),
        at: BASE - BigInt(i) * MS,
        duration: 1,
      }));
      await writeSpans(store, tenant, spans);
      const first = await asks(tenant).list({ limit: 1000 });
      const rest = await asks(tenant).list({ limit: 1000, cursor: first.next_cursor ?? '' });
      expect([first, rest].map(({ items }) => items.length)).toEqual([1000, 500]);
      expect(new Set([...first.items, ...rest.items].map(({ trace_id: id }) => id)).size).toBe(1500);
      expect(rest.next_cursor).toBeNull();
    });

    test('refuses what cannot be answered', async () => {
      const refused = { code: 'BAD_REQUEST' };
      await expect(asks(ACME).list({ cursor: 'bm90IG91cnM' })).rejects.toMatchObject(refused);
      for (const attribute of ['=', 'k>fast', 'k~', 'k=~(a+)+$'])
        await expect(asks(ACME).list({ attribute })).rejects.toMatchObject(refused);
      await expect(asks(ACME).list({ from: '2026-11-21T12:00:00Z', to: '2026-11-21T11:00:00Z' })).rejects.toMatchObject(refused);
      await expect(asks(ACME).list({ from: '2026-01-01T00:00:00Z' })).rejects.toMatchObject(refused);
      await expect(asks(ACME).list({ limit: 1001 })).rejects.toMatchObject(refused);
    });
  });

  test('spans come longest first with their pages', async () => {
    const first = await asks(ACME).spans({ sort: 'duration', limit: 2, service: 'web' });
    expect(first.items.map(({ name, duration_ms: ms, kind }) => [name, ms, kind])).toEqual([
      ['POST /buy', 100, 'server'],
      ['call stock', 80, 'client'],
    ]);
    expect(first.next_cursor).toBeNull();
    const one = await asks(ACME).spans({ limit: 1, service: 'web' });
    const two = await asks(ACME).spans({ limit: 1, service: 'web', cursor: one.next_cursor ?? '' });
    expect([...one.items, ...two.items].map(({ name }) => name)).toEqual(['call stock', 'POST /buy']);
  });

  test('spans of the same start and length are each on one page', async () => {
    const tenant = parseTenantId('equals');
    const equal = Array.from({ length: 7 }, (_, i) => ({
      trace: traceOf(8000 + (i >> 1)),
      id: idOf(i + 1),
      at: BASE,
      duration: 5,
    }));
    await writeSpans(store, tenant, [
      ...equal.slice(4),
      ...equal.slice(0, 4),
      { trace: LONE, id: idOf(9), at: BASE, duration: 9 },
    ]);
    for (const sort of ['time', 'duration'] as const) {
      const seen: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await asks(tenant).spans({ sort, limit: 3, ...(cursor && { cursor }) });
        seen.push(...page.items.map((item) => `${item.trace_id}${item.span_id}`));
        cursor = page.next_cursor;
      }
      const [first, ...rest] = sort === 'duration' ? seen : [`${LONE}`, ...seen.filter((id) => !id.startsWith(LONE))];
      expect(first).toContain(LONE);
      expect(rest).toEqual(equal.map(({ trace, id }) => `${trace}${id}`).toReversed());
    }
  });

  describe('what there is', () => {
    test('points over time keep what failed, with figures over all', async () => {
      const all = await asks(ACME).scatter({ to: '2026-11-21T11:50:00.500Z' });
      expect(all).toMatchObject({ of: 'roots', total: 101, errors: 0 });
      expect(all.points).toHaveLength(101);
      const failed = await asks(ACME).scatter({ service: 'stock' });
      expect(failed).toMatchObject({ of: 'spans', total: 1, errors: 1, p50_ms: 60 });
      expect(failed.points).toEqual([
        { trace_id: BUY, span_id: idOf(3), at: NOW - 600_000 + 20, ms: 60, error: true, service: 'stock', name: 'reserve' },
      ]);
      expect(await asks(ACME).scatter({ service: 'nobody' })).toMatchObject({ total: 0, p50_ms: null, points: [] });
    });

    test('services, operations and keys to filter by', async () => {
      const facets = await asks(ACME).facets({ service: 'stock' });
      expect(facets.services.map(({ name }) => name).sort()).toEqual(['postgres', 'shop', 'stock', 'web']);
      expect(facets.operations).toEqual([{ service: 'stock', name: 'reserve', spans: 1, errors: 1, p95_ms: 60 }]);
      expect(facets).toMatchObject({ attributes: [{ key: 'host.name', spans: 1 }], sampled: 1, any: true });
      expect((await asks(ACME).values({ key: 'host.name' })).values).toEqual([
        { value: 'h1', spans: 1 },
        { value: 'h2', spans: 1 },
      ]);
      expect(await asks(parseTenantId('empty')).facets({})).toEqual({
        services: [],
        operations: [],
        attributes: [],
        sampled: 0,
        any: false,
      });
    });
  });

  describe('one trace', () => {
    test('is a tree with own times, the critical path and what is missing', async () => {
      await writeSpans(store, ACME, BUYING.slice(0, 1));
      const trace = await asks(ACME).get({ id: BUY.toUpperCase() });
      expect(trace).toMatchObject({
        trace_id: BUY,
        start_unix_nano: String(BASE),
        duration_ns: 100e6,
        root: { service: 'web', name: 'POST /buy', seen: true },
        errors: 1,
        wire_ns: 20e6,
        missing_parents: 1,
        skews: [],
      });
      expect(trace.services.map(({ name, critical_ns: ns }) => [name, ns])).toEqual([
        ['stock', 60e6],
        ['web', 20e6],
        ['postgres', 0],
      ]);
      const shape = trace.spans
        .filter(({ service }) => service !== 'shop')
        .map(({ name, depth, parent_missing: missing, own_ns: own, code, critical }) => [
          name,
          depth,
          missing,
          own,
          code,
          critical,
        ]);
      expect(shape).toEqual([
        ['POST /buy', 0, false, 20e6, '200', [0, 10e6, 90e6, 100e6]],
        ['call stock', 1, false, 20e6, '', [10e6, 20e6, 80e6, 90e6]],
        ['reserve', 2, false, 60e6, '503', [20e6, 80e6]],
        ['SELECT', 0, true, 10e6, '', []],
      ]);
    });

    test('gives a span with all that was sent, and its logs', async () => {
      expect(await asks(ACME).span({ id: BUY, span: idOf(3) })).toMatchObject({
        resource: [
          { key: 'service.name', value: 'stock', type: 's' },
          { key: 'host.name', value: 'h2', type: 's' },
        ],
        events: [
          { at: '2026-11-21T11:50:00.030Z', name: 'exception', attributes: [{ key: 'exception.type', value: 'Timeout' }] },
        ],
        links: [{ trace_id: LONE, span_id: idOf(1), attributes: [] }],
      });
      expect((await asks(ACME).logs({ id: BUY })).items.map(({ body }) => body)).toEqual(['line 0', 'line 1', 'line 2']);
      expect(await asks(ACME).logs({ id: BUY, span: idOf(3) })).toMatchObject({
        items: [{ body: 'line 1', severity: 13 }],
        more: false,
      });
      expect(await asks(ACME).logs({ id: BUY, limit: 1 })).toMatchObject({ items: [{ body: 'line 0' }], more: true });
    });

    test('goes out as the OTLP JSON it came as', async () => {
      const out = JSON.parse(await asks(ACME).otlp({ id: BUY }));
      const spans = out.resourceSpans.flatMap((of: { scopeSpans: { spans: unknown[] }[] }) => of.scopeSpans[0]?.spans);
      expect(spans[0]).toEqual({
        traceId: BUY,
        spanId: idOf(1),
        name: 'POST /buy',
        kind: 2,
        startTimeUnixNano: String(BASE),
        endTimeUnixNano: String(BASE + 100n * MS),
        attributes: [
          { key: 'http.route', value: { stringValue: '/buy' } },
          { key: 'user.tier', value: { stringValue: 'gold' } },
          { key: 'count', value: { intValue: '7' } },
          { key: 'list', value: { arrayValue: { values: [{ stringValue: 'x' }, { intValue: '1' }] } } },
        ],
        status: {},
      });
    });

    test('is unknown to another tenant in every way', async () => {
      const unknown = { code: 'NOT_FOUND' };
      await expect(asks(OTHER).get({ id: BUY })).rejects.toMatchObject(unknown);
      await expect(asks(OTHER).span({ id: BUY, span: idOf(3) })).rejects.toMatchObject(unknown);
      await expect(asks(OTHER).otlp({ id: BUY })).rejects.toMatchObject(unknown);
      expect(await asks(OTHER).logs({ id: BUY })).toEqual({ items: [], more: false });
      await expect(asks(ACME).get({ id: NOBODY })).rejects.toMatchObject(unknown);
      await expect(asks(ACME).get({ id: '0'.repeat(32) })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    });

    test('of more than ten thousand spans gives the earliest and says how many there are', async () => {
      const id = 'aa'.repeat(16);
      const many = (_: unknown, i: number): TestSpan => ({
        trace: id,
        id: idOf(i + 1),
        at: BASE + BigInt(i),
        duration: 5,
        name: 'many',
        service: 'many',
        status: i === 10_049 ? 2 : 0,
      });
      await writeSpans(store, ACME, Array.from({ length: 10_050 }, many));
      const trace = await asks(ACME).get({ id });
      expect([trace.span_count, trace.spans.length, trace.errors]).toEqual([10_050, 10_000, 1]);
      await expect(asks(ACME).otlp({ id })).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
      // One trace of very many spans hides no other.
      expect(await found({ service: ['many', 'stock'] })).toEqual(['POST /buy', id]);
    });
  });
});
