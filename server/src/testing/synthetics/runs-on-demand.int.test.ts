// Runs on demand: from the click to what is kept, on the replica that was asked and on another; runs as REST gives them out.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROLE_PERMISSIONS } from '@svc/contracts/permissions';
import type { Phase, RunReport } from '@svc/contracts/tests/run-report';
import { type Test, TestSpec } from '@svc/contracts/tests/test';
import Fastify from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { mountApi, router } from '#api';
import { type Bus, createMemoryBus } from '#bus';
import { answerError } from '#edge';
import { AppError, parseTenantId, type TenantId } from '#kernel';
import { createTenant } from '#relational';
import type { Telemetry } from '#telemetry';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { openTestTelemetry } from '#test-telemetry';
import { buildReport, callAs, createSyntheticReplica, publishRuns, type SyntheticReplica } from './test-synthetics.ts';

interface Asked {
  test: Test;
  runner_id: string;
  onPhase: (phase: Phase, ms: number) => void;
  answer: (report: RunReport) => void;
  refuse: (error: Error) => void;
}

let database: TestDatabase;
let telemetry: Telemetry;
let folder: string;
let bus: Bus;
let replicas: SyntheticReplica[];
/** What the runners were asked and have not answered yet. */
const asked: Asked[] = [];
let aheadMs = 0;
const clock = { now: () => Date.now() + aheadMs };

const runOnce: Parameters<typeof createSyntheticReplica>[0]['runOnce'] = (_tenant, { test: one, runner_id }, onPhase) =>
  new Promise((answer, refuse) => void asked.push({ test: one, runner_id, onPhase, answer, refuse }));

beforeAll(async () => {
  database = await createTestDatabase();
  telemetry = await openTestTelemetry();
  folder = await mkdtemp(join(tmpdir(), 'svc-on-demand-'));
  bus = createMemoryBus({ log: pino({ level: 'silent' }) });
  replicas = [1, 2].map(() => createSyntheticReplica({ database, telemetry, bus, folder, clock, runOnce }));
  await replicas[0]?.runs.start((role) => role === 'consume');
  for (const { tests } of replicas) await tests.start();
});
afterAll(async () => {
  for (const { tests, runs } of replicas ?? []) {
    await tests.close();
    await runs.close();
  }
  await telemetry?.close();
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

async function newTenant(): Promise<TenantId> {
  const tenant = parseTenantId(`t-${randomUUID().slice(0, 8)}`);
  await createTenant(database.relational, { id: tenant, name: tenant });
  return tenant;
}
const spec = (more: object = {}) =>
  TestSpec.parse({ name: 'shop', type: 'https', target: 'https://shop.example/', runners: { mode: 'all' }, ...more });
const here = (tenant: TenantId) => callAs(replicas[0] as SyntheticReplica, tenant);
const elsewhere = (tenant: TenantId) => callAs(replicas[1] as SyntheticReplica, tenant);
const nextAsked = async (runner: string): Promise<Asked> =>
  await vi.waitFor(() => {
    const at = asked.findIndex(({ runner_id }) => runner_id === runner);
    expect(at).toBeGreaterThanOrEqual(0);
    return asked.splice(at, 1)[0] as Asked;
  }, patient);
const patient = { timeout: 10_000 };
const good = { success: true, fault: undefined, error: undefined, phases: { dns: 3, connect: 4 }, total_ms: 7 } as const;

test('a run that one replica began is followed phase by phase on another, each runner by itself', async () => {
  const tenant = await newTenant();
  const { test: one } = await here(tenant).create({ test: spec() });
  const { run_id } = await here(tenant).runNow({ id: one.id });
  const seen = async () => await elsewhere(tenant).progress({ run_id });
  expect(await seen()).toMatchObject({ done: false, dry_run: false, runners: [{ phases: {} }, { phases: {} }] });
  const [berlin, builtIn] = [await nextAsked('berlin'), await nextAsked('built-in')];
  berlin.onPhase('dns', 3);
  await vi.waitFor(
    async () =>
      expect((await seen()).runners.find(({ id }) => id === 'berlin')).toMatchObject({ phases: { dns: 3 }, done: false }),
    patient,
  );
  const report = buildReport(one, Date.now(), { ...good, on_demand: true, evidence: { response_head: 'HTTP/1.1 200' } });
  berlin.answer(report);
  builtIn.refuse(new AppError('unavailable', 'This runner is not connected.', { retryAfterSeconds: 30 }));
  await vi.waitFor(async () => expect((await seen()).done).toBe(true), patient);
  const end = await seen();
  expect(end.runners.find(({ id }) => id === 'berlin')).toMatchObject({
    ...{ done: true, problem: null, result_id: report.result_id, result: { success: true, total_ms: 7 } },
  });
  expect(end.runners.find(({ id }) => id === 'built-in')).toMatchObject({
    problem: 'This runner is not connected.',
    result: null,
  });
  // What a run shows besides is read with the run alone.
  expect(JSON.stringify(end)).not.toContain('HTTP/1.1 200');
  expect(await here(tenant).progress({ run_id })).toEqual(end);
  const stranger = await newTenant();
  for (const other of [here(stranger), elsewhere(stranger)])
    await expect(other.progress({ run_id })).rejects.toMatchObject({ cause: { code: 'not_found' } });
});

test('of a run whose replica is gone another says so, and after ten minutes it is forgotten', async () => {
  const tenant = await newTenant();
  const { test: one } = await here(tenant).create({ test: spec({ runners: { mode: 'named', runners: ['berlin'] } }) });
  const { run_id } = await here(tenant).runNow({ id: one.id });
  aheadMs = 60_000;
  expect(await elsewhere(tenant).progress({ run_id })).toMatchObject({
    ...{ done: true, runners: [{ done: true, problem: expect.stringContaining('does not answer any more') }] },
  });
  aheadMs = 11 * 60_000;
  (await nextAsked('berlin')).answer(buildReport(one, Date.now(), good));
  await elsewhere(tenant).runNow({ id: one.id });
  await expect(here(tenant).progress({ run_id: randomUUID() })).rejects.toMatchObject({ cause: { code: 'not_found' } });
  const kept = await database.relational.withTenantSql(tenant, (sql) => sql.query('SELECT FROM synthetic_run_progress'));
  aheadMs = 0;
  expect(kept.rowCount).toBe(1);
  (await nextAsked('berlin')).answer(buildReport(one, Date.now(), good));
});

test('a dry run takes a test as it is written, and refuses patterns that no runner could read', async () => {
  const tenant = await newTenant();
  const bad = spec({ params: { assertions: { body_matches: 'a(b' } } });
  await expect(here(tenant).dryRun({ test: bad })).rejects.toMatchObject({
    cause: {
      code: 'validation',
      faults: [{ path: 'params.assertions.body_matches', message: expect.stringContaining('character 3') }],
    },
  });
  await expect(here(tenant).create({ test: bad })).rejects.toMatchObject({ cause: { code: 'validation' } });
  const { run_id } = await here(tenant).dryRun({ test: spec(), runners: ['berlin'] });
  const run = await nextAsked('berlin');
  expect(run.test).toMatchObject({ name: 'shop', version: 0 });
  run.answer(buildReport(run.test, Date.now(), good));
  await vi.waitFor(
    async () =>
      expect(await here(tenant).progress({ run_id })).toMatchObject({
        done: true,
        dry_run: true,
        runners: [{ result_id: null }],
      }),
    patient,
  );
  expect((await here(tenant).list({})).total).toBe(0);
});

async function serve(tenant: TenantId) {
  const app = Fastify({ logger: false });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);
  app.decorateRequest('principalCtx', undefined);
  const principal = { kind: 'account' as const, id: 'ann', tenant, permissions: new Set(ROLE_PERMISSIONS.viewer) };
  await mountApi(app, {
    ...{ router: router({ tests: (replicas[0] as SyntheticReplica).tests.procedures }), version: '1.2.3' },
    ...{ publicUrl: 'https://localhost:8443', sessionCookie: '__Host-svc_session_a1b2c3' },
    resolveRequest: async () => ({ requestId: 'r', principal }),
  });
  await app.ready();
  return app;
}

test('REST gives the bytes of a screenshot and the runs as a file', async () => {
  const tenant = await newTenant();
  const { test: one } = await here(tenant).create({ test: spec({ type: 'browser' }) });
  const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(100, 7)]);
  const runs = [3, 2, 1].map((n) =>
    buildReport(one, Date.now() - n * 1000, n === 2 ? { error: '=cmd|calc, "quoted"' } : { ...good, type: 'browser' }),
  );
  await publishRuns(bus, tenant, runs);
  const [first] = runs;
  await (replicas[0] as SyntheticReplica).runs.queries.storeEvidence(tenant, {
    ...{ result_id: first?.result_id ?? '', test_id: one.id, runner_id: 'berlin', started_at: first?.started_at ?? '' },
    evidence: { screenshot: png.toString('base64') },
  });
  const app = await serve(tenant);
  const stranger = await serve(await newTenant());
  const url = `/v1/tests/${one.id}/results`;
  await vi.waitFor(async () => expect((await app.inject({ url })).json()).toMatchObject({ total: 3 }), { timeout: 8000 });
  const shot = await app.inject({ url: `${url}/${first?.result_id}/screenshot` });
  expect(shot.headers).toMatchObject({ 'content-type': 'image/png', 'cache-control': expect.stringContaining('private') });
  expect(shot.rawPayload.equals(png)).toBe(true);
  for (const [other, path] of [
    [app, `${url}/${runs[1]?.result_id}/screenshot`],
    [stranger, `${url}/${first?.result_id}/screenshot`],
    [stranger, `${url}.csv`],
  ] as const)
    expect((await other.inject({ url: path })).statusCode).toBe(404);
  const file = await app.inject({ url: `${url}.csv` });
  expect(file.headers['content-type']).toMatch(/^text\/csv/);
  const lines = file.body
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\r\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toContain('result_id');
  expect(lines[1]).toContain(runs[2]?.result_id);
  // No spreadsheet takes it for a formula.
  expect(lines[2]).not.toMatch(/[",]=cmd/);
  const failed = await app.inject({ url: `${url}.csv?success=false` });
  expect(failed.body.trimEnd().split('\r\n')).toHaveLength(2);
  await app.close();
  await stranger.close();
});
