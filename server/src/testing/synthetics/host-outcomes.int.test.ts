// What the tests of a host came to, as real users' verdicts ask for it.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Test, TestSpec, type TestSpecInput } from '@svc/contracts/tests/test';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Bus, createMemoryBus } from '#bus';
import { parseTenantId, type TenantId } from '#kernel';
import { createTenant } from '#relational';
import type { Telemetry } from '#telemetry';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { openTestTelemetry } from '#test-telemetry';
import { buildReport, callAs, createSyntheticReplica, publishRuns, type SyntheticReplica } from './test-synthetics.ts';

const MINUTE_MS = 60_000;
const NOW = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
const within = { fromMs: NOW - 15 * MINUTE_MS, toMs: NOW };
const passed = { success: true, fault: undefined, error: undefined } as const;

let database: TestDatabase;
let telemetry: Telemetry;
let folder: string;
let bus: Bus;
let replica: SyntheticReplica;

beforeAll(async () => {
  database = await createTestDatabase();
  telemetry = await openTestTelemetry();
  folder = await mkdtemp(join(tmpdir(), 'svc-outcomes-'));
  bus = createMemoryBus({ log: pino({ level: 'silent' }) });
  replica = createSyntheticReplica({ database, telemetry, bus, folder, clock: { now: () => NOW } });
  await replica.runs.start((role) => role === 'consume');
  await replica.tests.start();
});
afterAll(async () => {
  await replica?.tests.close();
  await replica?.runs.close();
  await telemetry?.close();
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

async function newTenant() {
  const tenant = parseTenantId(`t-${randomUUID().slice(0, 8)}`);
  await createTenant(database.relational, { id: tenant, name: tenant });
  const ann = callAs(replica, tenant);
  const make = async (name: string, target: string, more: object = {}): Promise<Test> =>
    (await ann.create({ test: TestSpec.parse({ name, type: 'https', target, ...more } as TestSpecInput) })).test;
  return { tenant, ann, make };
}

async function publish(tenant: TenantId, of: readonly [test: Test, minutesAgo: number, more?: object][]): Promise<void> {
  const reports = of.map(([one, ago, more]) => buildReport(one, NOW - ago * MINUTE_MS, { type: one.type, ...more }));
  await publishRuns(bus, tenant, reports);
  // Once more, as a bus may.
  await publishRuns(bus, tenant, reports);
  for (const [one] of of)
    await vi.waitFor(
      async () =>
        expect(
          await replica.runs.queries.countRuns(tenant, one.id, { fromMs: NOW - 60 * MINUTE_MS, toMs: NOW + MINUTE_MS }),
        ).toBe(of.filter(([other]) => other.id === one.id).length),
      { timeout: 8000 },
    );
}

test('runs of http, https and browser tests are counted by host, however it is spelled', async () => {
  const { tenant, make } = await newTenant();
  const shop = await make('shop', 'https://Shop.example:8443/cart');
  const page = await make('page', 'http://shop.example./', { type: 'browser' });
  const quiet = await make('quiet', 'https://shop.example/quiet');
  await make('off', 'https://shop.example/off', { enabled: false });
  const port = await make('port', 'shop.example:443', { type: 'tcp' });
  const elsewhere = await make('elsewhere', 'https://elsewhere.example/');
  await publish(tenant, [
    [shop, 1],
    [shop, 2, passed],
    [shop, 3, { runner_id: 'built-in' }],
    // Before the window, at its end, on demand, and without a measurement.
    [shop, 16],
    [shop, 0],
    [shop, 4, { on_demand: true }],
    [shop, 5, { fault: 'target_refused' }],
    [page, 15, passed],
    [port, 1],
    [elsewhere, 1],
  ]);
  const found = await replica.pages.outcomesOfHosts(tenant, ['SHOP.example.', 'nobody.example'], within);
  expect([...found]).toEqual([
    [
      'shop.example',
      {
        ...{ passed: 2, failed: 2 },
        tests: [
          { id: page.id, name: 'page', passed: 1, failed: 0 },
          { id: quiet.id, name: 'quiet', passed: 0, failed: 0 },
          { id: shop.id, name: 'shop', passed: 1, failed: 2 },
        ],
      },
    ],
    ['nobody.example', { passed: 0, failed: 0, tests: [] }],
  ]);
  const { tenant: other } = await newTenant();
  expect((await replica.pages.outcomesOfHosts(other, ['shop.example'], within)).get('shop.example')?.tests).toEqual([]);
});

test('runs that began in a maintenance window of the test, the target or the site are left out', async () => {
  const { tenant, ann, make } = await newTenant();
  const one = await make('one', 'https://one.example/');
  const two = await make('two', 'https://two.example/', { site: 'Berlin' });
  const moment = (minutesAgo: number) => new Date(NOW - minutesAgo * MINUTE_MS).toISOString();
  const hide = async (scope: object, from: number, to: number) =>
    await ann.maintenance.create({
      ...{ name: 'move', zone: 'Europe/Berlin', scope: scope as { kind: 'target'; target: string } },
      times: { repeat: 'once', from: moment(from), to: moment(to) },
    });
  await hide({ kind: 'target', target: 'ONE.example.' }, 10, 6);
  await hide({ kind: 'test', test_id: one.id }, 7, 4);
  await hide({ kind: 'site', site: 'berlin' }, 60, 2);
  await publish(tenant, [
    ...[11, 10, 7, 6, 5, 4, 1].map((ago): [Test, number] => [one, ago]),
    ...[11, 3, 2, 1].map((ago): [Test, number, object] => [two, ago, passed]),
  ]);
  const found = await replica.pages.outcomesOfHosts(tenant, ['one.example', 'two.example'], within);
  expect([...found].map(([host, { passed: good, failed }]) => [host, good, failed])).toEqual([
    ['one.example', 0, 3],
    ['two.example', 2, 0],
  ]);
});

test('a weekly window hides its stretch of every week that is asked about', async () => {
  const { tenant, ann, make } = await newTenant();
  const one = await make('weekly', 'https://weekly.example/');
  const from = new Date(NOW - 10 * MINUTE_MS);
  await ann.maintenance.create({
    ...{ name: 'weekly', zone: 'UTC', scope: { kind: 'test', test_id: one.id } },
    times: {
      ...{ repeat: 'weekly', weekdays: [from.getUTCDay() || 7], from: from.toISOString().slice(11, 16), duration_minutes: 5 },
    },
  });
  const week = 7 * 24 * 60;
  await publishRuns(
    bus,
    tenant,
    [11, 10, 6, 5, week + 11, week + 8, week + 5, 2 * week + 9].map((ago) => buildReport(one, NOW - ago * MINUTE_MS)),
  );
  const since = { fromMs: NOW - 21 * 24 * 60 * MINUTE_MS, toMs: NOW };
  await vi.waitFor(async () => expect(await replica.runs.queries.countRuns(tenant, one.id, since)).toBe(8), { timeout: 8000 });
  const found = await replica.pages.outcomesOfHosts(tenant, ['weekly.example'], since);
  expect(found.get('weekly.example')).toMatchObject({ failed: 4, passed: 0 });
});
