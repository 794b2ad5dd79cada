import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOPICS } from '@svc/contracts/bus-topics';
import { toCanonicalResult } from '@svc/contracts/tests/canonical-run';
import type { RunReport } from '@svc/contracts/tests/run-report';
import { pino } from 'pino';
import { uuidv7 } from 'uuidv7';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createFolderBlobs } from '#blobs';
import { type Bus, createMemoryBus } from '#bus';
import { AppError, parseTenantId, type TenantId } from '#kernel';
import { asSystem, createTenant } from '#relational';
import { rollUpHours, type Telemetry } from '#telemetry';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { openTestTelemetry } from '#test-telemetry';
import { createTestRuns } from './index.ts';
import { RUN_HOURS } from './run-sql.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-11-25T12:30:00.000Z');

let database: TestDatabase;
let telemetry: Telemetry;
let bus: Bus;
let folder: string;
let slice: ReturnType<typeof createTestRuns>;
let isStoreAway = false;
const clock = { now: () => NOW };

beforeAll(async () => {
  database = await createTestDatabase();
  telemetry = await openTestTelemetry();
  folder = await mkdtemp(join(tmpdir(), 'svc-runs-'));
  bus = createMemoryBus({ log: pino({ level: 'silent' }) });
  const store = {
    ...telemetry.store,
    write: async (block: Parameters<typeof telemetry.store.write>[0]) => {
      if (isStoreAway) throw new AppError('unavailable', 'The column store does not answer.', { retryAfterSeconds: 0.1 });
      await telemetry.store.write(block);
    },
  };
  slice = createTestRuns({
    ...{ bus, relational: database.relational, telemetry: { ...telemetry, store }, blobs: createFolderBlobs(folder) },
    ...{
      failingAfterOf: async () => () => 3,
      testsOf: async () => new Map(),
      metricDays: 30,
      maxEvidenceBytes: 5000,
      clock,
      log: pino({ level: 'silent' }),
    },
  });
  await slice.start((role) => role === 'consume');
});
afterAll(async () => {
  await slice?.close();
  await telemetry?.close();
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

async function newTenant(tests = 1): Promise<{ tenant: TenantId; ids: string[] }> {
  const tenant = parseTenantId(`t-${randomUUID().slice(0, 8)}`);
  await createTenant(database.relational, { id: tenant, name: tenant });
  const ids = Array.from({ length: tests }, () => uuidv7());
  await database.relational.withTenantSql(tenant, (sql) =>
    sql.query(
      `INSERT INTO synthetic_tests (tenant_id, id, version, name, type, enabled, spec, created_by, created_at, updated_at, enabled_at)
       SELECT $1, i, 1, i::text, 'https', true, '{}', 'ann', now(), now(), now() FROM unnest($2::uuid[]) i`,
      [tenant, ids],
    ),
  );
  return { tenant, ids };
}

const report = (testId: string, agoMs: number, more: Partial<RunReport> = {}): RunReport => ({
  ...{
    result_id: uuidv7(),
    test_id: testId,
    test_version: 1,
    runner_id: 'built-in',
    type: 'https',
    target: 'https://shop.example/',
  },
  ...{ planned_at: new Date(NOW - agoMs).toISOString(), started_at: new Date(NOW - agoMs).toISOString(), on_demand: false },
  ...{ success: true, phases: { dns: 2, connect: 5, tls: 20, first_byte: 70, transfer: 3 }, total_ms: 100 },
  ...{ figures: { status: 200 }, assertions: [{ rule: 'status', wanted: '2xx', got: '200', passed: true }] },
  ...more,
});
const failed = { success: false, fault: 'timeout', error: 'no answer in 3 s', total_ms: 3000, phases: { dns: 2 } } as const;

const messages = (tenant: TenantId, reports: readonly RunReport[]) =>
  reports.map((one) => ({ tenant, value: Buffer.from(JSON.stringify(toCanonicalResult(one, tenant))) }));

async function publish(tenant: TenantId, reports: readonly RunReport[]): Promise<void> {
  await bus.publish(TOPICS.networkResults, messages(tenant, reports));
}
const countOf = async (tenant: TenantId, testId: string) =>
  await slice.queries.countRuns(tenant, testId, { fromMs: NOW - 30 * 24 * HOUR_MS, toMs: NOW + 1 });

test('a pause ends a streak: what was before it counts no more, however late it comes', async () => {
  const {
    tenant,
    ids: [id = ''],
  } = await newTenant();
  const fails = (...minutes: number[]) => minutes.map((n) => report(id, n * MINUTE_MS, failed));
  const head = async () => (await slice.queries.headsOf(tenant, [id]))[0];
  await publish(tenant, fails(5000, 4999, 4998));
  await vi.waitFor(async () => expect(await head()).toMatchObject({ failing: true, sinceMs: NOW - 5000 * MINUTE_MS }));
  await database.relational.withTenantSql(tenant, (sql) =>
    sql.query('INSERT INTO synthetic_test_pauses (tenant_id, test_id, from_at, to_at) VALUES ($1, $2, $3, $4)', [
      ...[tenant, id, new Date(NOW - 4990 * MINUTE_MS), new Date(NOW - 10 * MINUTE_MS)],
    ]),
  );
  await publish(tenant, [...fails(4997), ...fails(9, 8)]);
  await vi.waitFor(async () => expect(await head()).toMatchObject({ lastAtMs: NOW - 8 * MINUTE_MS, failing: false }));
  await publish(tenant, fails(7));
  const wanted = { failing: true, sinceMs: NOW - 9 * MINUTE_MS, resumedAtMs: NOW - 10 * MINUTE_MS };
  await vi.waitFor(async () => expect(await head()).toMatchObject(wanted));
  expect(await slice.queries.heads(tenant)).toMatchObject([wanted]);
});

test('runs are stored once however often they come, and known by test and runner', async () => {
  const {
    tenant,
    ids: [id = ''],
  } = await newTenant();
  const runs = [5, 4, 3, 2, 1].map((n) => report(id, n * MINUTE_MS, n <= 3 ? failed : {}));
  await publish(tenant, runs);
  await publish(tenant, runs);
  await vi.waitFor(async () => expect(await countOf(tenant, id)).toBe(5), { timeout: 5000 });
  const [head] = await slice.queries.headsOf(tenant, [id]);
  expect(head).toMatchObject({
    ...{ runnerId: 'built-in', failing: true, lastSucceeded: false, lastFault: 'timeout', lastAtMs: NOW - MINUTE_MS },
    ...{ sinceMs: NOW - 3 * MINUTE_MS, latchedAtMs: NOW - MINUTE_MS, last: { error: 'no answer in 3 s', totalMs: 3000 } },
  });
  await publish(tenant, runs.slice(0, 2));
  await publish(tenant, [report(id, 10 * MINUTE_MS)]);
  await vi.waitFor(async () => expect(await countOf(tenant, id)).toBe(6), { timeout: 5000 });
  expect(await slice.queries.headsOf(tenant, [id])).toEqual([head]);
});

test('tells which certificates end soon, each once, and of no other tenant', async () => {
  const { tenant, ids } = await newTenant(2);
  const certificate = (days: number, names: string[]): RunReport['certificate'] => ({
    ...{ subject: 'CN=shop.example', issuer: 'CN=An authority', names, not_before: new Date(NOW - HOUR_MS).toISOString() },
    ...{ not_after: new Date(NOW + days * 24 * HOUR_MS).toISOString(), fingerprint: names.join(), key: 'EC 256' },
    ...{ protocol: 'TLSv1.3', chain_length: 2, chain_bytes: 3000, trusted: true, name_matches: true },
  });
  const soon = certificate(9, ['shop.example', 'www.shop.example']);
  const [one = '', other = ''] = ids;
  await publish(tenant, [
    report(one, MINUTE_MS, { certificate: soon }),
    report(one, MINUTE_MS, { certificate: soon, runner_id: 'elsewhere' }),
    report(other, MINUTE_MS, { certificate: certificate(60, ['late.example']) }),
  ]);
  await vi.waitFor(async () => expect(await slice.queries.headsOf(tenant, ids)).toHaveLength(3), { timeout: 5000 });
  const ending = await slice.queries.certificatesEnding(tenant, NOW + 21 * 24 * HOUR_MS);
  expect(ending).toEqual([{ endsMs: NOW + 9 * 24 * HOUR_MS, names: ['shop.example', 'www.shop.example'] }]);
  const { tenant: stranger } = await newTenant();
  expect(await slice.queries.certificatesEnding(stranger, NOW + 21 * 24 * HOUR_MS)).toEqual([]);
});

test('pages, counts and shows runs; what is on demand or could not measure counts for nothing else', async () => {
  const {
    tenant,
    ids: [id = ''],
  } = await newTenant();
  const runs = [4, 3, 2, 1].map((n) => report(id, n * MINUTE_MS));
  const refused = report(id, 30_000, { success: false, fault: 'target_refused', error: 'refused' });
  await publish(tenant, [...runs, refused, report(id, 20_000, { ...failed, on_demand: true })]);
  await vi.waitFor(async () => expect(await countOf(tenant, id)).toBe(6), { timeout: 5000 });
  const window = { fromMs: NOW - HOUR_MS, toMs: NOW };
  const first = await slice.queries.runs(tenant, id, { ...window, limit: 2 });
  expect(first.map(({ onDemand, fault }) => [onDemand, fault])).toEqual([
    [true, 'timeout'],
    [false, 'target_refused'],
  ]);
  const rest = await slice.queries.runs(tenant, id, { ...window, limit: 10, before: first[1] });
  expect(rest.map(({ resultId }) => resultId)).toEqual(runs.toReversed().map(({ result_id }) => result_id));
  expect(await slice.queries.run(tenant, { testId: id, resultId: runs[0]?.result_id ?? '' })).toMatchObject({
    figures: { status: 200 },
    assertions: [{ rule: 'status', passed: true }],
  });
  const stats = (await slice.queries.dayStats(tenant, [id])).get(id);
  expect(stats).toMatchObject({ usualMs: 100, p95Ms: 100, usualPhases: { tls: 20 } });
  expect(stats?.bars).toMatchObject([{ passed: 4, failed: 0, notRun: 1 }]);
  const [head] = await slice.queries.headsOf(tenant, [id]);
  expect(head).toMatchObject({ failing: false, lastFault: 'target_refused', last: { onDemand: false } });
});

test('hours outlive their runs and say the same before and after they are rolled up', async () => {
  const {
    tenant,
    ids: [id = ''],
  } = await newTenant();
  const runs = Array.from({ length: 300 }, (_, n) =>
    report(id, (n * 5 + 1) * MINUTE_MS, n % 10 === 0 ? failed : { total_ms: 50 + (n % 100) }),
  );
  await publish(tenant, runs);
  const span = { fromMs: Math.floor(NOW / HOUR_MS) * HOUR_MS - 48 * HOUR_MS, toMs: NOW };
  // Which hours have runs is seen a little later than the runs.
  const isAllSeen = async () =>
    expect((await slice.queries.whole(tenant, { testIds: [id] }, span)).get(id)).toMatchObject({ passed: 270, failed: 30 });
  await vi.waitFor(isAllSeen, { timeout: 10_000 });
  const ask = async () => [
    await slice.queries.steps(tenant, { testId: id, ...span, stepMs: HOUR_MS }),
    await slice.queries.whole(tenant, { testIds: [id] }, span),
  ];
  const before = await ask();
  expect(await rollUpHours(telemetry.store, tenant, { ...RUN_HOURS, nowMs: Date.now() + 24 * HOUR_MS })).toBeGreaterThan(20);
  await publish(tenant, runs.slice(0, 3));
  expect(await ask()).toEqual(before);
  const whole = (before[1] as Awaited<ReturnType<typeof slice.queries.whole>>).get(id);
  expect(whole?.p95Ms).toBeGreaterThan(140);
  expect(await slice.queries.standings(tenant)).toEqual(
    new Map([[id, { availability: expect.closeTo(0.9, 1), p95Ms: expect.any(Number) }]]),
  );
});

test('while the column store is away a failing test is known all the same, and its runs are stored once it is back', async () => {
  const {
    tenant,
    ids: [id = ''],
  } = await newTenant();
  isStoreAway = true;
  await publish(
    tenant,
    [3, 2, 1].map((n) => report(id, n * MINUTE_MS, failed)),
  );
  await vi.waitFor(async () => expect(await slice.queries.heads(tenant)).toMatchObject([{ failing: true }]), { timeout: 2000 });
  await vi.waitFor(async () => expect(await slice.health()).toMatchObject({ status: 'degraded' }), { timeout: 5000 });
  isStoreAway = false;
  await vi.waitFor(async () => expect(await countOf(tenant, id)).toBe(3), { timeout: 20_000, interval: 200 });
  // Told behind the write, which a reader may see before.
  await vi.waitFor(async () => expect(await slice.health()).toEqual({ status: 'ok' }), { timeout: 1000 });
}, 40_000);

test('runs of tests that are gone, of other tenants and what is no run change nothing', async () => {
  const {
    tenant,
    ids: [id = ''],
  } = await newTenant();
  const foreign = messages(tenant, [report(id, 1000)])[0]?.value ?? Buffer.alloc(0);
  await bus.publish(TOPICS.networkResults, [
    { tenant, value: Buffer.from('{}') },
    { tenant, value: Buffer.from('no json') },
    { tenant: parseTenantId('someone-else'), value: foreign },
  ]);
  await publish(tenant, [report(uuidv7(), 1000), report(id, 1000)]);
  await vi.waitFor(async () => expect(await countOf(tenant, id)).toBe(1), { timeout: 5000 });
  expect((await slice.queries.heads(tenant)).map(({ testId }) => testId)).toEqual([id]);
});

test('evidence is there with its picture until it is past its time or beyond the bound, and goes with its tenant', async () => {
  const {
    tenant,
    ids: [id = ''],
  } = await newTenant();
  const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(1000)]);
  const store = async (ageMs: number, screenshot: Buffer) => {
    const result_id = uuidv7();
    const evidence = { response_head: 'HTTP/1.1 503', screenshot: screenshot.toString('base64') };
    const one = { result_id, test_id: id, runner_id: 'built-in', started_at: new Date(NOW - ageMs).toISOString(), evidence };
    await slice.queries.storeEvidence(tenant, one);
    await slice.queries.storeEvidence(tenant, one);
    return result_id;
  };
  const kept = await store(1000, png);
  const html = await store(2000, Buffer.from('<script>alert(1)</script>'));
  const old = [await store(3000, png), await store(4000, png), await store(5000, png), await store(6000, png)];
  expect(await slice.queries.evidenceOf(tenant, [kept, html])).toEqual(
    new Map([
      [kept, { screenshot: true }],
      [html, { screenshot: false }],
    ]),
  );
  const read = await slice.queries.readEvidence(tenant, { testId: id, resultId: kept });
  expect(read?.mediaType).toBe('image/png');
  expect(await read?.text()).toEqual({ response_head: 'HTTP/1.1 503' });
  expect(await read?.picture()).toEqual(png);
  expect(await slice.queries.readEvidence(parseTenantId('other'), { testId: id, resultId: kept })).toBeUndefined();
  expect(await slice.prune(tenant, asSystem(database.relational))).toBe(1);
  expect([...(await slice.queries.evidenceOf(tenant, old)).keys()]).toEqual(old.slice(0, 3));
  await slice.data.eraseTenant(tenant);
  expect(await slice.queries.evidenceOf(tenant, [kept])).toEqual(new Map());
  expect(await createFolderBlobs(folder).list(`test-evidence/t-${tenant}`, { limit: 10 })).toEqual([]);
});

test('evidence under an id that is taken changes nothing and leaves no bytes behind, and a flood of it is not kept', async () => {
  const {
    tenant,
    ids: [id = ''],
  } = await newTenant();
  const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(500_000)]);
  const store = async (result_id: string, days: number, evidence: RunReport['evidence'] & object) => {
    const started_at = new Date(NOW - days * 24 * HOUR_MS).toISOString();
    await slice.queries.storeEvidence(tenant, { result_id, test_id: id, runner_id: 'r', started_at, evidence });
  };
  const result = uuidv7();
  await store(result, 0, { response_head: 'first' });
  for (let days = 0; days < 5; days += 1) await store(result, days, { response_head: 'forged' });
  const racing = uuidv7();
  await Promise.all([0, 1, 2, 3].map((days) => store(racing, days, { response_head: 'racing' })));
  expect(await (await slice.queries.readEvidence(tenant, { testId: id, resultId: result }))?.text()).toEqual({
    response_head: 'first',
  });
  const listed = await createFolderBlobs(folder).list(`test-evidence/t-${tenant}`, { limit: 100 });
  expect(listed).toHaveLength(2);
  const flood = async () => {
    for (let n = 0; n < 20; n += 1) await store(uuidv7(), 0, { screenshot: png.toString('base64') });
  };
  await expect(flood()).rejects.toMatchObject({ code: 'rate_limited' });
  await slice.data.eraseTenant(tenant);
});
