import type { EvidenceQuestion } from '@svc/contracts/causes/facts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import type { Telemetry } from '#telemetry';
import { openTestTelemetry } from '#test-telemetry';
import { findMapEvidence } from './evidence.ts';
import { createClickhouseReader } from './reader-clickhouse.ts';
import { readSeenServices } from './seen-peers.ts';

const MINUTE = 60_000;
const NOW = Math.floor(Date.now() / MINUTE) * MINUTE;
const SINCE = NOW / MINUTE - 20;

let telemetry: Telemetry;
beforeAll(async () => {
  telemetry = await openTestTelemetry();
});
afterAll(async () => await telemetry?.close());

interface Edge {
  source: string;
  target: string;
  kind?: string;
  minute: number;
  calls: number;
  errors?: number;
  ms?: number;
}

const WRITE = `INSERT INTO edges (tenant_id, minute, source, target, kind, calls, errors, duration_ns, durations, version)
  SELECT {tenant:String}, z.1, z.2, z.3, z.4, z.5, z.6, z.5 * z.7 * 1e6, map(toUInt16(floor(8 * log2(z.7 * 1e6))), toUInt64(z.5)), 1
  FROM (SELECT arrayJoin(arrayZip({minutes:Array(UInt32)}, {sources:Array(String)}, {targets:Array(String)}, {kinds:Array(String)},
    {calls:Array(UInt32)}, {errors:Array(UInt32)}, {ms:Array(Float64)})) AS z)`;

async function write(name: string, edges: readonly Edge[]) {
  const tenant = parseTenantId(name);
  const of = <V>(value: (edge: Edge) => V): V[] => edges.map(value);
  await telemetry.store.derive(tenant, WRITE, {
    ...{ minutes: of(({ minute }) => minute), sources: of(({ source }) => source), targets: of(({ target }) => target) },
    ...{ kinds: of(({ kind = 'call' }) => kind), calls: of(({ calls }) => calls), errors: of(({ errors = 0 }) => errors) },
    ms: of(({ ms = 20 }) => ms),
  });
  const minutes = [...new Set(edges.map(({ minute }) => minute))];
  await telemetry.store.derive(
    tenant,
    'INSERT INTO edge_minutes (tenant_id, minute, spans, version) SELECT {tenant:String}, arrayJoin({minutes:Array(UInt32)}), 1, 1',
    { minutes },
  );
  return tenant;
}

const question = (more: Partial<EvidenceQuestion> = {}): EvidenceQuestion => ({
  ...{ target: 'shop', prefix: null, site: null, testIds: [], services: [] },
  ...{ fromMs: (SINCE - 120) * MINUTE, sinceMs: SINCE * MINUTE, toMs: NOW },
  ...more,
});

/** Two hours as usual, then what is given from a minute on. */
const story = (usual: Omit<Edge, 'minute'>, worse: Partial<Edge> & { from: number }): Edge[] =>
  Array.from({ length: 140 }, (_, n) => {
    const minute = SINCE - 120 + n;
    const { from, ...change } = worse;
    return { ...usual, minute, ...(minute >= from ? change : {}) };
  });

test('tells what is asked, what that calls against its usual, and since when it is worse', async () => {
  const tenant = await write('map-evidence', [
    ...story({ source: '', target: 'shop', kind: 'entry', calls: 60 }, { from: SINCE, errors: 20 }),
    ...story({ source: 'shop', target: 'payments', calls: 30 }, { from: SINCE - 3, errors: 15 }),
    ...story({ source: 'payments', target: 'orders-db', kind: 'database', calls: 30 }, { from: SINCE - 4, ms: 900 }),
    ...story({ source: 'shop', target: 'mail', calls: 30 }, { from: SINCE }),
    ...story({ source: 'news', target: 'press', calls: 30 }, { from: SINCE, errors: 30 }),
  ]);
  const deps = { store: telemetry.store, reader: createClickhouseReader(telemetry.store) };
  const { facts, services } = await findMapEvidence(deps, tenant, question());
  expect(facts.find(({ kind }) => kind === 'service')).toMatchObject({
    service: 'shop',
    isAsked: true,
    usualErrorRatio: 0,
    usualCallsPerMinute: 60,
  });
  const edges = facts.filter((fact) => fact.kind === 'edge');
  expect(edges.map(({ source, target }) => `${source} ${target}`)).toEqual(['shop payments', 'payments orders-db', 'shop mail']);
  expect(edges.map(({ atMs }) => atMs / MINUTE - SINCE)).toEqual([-3, -4, 0]);
  expect(edges[1]).toMatchObject({ edgeKind: 'database', usualErrorRatio: 0 });
  expect((edges[1]?.p95Ms ?? 0) / (edges[1]?.usualP95Ms ?? 1)).toBeGreaterThan(30);
  expect(services.toSorted()).toEqual(['mail', 'payments', 'shop']);
  // Another tenant has no such service.
  expect(await findMapEvidence(deps, parseTenantId('map-others'), question())).toMatchObject({ facts: [], services: [] });
});

test('names who answers for a host before its minute is on the map', async () => {
  const tenant = parseTenantId('map-young');
  const span = `INSERT INTO spans (tenant_id, ts, duration_ns, trace_id, span_id, name, kind, service, attributes)
    SELECT {tenant:String}, fromUnixTimestamp64Milli({at:Int64}), 1000000, unhex(repeat('ab', 16)), unhex(repeat('cd', 8)), 'GET /', 2,
      {service:String}, map('server.address', 'shop.example')`;
  await telemetry.store.derive(tenant, span, { at: SINCE * MINUTE + 1000, service: 'shop-front' });
  const deps = { store: telemetry.store, reader: createClickhouseReader(telemetry.store) };
  const found = await findMapEvidence(deps, tenant, question({ target: 'shop.example:443' }));
  expect(found).toMatchObject({ services: ['shop-front'], facts: [], notMeasured: [expect.stringMatching(/not computed yet/)] });
  const seen = { service: 'shop-front', host: 'shop.example', port: 0, scheme: '', calls: 1, errors: 0 };
  expect(await readSeenServices(telemetry.store, tenant, SINCE * MINUTE)).toEqual([seen]);
  expect(await readSeenServices(telemetry.store, tenant, SINCE * MINUTE + 2000)).toEqual([]);
  expect(await readSeenServices(telemetry.store, parseTenantId('map-others'), SINCE * MINUTE)).toEqual([]);
});

test('what is usual of a tenant that has just begun to send is of the minutes that are known', async () => {
  const all = story({ source: '', target: 'shop', kind: 'entry', calls: 60 }, { from: SINCE });
  const tenant = await write(
    'map-begun',
    all.filter(({ minute }) => minute >= SINCE - 30),
  );
  const deps = { store: telemetry.store, reader: createClickhouseReader(telemetry.store) };
  const { facts } = await findMapEvidence(deps, tenant, question());
  expect(facts).toMatchObject([{ kind: 'service', service: 'shop', usualCallsPerMinute: 60, callsPerMinute: 60 }]);
});

test('a call that failed or took long in a quiet minute before it is not when it began', async () => {
  const at = (edges: Edge[], minute: number, change: Partial<Edge>): Edge[] =>
    edges.map((edge) => (edge.minute === minute ? { ...edge, ...change } : edge));
  const tenant = await write('map-sporadic', [
    ...story({ source: '', target: 'shop', kind: 'entry', calls: 10 }, { from: SINCE }),
    ...at(story({ source: 'shop', target: 'payments', calls: 10 }, { from: SINCE - 1, errors: 8 }), SINCE - 17, { errors: 1 }),
    ...at(story({ source: 'shop', target: 'stock', calls: 10 }, { from: SINCE - 2, ms: 900 }), SINCE - 21, { ms: 90 }),
    // In waves: what began is the first of them.
    ...at(story({ source: 'shop', target: 'mail', calls: 10 }, { from: SINCE - 3, errors: 7 }), SINCE + 4, { errors: 0 }),
  ]);
  const deps = { store: telemetry.store, reader: createClickhouseReader(telemetry.store) };
  const { facts } = await findMapEvidence(deps, tenant, question());
  const onsets = facts.flatMap((fact) => (fact.kind === 'edge' ? [[fact.target, fact.atMs / MINUTE - SINCE]] : []));
  expect(Object.fromEntries(onsets)).toEqual({ payments: -1, stock: -2, mail: -3 });
});
