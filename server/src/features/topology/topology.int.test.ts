import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClickHouseServer, clickHouseUnavailable, startClickHouse } from '@svc/testkit/clickhouse';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCallerFactory } from '#api';
import { parseTenantId, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import { type ColumnStore, openTelemetry, type Telemetry } from '#telemetry';
import type { TopologyDeps } from './context.ts';
import { ANSWERS, MINUTES, stretchParams } from './edge-sql.ts';
import { createTopology } from './index.ts';
import { type TestSpan, writeFlows, writeSpans } from './test-rows.ts';

const OTHER = parseTenantId('other');
const OTHER_OF_BOUND = parseTenantId('other-of-bound');
const MINUTE = 60_000;
/** The clock of marks is the store's own, so the test lives now. */
const BASE = Math.floor(Date.now() / MINUTE) * MINUTE - 10 * MINUTE;
const log = pino({ level: 'silent' });

let folder: string;
let telemetry: Telemetry;
let store: ColumnStore;
let tenant: TenantId;
let tenants = 0;

const unavailable = clickHouseUnavailable();
if (unavailable) process.stderr.write(`SKIPPED: ${unavailable}\n`);
const PLACES = ['chDB', ...(unavailable ? [] : ['a ClickHouse server'])];

describe.each(PLACES)('on %s', (place) => {
  let server: ClickHouseServer | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-topology-'));
    const migrationsDir = fileURLToPath(new URL('../../../../clickhouse/migrations', import.meta.url));
    server = place === 'a ClickHouse server' ? await startClickHouse() : undefined;
    telemetry = await openTelemetry({ dataDir: folder, ...(server && { url: server.url }), migrationsDir, log });
    store = telemetry.store;
  });
  afterAll(async () => {
    await telemetry?.close();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    tenant = parseTenantId(`t${tenants++}`);
  });

  /** A slice whose clock is `aheadMs` off; rounds are driven by hand. */
  function open(aheadMs = 0, bound: Partial<TopologyDeps> = {}) {
    const clock = { now: () => Date.now() + aheadMs };
    return createTopology({ telemetry, relational: undefined as unknown as Relational, clock, log, ...bound });
  }
  const SETTLED = 60_000;

  /** Computes what is due. */
  async function settle(aheadMs = SETTLED): Promise<void> {
    expect(await open(aheadMs).compute(tenant)).toBeGreaterThan(0);
  }

  async function readMap(who = tenant, window = { from: BASE - MINUTE, to: BASE + 5 * MINUTE }, slice = open()) {
    const caller = createCallerFactory(slice.procedures)({
      requestId: 'test',
      ctx: {
        requestId: 'test',
        principal: { kind: 'account', id: 'a', tenant: who, permissions: new Set(['otlp.read' as const]) },
      },
    });
    return await caller.map({ from: new Date(window.from).toISOString(), to: new Date(window.to).toISOString() });
  }
  const edgesOf = async () =>
    (await readMap()).edges
      .map(({ source, target, kind, calls, errors }) => `${source} -${kind}-> ${target} ${calls}/${errors}`)
      .sort();

  /** One request: web calls orders, which asks its database and tells a queue that notify reads. */
  const request = (n: number, atMs = BASE + n * 100): TestSpan[] => [
    { trace: `t${n}`, id: 'root', service: 'web', kind: 'server', atMs, durationMs: 100 },
    {
      trace: `t${n}`,
      id: 'call',
      parent: 'root',
      service: 'web',
      kind: 'client',
      atMs: atMs + 1,
      durationMs: 90,
      peer: 'orders:8080',
    },
    {
      trace: `t${n}`,
      id: 'order',
      parent: 'call',
      service: 'orders',
      kind: 'server',
      atMs: atMs + 2,
      durationMs: 80,
      error: n % 10 === 0,
    },
    {
      trace: `t${n}`,
      id: 'sql',
      parent: 'order',
      service: 'orders',
      kind: 'client',
      atMs: atMs + 3,
      durationMs: 5,
      peer: 'pg:5432',
      database: 'postgresql',
    },
    {
      trace: `t${n}`,
      id: 'send',
      parent: 'order',
      service: 'orders',
      kind: 'producer',
      atMs: atMs + 4,
      durationMs: 1,
      peer: 'booked',
    },
    { trace: `t${n}`, id: 'take', parent: 'send', service: 'notify', kind: 'consumer', atMs: atMs + 50, durationMs: 20 },
  ];
  const many = (count: number): TestSpan[] => Array.from({ length: count }, (_, n) => request(n)).flat();

  const SHOP = [
    'service:orders -database-> database:pg:5432 20/0',
    'service:orders -message-> service:notify 20/0',
    'service:web -call-> service:orders 20/2',
  ];

  test('finds who called whom, how often, how long and with which errors', async () => {
    await writeSpans(store, tenant, many(20));
    await settle();
    expect(await edgesOf()).toEqual(SHOP);
    const map = await readMap(tenant, { from: BASE, to: BASE + MINUTE });
    expect(map.nodes.find(({ id }) => id === 'service:web')).toMatchObject({ calls: 20, rate: 20 / 60 });
    const call = map.edges.find(({ kind }) => kind === 'call');
    expect(call?.error_ratio).toBe(0.1);
    expect(Math.abs((call?.p95_ms ?? 0) - 80)).toBeLessThan(5);
    expect(map.gaps.map(({ code }) => code)).toEqual(['no_flows']);
    expect(await open(SETTLED).compute(tenant)).toBe(0);
  });

  test('a span that its sender sent again counts once', async () => {
    for (let again = 0; again < 3; again++) await writeSpans(store, tenant, many(20));
    await settle();
    expect(await edgesOf()).toEqual(SHOP);
  });

  test('another tenant sees nothing of it', async () => {
    await writeSpans(store, tenant, many(3));
    await settle();
    await open(SETTLED).compute(OTHER);
    expect(await readMap(OTHER)).toMatchObject({
      nodes: [],
      edges: [],
      spans: 0,
      computed_to: null,
      gaps: [{ code: 'no_spans' }, { code: 'no_flows' }],
    });
  });

  test('a server span that comes late takes the place of what its caller said', async () => {
    const spans = many(20);
    const late = spans.filter(({ service }) => service === 'orders');
    await writeSpans(
      store,
      tenant,
      spans.filter(({ service }) => service !== 'orders'),
    );
    await settle();
    expect(await edgesOf()).toEqual(['service:web -host-> host:orders:8080 20/0']);
    expect((await readMap()).gaps).toContainEqual({ code: 'unseen_callers', count: 20, total: 40, names: [] });
    await writeSpans(store, tenant, late);
    await settle();
    expect(await edgesOf()).toEqual(SHOP);
  });

  test('a caller that lasts minutes and comes at its end is found by what it called', async () => {
    const job: TestSpan = { trace: 'job', id: 'run', service: 'batch', kind: 'client', atMs: BASE, durationMs: 3 * MINUTE };
    await writeSpans(store, tenant, [
      { trace: 'job', id: 'step', parent: 'run', service: 'orders', kind: 'server', atMs: BASE + 2 * MINUTE },
    ]);
    await settle();
    expect(await edgesOf()).toEqual([]);
    await writeSpans(store, tenant, [job]);
    await settle();
    expect(await edgesOf()).toEqual(['service:batch -call-> service:orders 1/0']);
  });

  test('is right where several compute in the same millisecond', async () => {
    await writeSpans(store, tenant, many(20));
    const at = Date.now() + SETTLED;
    const compute = () => open(0, { clock: { now: () => at } }).compute(tenant);
    await Promise.all([compute(), compute(), compute()]);
    expect(await edgesOf()).toEqual(SHOP);
  });

  test('is right however often and by however many it is computed, and after a clock went back', async () => {
    await writeSpans(store, tenant, many(20));
    await Promise.all([open(SETTLED).compute(tenant), open(SETTLED).compute(tenant)]);
    expect(await edgesOf()).toEqual(SHOP);
    await writeSpans(store, tenant, request(20));
    await settle(2 * SETTLED);
    await writeSpans(store, tenant, request(21));
    await settle(SETTLED - 5_000);
    expect((await edgesOf())[2]).toBe('service:web -call-> service:orders 22/3');
  });

  test('computes a minute once it is over, and again until its rows are surely there', async () => {
    await writeSpans(store, tenant, [...request(0), ...request(1, Date.now())]);
    expect((await readMap()).gaps).toContainEqual({ code: 'behind', count: 2, total: null, names: [] });
    expect(await open().compute(tenant)).toBeGreaterThan(0);
    const once = await readMap();
    expect(once.edges).toHaveLength(3);
    expect(await readMap(tenant, { from: Date.now() - MINUTE, to: Date.now() + MINUTE })).toMatchObject({ edges: [] });
    expect(await open(SETTLED).compute(tenant)).toBeGreaterThan(0);
  });

  test('a message that many were sent for counts for each that it links to', async () => {
    await writeSpans(store, tenant, [
      { trace: 'batch', id: 'm1', service: 'a', kind: 'producer', atMs: BASE, peer: 'topic' },
      { trace: 'batch', id: 'm2', service: 'b', kind: 'producer', atMs: BASE, peer: 'topic' },
      { trace: 'batch', id: 'take', service: 'reader', kind: 'consumer', atMs: BASE + 5000, links: ['m1', 'm2'] },
      { trace: 'batch', id: 'm3', service: 'b', kind: 'producer', atMs: BASE, peer: 'nobody reads' },
    ]);
    await settle();
    expect(await edgesOf()).toEqual([
      'service:a -message-> service:reader 1/0',
      'service:b -message-> service:reader 1/0',
      'service:b -queue-> queue:nobody reads 1/0',
    ]);
  });

  test('says what it cannot see', async () => {
    await writeSpans(store, tenant, [
      { trace: 'x', id: 'in', parent: 'gone', service: 'web', kind: 'server', atMs: BASE, traceState: 'ot=th:8' },
      { trace: 'x', id: 'out', parent: 'in', service: 'web', kind: 'client', atMs: BASE },
      { trace: 'y', id: 'tick', service: 'cron', kind: 'internal', atMs: BASE },
    ]);
    await settle();
    expect((await readMap()).gaps).toEqual([
      { code: 'no_flows', count: null, total: null, names: [] },
      { code: 'unseen_callers', count: 1, total: 1, names: [] },
      { code: 'nameless_callees', count: 1, total: 1, names: [] },
      { code: 'no_server_spans', count: 1, total: null, names: ['cron'] },
      { code: 'sampled', count: 1, total: 3, names: [] },
    ]);
  });

  test("reads OBI's flows: what counters grew by, restarts included, and one flow told by both ends once", async () => {
    const at = (seconds: number): number => BASE + seconds * 1000;
    await writeSpans(store, tenant, request(1));
    const points = [
      [at(-30), 1000],
      [at(10), 1600],
      [at(40), 100],
    ] as const;
    await writeFlows(store, tenant, [
      { from: 'web', to: 'orders', points },
      { from: 'web', to: 'orders', direction: 'ingress', points },
      {
        from: 'etcd',
        to: 'backup',
        points: [
          [at(10), 5],
          [at(30), 12],
        ],
      },
    ]);
    await settle();
    const { edges, gaps } = await readMap();
    expect(edges.find(({ target }) => target === 'service:orders')).toMatchObject({ kind: 'call', bytes: 700 });
    expect(edges.find(({ kind }) => kind === 'flow')).toMatchObject({ source: 'host:etcd', target: 'host:backup', bytes: 7 });
    expect(gaps.map(({ code }) => code)).not.toContain('no_flows');
  });

  test.each([
    ['says so', { direction: 'request' }, { direction: 'response' }],
    [
      'names the port of the server',
      { 'dst.port': '40000', 'server.port': '40000' },
      { 'src.port': '40000', 'server.port': '40000' },
    ],
    [
      'names the port of the client',
      { 'src.port': '50001', 'client.port': '50001' },
      { 'dst.port': '50001', 'client.port': '50001' },
    ],
    ['gives both ports', { 'src.port': '50001', 'dst.port': '9092' }, { 'src.port': '9092', 'dst.port': '50001' }],
    ['gives the port it goes to', { 'dst.port': '9092' }, { 'dst.port': '50001' }],
    ['gives the port it comes from', { 'src.port': '50001' }, { 'src.port': '9092' }],
  ])('counts a reply on the edge of who asked, where OBI %s', async (...[, asked, answered]) => {
    const grown = (bytes: number) => [[BASE - 30_000, 1] as const, [BASE + 10_000, 1 + bytes] as const];
    await writeFlows(store, tenant, [
      { from: 'notify', to: 'kafka', points: grown(100), labels: asked },
      { from: 'kafka', to: 'notify', points: grown(900), labels: answered },
      // The same bytes once more, as seen where they come in.
      { from: 'kafka', to: 'notify', points: grown(900), direction: 'ingress', labels: answered },
    ]);
    await settle();
    const { nodes, edges } = await readMap();
    expect(edges).toMatchObject([{ source: 'host:notify', target: 'host:kafka', kind: 'flow', bytes: 1000 }]);
    expect(nodes.find(({ name }) => name === 'kafka')).toMatchObject({ bytes_in: 100, bytes_out: 900 });
  });

  test('adds up what two ends that ask each other send', async () => {
    const points = [[BASE - 30_000, 1] as const, [BASE + 10_000, 101] as const];
    await writeFlows(store, tenant, [
      { from: 'a', to: 'b', points, labels: { direction: 'request' } },
      { from: 'a', to: 'b', points, labels: { direction: 'response' } },
    ]);
    await settle();
    expect((await readMap()).nodes.find(({ name }) => name === 'a')).toMatchObject({ bytes_out: 200 });
  });

  test('of too many spans it counts whole traces, as many times as it left others out', async () => {
    await writeSpans(store, tenant, many(600));
    const params = stretchParams({ minutes: [BASE / MINUTE], version: 1, oneIn: 4, maxEdges: 100 });
    for (const sql of [ANSWERS, MINUTES]) await store.derive(tenant, sql, params);
    const { edges, gaps } = await readMap(tenant, { from: BASE, to: BASE + MINUTE });
    const [call, message] = ['call', 'message'].map((kind) => edges.find((edge) => edge.kind === kind)?.calls ?? 0);
    expect(call).toBe(message);
    expect(Math.abs((call ?? 0) - 600)).toBeLessThan(200);
    expect(gaps).toContainEqual({ code: 'thinned', count: 4, total: null, names: [] });
  });

  test('of ten times the connections that a minute keeps, the busiest keep their names and the others are counted together', async () => {
    const beyond: number[] = [];
    const bound = {
      maxEdges: 5,
      noteConnections: (of: TenantId, { folded }: { folded: number }) => void (of === tenant && beyond.push(folded)),
    };
    const call = (n: number, service: string, peer: string): TestSpan => ({
      ...{ trace: `x${n}`, id: `c${n}`, service, kind: 'client', atMs: BASE + n, peer },
    });
    const busy = Array.from({ length: 40 }, (_, i) => call(i, 'web', `db-${i % 4}`));
    const scattered = Array.from({ length: 50 }, (_, i) => call(100 + i, 'web', `invented-${i}`));
    const sources = Array.from({ length: 50 }, (_, i) => call(200 + i, `made-${i}`, 'db-0'));
    await writeSpans(store, tenant, [...busy, ...scattered, ...sources]);
    await writeSpans(store, OTHER_OF_BOUND, [call(1, 'web', 'quiet')]);
    const slice = open(SETTLED, bound);
    for (const one of [tenant, OTHER_OF_BOUND]) await slice.compute(one);
    const window = { from: BASE, to: BASE + MINUTE };
    const { edges, gaps } = await readMap(tenant, window, slice);
    for (let i = 0; i < 4; i++)
      expect(edges).toContainEqual(expect.objectContaining({ source: 'service:web', target: `host:db-${i}`, calls: 10 }));
    expect(edges.length).toBeLessThanOrEqual(11);
    // What the others do among themselves is no edge; the gap counts it.
    expect(edges.reduce((sum, { calls }) => sum + calls, 0)).toBe(95);
    expect(gaps).toContainEqual(expect.objectContaining({ code: 'folded', count: 99 }));
    expect((await readMap(OTHER_OF_BOUND, window, slice)).edges).toHaveLength(1);
    expect(beyond).toEqual([99]);
  });
});
