// Runs of tests as metrics of their tenant, as the page Metrics asks for them.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROLE_PERMISSIONS } from '@svc/contracts/permissions';
import { TestSpec } from '@svc/contracts/tests/test';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createCallerFactory } from '#api';
import { type Bus, createMemoryBus } from '#bus';
import { parseTenantId, type TenantId } from '#kernel';
import { createTenant } from '#relational';
import type { Telemetry } from '#telemetry';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { openTestTelemetry } from '#test-telemetry';
import { createMetrics } from '../../features/metrics/index.ts';
import { buildReport, callAs, createSyntheticReplica, publishRuns, type SyntheticReplica } from './test-synthetics.ts';

let database: TestDatabase;
let telemetry: Telemetry;
let folder: string;
let bus: Bus;
let replica: SyntheticReplica;
let metrics: ReturnType<typeof createMetrics>;
const clock = { now: Date.now };
const log = pino({ level: 'silent' });

beforeAll(async () => {
  database = await createTestDatabase();
  telemetry = await openTestTelemetry();
  folder = await mkdtemp(join(tmpdir(), 'svc-probe-metrics-'));
  bus = createMemoryBus({ log });
  replica = createSyntheticReplica({ database, telemetry, bus, folder, clock });
  metrics = createMetrics({ relational: database.relational, telemetry, clock, keptDays: 30, log });
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
  return tenant;
}

const ask = (tenant: TenantId) => {
  const principal = { kind: 'account' as const, id: 'ann', tenant, permissions: new Set(ROLE_PERMISSIONS.viewer) };
  return createCallerFactory(metrics.procedures)({ requestId: 'r', ctx: { requestId: 'r', principal } });
};

test('runs become series by test, runner and phase, once however often they come, and nothing else does', async () => {
  const tenant = await newTenant();
  const ann = callAs(replica, tenant);
  const spec = TestSpec.parse({ name: 'Shop', type: 'https', target: 'https://shop.example/' });
  const { test: one } = await ann.create({ test: spec });
  const now = Date.now();
  const passed = { success: true, fault: undefined, error: undefined } as const;
  const figures = { status: 200, 'certificate.days': 12, 'invented.key': 1 };
  const runs = [
    buildReport(one, now - 3000, { ...passed, phases: { dns: 2, tls: 20 }, total_ms: 30, figures }),
    buildReport(one, now - 2000, { runner_id: 'built-in', fault: 'timeout', phases: { dns: 4 }, total_ms: 3000 }),
    // Asked for by a person, and one that measured nothing.
    buildReport(one, now - 1000, { ...passed, on_demand: true, phases: { connect: 1 } }),
    buildReport(one, now - 500, { fault: 'target_refused', phases: {}, total_ms: 0 }),
    // Of a test that is gone.
    buildReport({ id: randomUUID(), version: 1, target: 'https://gone.example/' }, now - 400, passed),
  ];
  await publishRuns(bus, tenant, runs);
  await publishRuns(bus, tenant, runs);
  const names = async () => (await ask(tenant).names({ search: 'svc_probe' })).items;
  await vi.waitFor(async () => expect(await names()).not.toEqual([]), { timeout: 10_000 });
  await vi.waitFor(
    async () =>
      expect((await names()).map(({ metric, otel_name, kind, unit, series }) => [metric, otel_name, kind, unit, series])).toEqual(
        [
          ['svc_probe_certificate_days', 'svc.probe.certificate_days', 'gauge', 'd', 1],
          ['svc_probe_duration_ms', 'svc.probe.duration_ms', 'gauge', 'ms', 2],
          ['svc_probe_phase_ms', 'svc.probe.phase_ms', 'gauge', 'ms', 3],
          ['svc_probe_status_code', 'svc.probe.status_code', 'gauge', '1', 1],
          ['svc_probe_success', 'svc.probe.success', 'gauge', '1', 2],
        ],
      ),
    { timeout: 10_000 },
  );
  const byPhase = async () => {
    const asked = { metric: 'svc_probe_phase_ms', function: 'max', aggregate: 'max', by: ['svc.phase'] } as const;
    const { series } = await ask(tenant).range({ ...asked, by: [...asked.by] });
    // Series come in order of their fingerprints, which the test's own id is part of.
    return series.map(({ labels, values }) => [labels['svc.phase'], Math.max(...values)]).sort();
  };
  // Series are there a moment before their points.
  await vi.waitFor(
    async () =>
      expect(await byPhase()).toEqual([
        ['dns', 4],
        ['tls', 20],
      ]),
    { timeout: 30_000, interval: 500 },
  );
  const success = await ask(tenant).range({ metric: 'svc_probe_success', function: 'min' });
  expect(success.series.map(({ labels }) => labels['svc.agent.id']).sort()).toEqual(['berlin', 'built-in']);
  expect(success.series[0]?.labels).toMatchObject({
    ...{ 'svc.test.id': one.id, 'svc.test.name': 'Shop', 'svc.probe.type': 'https', 'svc.target': 'https://shop.example/' },
  });
  // By another name it is the same series.
  await ann.update({ id: one.id, version: one.version, test: { ...spec, name: 'Store' } });
  await publishRuns(bus, tenant, [buildReport(one, Date.now(), passed)]);
  const named = async () =>
    (await ask(tenant).values({ metric: 'svc_probe_success', label: 'svc.test.name' })).items.map(({ value }) => value);
  await vi.waitFor(async () => expect(await named()).toContain('Store'), { timeout: 10_000 });
  expect((await names()).find(({ metric }) => metric === 'svc_probe_success')?.series).toBe(2);
  expect((await ask(await newTenant()).names({ search: 'svc_probe' })).items).toEqual([]);
}, 80_000);
