import { BUILT_IN_RUNNER } from '@svc/contracts/tests/runner';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import { createTenant } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { createRunners } from '../index.ts';
import { createResultsBus, createTestOwner, ctxOf, GOOD, makeTest, testDeps } from '../test-runners.ts';

const everyRole = () => true;
const soon = { timeout: 20_000, interval: 50 };
const closers: (() => Promise<void>)[] = [];
let database: TestDatabase;
let count = 0;

beforeAll(async () => {
  database = await createTestDatabase({ poolSize: 6 });
  return async () => await database.close();
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function addTenant(): Promise<TenantId> {
  count += 1;
  const tenant = parseTenantId(`tests-${count}`);
  await createTenant(database.relational, { id: tenant, name: tenant });
  return tenant;
}

async function open(more: Partial<Parameters<typeof testDeps>[0]> = {}) {
  const tests = createTestOwner();
  const { bus, results } = await createResultsBus();
  const runners = createRunners(testDeps({ relational: database.relational, bus, tests: tests.thread, ...more }));
  closers.push(runners.close);
  return { tests, results, runners, bus };
}

it('runs the tests of each tenant and publishes what it measured as that tenant’s', async () => {
  const [one, other] = [await addTenant(), await addTenant()];
  const { tests, results, runners } = await open();
  const [first, second, paused] = [makeTest(), makeTest(), makeTest({ enabled: false })];
  tests.set(one, [
    { test: first, secrets: [] },
    { test: paused, secrets: [] },
  ]);
  tests.set(other, [{ test: second, secrets: [] }]);
  await runners.start(everyRole);
  const of = (id: string) => results.filter(({ test_id }) => test_id === id);
  await vi.waitFor(() => expect(Math.min(of(first.id).length, of(second.id).length)).toBeGreaterThan(1), soon);
  expect(new Set(of(first.id).map(({ tenant_id }) => tenant_id))).toEqual(new Set([one]));
  expect(new Set(of(second.id).map(({ tenant_id }) => tenant_id))).toEqual(new Set([other]));
  expect(of(paused.id)).toEqual([]);
  expect(results[0]).toMatchObject({ agent_id: BUILT_IN_RUNNER, canary_type: 'tcp', success: true });
  const [facts] = await runners.facts(one);
  expect(facts).toMatchObject({ id: BUILT_IN_RUNNER, connected: true, lacks: {} });
});

it('follows what is added, changed and taken out', async () => {
  const tenant = await addTenant();
  const { tests, results, runners } = await open();
  await runners.start(everyRole);
  const test = makeTest();
  tests.set(tenant, [{ test, secrets: [] }]);
  const versions = () => new Set(results.map(({ attributes }) => attributes['svc.test.version']));
  await vi.waitFor(() => expect(versions()).toContain('1'), soon);
  tests.set(tenant, [{ test: { ...test, version: 2 }, secrets: [] }]);
  await vi.waitFor(() => expect(versions()).toContain('2'), soon);
  tests.set(tenant, []);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const after = results.length;
  await new Promise((resolve) => setTimeout(resolve, 2500));
  expect(results.length).toBe(after);
});

it('runs on one of two replicas, and on the other when that one ends', async () => {
  const tenant = await addTenant();
  const test = makeTest();
  const ran: string[] = [];
  const replica = async (name: string) => {
    const opened = await open({
      runTest: async () => {
        ran.push(name);
        return GOOD;
      },
    });
    opened.tests.set(tenant, [{ test, secrets: [] }]);
    await opened.runners.start(everyRole);
    return opened;
  };
  const first = await replica('first');
  await vi.waitFor(() => expect(ran).toContain('first'), soon);
  await replica('second');
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(new Set(ran)).toEqual(new Set(['first']));
  await first.runners.close();
  await vi.waitFor(() => expect(ran).toContain('second'), soon);
});

it('keeps what the bus did not take, and publishes it later, once', async () => {
  const tenant = await addTenant();
  const { tests, results, runners } = await open();
  const test = makeTest();
  const { bus, results: late } = await createResultsBus();
  let isAway = true;
  const flaky = createRunners(
    testDeps({
      relational: database.relational,
      tests: tests.thread,
      bus: {
        publish: async (...published) => {
          if (isAway) throw new Error('away');
          await bus.publish(...published);
        },
      },
    }),
  );
  closers.push(flaky.close);
  expect(results).toEqual([]);
  await runners.close();
  tests.set(tenant, [{ test, secrets: [] }]);
  await flaky.start(everyRole);
  await new Promise((resolve) => setTimeout(resolve, 4000));
  isAway = false;
  await vi.waitFor(() => expect(late.length).toBeGreaterThan(2), soon);
  expect(new Set(late.map(({ result_id }) => result_id)).size).toBe(late.length);
});

it('takes 10,000 tests that are made at once, a few readings for all of them', async () => {
  const tenant = await addTenant();
  const { tests, runners } = await open();
  await runners.start(everyRole);
  const all = Array.from({ length: 10_000 }, () => ({ test: makeTest({ interval_seconds: 60 }), secrets: [] }));
  for (let n = 100; n <= all.length; n += 100) tests.set(tenant, all.slice(0, n));
  await vi.waitFor(async () => {
    const { items } = await createCaller(runners, tenant).list();
    expect(items[0]).toMatchObject({ id: BUILT_IN_RUNNER, tests: 10_000, connected: true });
  }, soon);
  expect(tests.reads()).toBeLessThan(30);
});

/** The page's question. */
const createCaller = (runners: Awaited<ReturnType<typeof open>>['runners'], tenant: TenantId) => {
  const caller = runners.procedures.createCaller({ requestId: 'r', ctx: ctxOf(tenant) });
  return { list: async () => await caller.list({}) };
};

it('runs on demand, published or dry', async () => {
  const tenant = await addTenant();
  const evidence = { response_head: 'HTTP/1.1 500' };
  const { results, runners, tests } = await open({
    runTest: async (_, { onProgress }) => {
      onProgress?.('connect', 3);
      return { ...GOOD, success: false, fault: 'assertion', evidence };
    },
  });
  const test = makeTest();
  const phases: string[] = [];
  const wanted = { test, runner_id: BUILT_IN_RUNNER };
  const dry = await runners.runOnce(tenant, { ...wanted, dry_run: true }, (phase) => phases.push(phase));
  expect(dry).toMatchObject({ test_id: test.id, success: false, evidence });
  expect(phases).toEqual(['connect']);
  expect(results).toEqual([]);
  const kept = await runners.runOnce(tenant, { ...wanted, dry_run: false });
  await vi.waitFor(() => expect(results).toHaveLength(1));
  expect(results[0]).toMatchObject({ result_id: kept.result_id, attributes: { 'svc.test.on_demand': 'true' } });
  expect(tests.evidence).toMatchObject([{ tenant, kept: { result_id: kept.result_id, evidence } }]);
  const foreign = { ...wanted, runner_id: '01990000-0000-7000-8000-000000000009', dry_run: true };
  await expect(runners.runOnce(tenant, foreign)).rejects.toMatchObject({ code: 'not_found' });
});
