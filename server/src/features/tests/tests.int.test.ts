import { randomBytes } from 'node:crypto';
import { ROLE_PERMISSIONS, type Role } from '@svc/contracts/permissions';
import { type Test, TestSpec, type TestSpecInput } from '@svc/contracts/tests/test';
import type { TestRow } from '@svc/contracts/tests/views';
import { checkExpression, checkJsonPath } from '@svc/runner/check-patterns';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createCallerFactory } from '#api';
import { createSealer } from '#crypto';
import { type AuditEntry, type Ctx, parseTenantId, type TenantId } from '#kernel';
import { createTenant } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { createTests } from './index.ts';

const ACME = parseTenantId('acme');
const OTHER = parseTenantId('other');
const NO_SUCH = '01890000-0000-7000-8000-000000000000';

let database: TestDatabase;
let slice: ReturnType<typeof createTests>;
const trail: AuditEntry[] = [];
const EMPTY_ROW = {
  ...{
    state: 'new' as const,
    sentence: '',
    since: null,
    not_running: null,
    in_maintenance: false,
    strip: [],
    availability: null,
  },
  ...{ p95_ms: null, usual_ms: null, last: null, next_at: null, runners: [], certificate_days: null, incident: null },
};

/** As the slice that shows tests would: of what is kept now. */
async function readRow({ principal: { tenant } }: Ctx, id: string): Promise<TestRow> {
  const found = (await slice.read(tenant)).byId.get(id);
  return { ...EMPTY_ROW, test: found as Test };
}

beforeAll(async () => {
  database = await createTestDatabase();
  for (const id of [ACME, OTHER]) await createTenant(database.relational, { id, name: id });
  const row = (ctx: Ctx, { id }: { id: string }) => readRow(ctx, id);
  slice = createTests({
    relational: database.relational,
    sealer: createSealer(randomBytes(32)),
    appendAudit: async (_sql, entry) => void trail.push(entry),
    listRunners: async () => [{ id: 'built-in', name: 'built-in', labels: {}, connected: true, lacks: {} }],
    nameActors: async (_, ids) => new Map(ids.map((id) => [id, `name of ${id}`])),
    readRow: row,
    storeEvidence: async () => {},
    pages: {},
    patterns: { expression: checkExpression, jsonPath: checkJsonPath },
    bounds: { maxTests: 600, maxBytes: 2 ** 20, maxRunsPerSecond: 20, maxTargetRunsPerSecond: 5, maxEvidenceBytes: 2 ** 20 },
    clock: { now: Date.now },
    log: pino({ level: 'silent' }),
  });
  await slice.start();
});
afterAll(async () => {
  await slice?.close();
  await database?.close();
});
beforeEach(async () => {
  for (const tenant of [ACME, OTHER]) await slice.data.eraseTenant(tenant);
  trail.length = 0;
});

const as = (role: Role, tenant: TenantId = ACME) => {
  const principal = { kind: 'account' as const, id: 'ann', tenant, permissions: new Set(ROLE_PERMISSIONS[role]) };
  return createCallerFactory(slice.procedures)({ requestId: 'r', ctx: { requestId: 'r', principal } });
};
const spec = (name: string, more: object = {}): TestSpec =>
  TestSpec.parse({ name, type: 'https', target: 'https://shop.example/', ...more } as TestSpecInput);
const refusal = (code: string) => ({ cause: { code } });

test('is made, changed, paused and deleted, with an entry each', async () => {
  const ann = as('operator');
  const made = await ann.create({ test: spec('Shop') });
  expect(made).toMatchObject({ state: 'new', test: { name: 'Shop', version: 1, created_by: 'ann', interval_seconds: 60 } });
  const { id } = made.test;
  const changed = await ann.update({ id, version: 1, test: spec('Shop', { interval_seconds: 30 }) });
  expect(changed.test).toMatchObject({ version: 2, interval_seconds: 30 });
  await expect(ann.update({ id, version: 1, test: spec('Shop') })).rejects.toMatchObject(refusal('conflict'));
  expect(await ann.setEnabled({ ids: [id, NO_SUCH], enabled: false })).toEqual({ changed: 1 });
  expect((await slice.read(ACME)).byId.get(id)).toMatchObject({ enabled: false, version: 3 });
  expect(await ann.remove({ ids: [id] })).toEqual({ changed: 1 });
  expect((await slice.read(ACME)).list).toEqual([]);
  expect(trail.map(({ action }) => action)).toEqual(['test.create', 'test.update', 'test.pause', 'test.delete']);
  expect(trail[1]?.detail).toEqual({ version: 2, changed: 'interval_seconds' });
});

test('names are taken once, whatever their case', async () => {
  const ann = as('operator');
  await ann.create({ test: spec('Shop') });
  await expect(ann.create({ test: spec('SHOP') })).rejects.toMatchObject({
    cause: { code: 'conflict', faults: [{ path: 'test.name' }] },
  });
});

test('a tenant sees and touches its own tests only', async () => {
  const { id } = (await as('operator').create({ test: spec('Shop') })).test;
  const stranger = as('admin', OTHER);
  expect((await stranger.specs({})).items).toEqual([]);
  await expect(stranger.update({ id, version: 1, test: spec('Mine') })).rejects.toMatchObject(refusal('not_found'));
  expect(await stranger.setEnabled({ ids: [id], enabled: false })).toEqual({ changed: 0 });
  expect(await stranger.remove({ ids: [id] })).toEqual({ changed: 0 });
  await expect(as('viewer').create({ test: spec('No') })).rejects.toMatchObject(refusal('forbidden'));
  expect((await as('viewer').specs({})).items).toMatchObject([{ name: 'Shop' }]);
});

test('apply makes names what is written, twice the same is nothing, and says what it would do', async () => {
  const ann = as('operator');
  const written = [
    { name: 'one', type: 'https' as const, target: 'https://one.example/' },
    { name: 'two', type: 'dns' as const, target: 'two.example' },
  ];
  const changes = async (input: Parameters<typeof ann.applyAll>[0]) =>
    (await ann.applyAll(input)).items.map(({ change }) => change);
  expect(await changes({ tests: written, dry_run: true })).toEqual(['create', 'create']);
  expect((await ann.specs({})).items).toEqual([]);
  expect(await changes({ tests: written })).toEqual(['create', 'create']);
  expect(await changes({ tests: written })).toEqual(['none', 'none']);
  const [one] = written;
  const answer = await ann.applyAll({ tests: [{ ...one, interval_seconds: 120 } as never], remove: ['two', 'three'] });
  expect(answer.items).toMatchObject([
    { name: 'one', change: 'update', fields: [{ path: 'interval_seconds', before: '60', after: '120' }] },
    { name: 'two', change: 'remove' },
    { name: 'three', change: 'none' },
  ]);
  const bad = ann.applyAll({ tests: [{ ...written[0], name: 'x', params: { assertions: { status: ['9xx'] } } } as never] });
  await expect(bad).rejects.toMatchObject({
    cause: { code: 'validation', faults: [{ path: 'tests.0.params.assertions.status.0' }] },
  });
});

test('what is applied says which secrets it refers to that are not there, dry or not, changed or not', async () => {
  const ann = as('operator');
  const header = (name: string) => ({ name, value: `Bearer \${secret:${name}}` });
  const written = { name: 'one', type: 'https' as const, target: 'https://one.example/' };
  const tests = [
    { ...written, params: { headers: [header('here'), header('gone')] } },
    { ...written, name: 'two' },
  ];
  await ann.secrets.set({ name: 'here', hosts: ['one.example'], value: 'x' });
  const missing = async (dry_run: boolean) => (await ann.applyAll({ tests, dry_run })).items.map((item) => item.missing_secrets);
  expect(await missing(true)).toEqual([['gone'], []]);
  expect(await missing(false)).toEqual([['gone'], []]);
  expect(await missing(false)).toEqual([['gone'], []]);
  await ann.secrets.set({ name: 'gone', hosts: ['one.example'], value: 'x' });
  expect(await missing(true)).toEqual([[], []]);
});

test('bounds hold: tests of a tenant, runs of a second, runs to a host', async () => {
  const ann = as('operator');
  const quick = (n: number, target: string) => ({ name: `q${n}`, type: 'tcp' as const, target, interval_seconds: 1 });
  const toOne = Array.from({ length: 6 }, (_, n) => quick(n, 'one.example:443'));
  await expect(ann.applyAll({ tests: toOne })).rejects.toMatchObject({ message: expect.stringContaining('for one host') });
  const toMany = Array.from({ length: 21 }, (_, n) => quick(n, `h${n}.example:443`));
  await expect(ann.applyAll({ tests: toMany })).rejects.toMatchObject({
    message: expect.stringContaining('21.0 times a second'),
  });
  const slow = (n: number) => ({ name: `s${n}`, type: 'tcp' as const, target: `h${n}.example:443`, interval_seconds: 3600 });
  await ann.applyAll({ tests: Array.from({ length: 500 }, (_, n) => slow(n)) });
  const more = ann.applyAll({ tests: Array.from({ length: 101 }, (_, n) => slow(n + 500)) });
  await expect(more).rejects.toMatchObject({ message: expect.stringContaining('at most 600 tests') });
});

test('tests that a release before wrote are counted with the others', async () => {
  const ann = as('operator');
  const quick = (n: number) => ({ name: `q${n}`, type: 'tcp' as const, target: 'one.example:443', interval_seconds: 1 });
  await ann.applyAll({ tests: Array.from({ length: 5 }, (_, n) => quick(n)) });
  await database.relational.withTenantSql(ACME, (sql) =>
    sql.query(
      `UPDATE synthetic_tests SET load_version = NULL, load_host = NULL, load_bytes = NULL, load_rate = NULL, load_each_runner = NULL`,
    ),
  );
  const { name, ...more } = quick(5);
  await expect(ann.create({ test: spec(name, more) })).rejects.toMatchObject({
    message: expect.stringContaining('6.0 times a second'),
  });
});

test('all tests of a tenant together have a size', async () => {
  const ann = as('operator');
  const large = (n: number) => spec(`l${n}`, { enabled: false, params: { method: 'POST', body: 'x'.repeat(60_000) } });
  for (let n = 0; n < 17; n += 1) await ann.create({ test: large(n) });
  const beyond = { ...refusal('conflict'), message: expect.stringContaining('at most 1 MiB in all') };
  await expect(ann.create({ test: large(17) })).rejects.toMatchObject(beyond);
  const { id, version } = (await ann.create({ test: spec('small') })).test;
  await expect(ann.update({ id, version, test: large(18) })).rejects.toMatchObject(beyond);
  expect((await slice.read(ACME)).list).toHaveLength(18);
});

test('the plan has enabled tests, and others hear of each change', async () => {
  const heard: (string | undefined)[] = [];
  const stop = slice.onChanged((tenant) => heard.push(tenant));
  const ann = as('operator');
  await ann.create({ test: spec('on') });
  await ann.create({ test: spec('off', { enabled: false }) });
  expect((await slice.planOf(ACME)).map(({ test: { name } }) => name)).toEqual(['on']);
  await expect.poll(() => heard).toContain(ACME);
  stop();
});

test('a tenant has 500 maintenance windows at most, however many are made at once', async () => {
  const ann = as('operator');
  const window = (n: number) => ({
    ...{ name: `Patches ${n}`, zone: 'UTC', scope: { kind: 'site' as const, site: 'Berlin' } },
    times: { repeat: 'weekly' as const, weekdays: [2], from: '22:00', duration_minutes: 60 },
  });
  await ann.maintenance.create(window(0));
  await database.relational.withTenantSql(ACME, (sql) =>
    sql.query(`INSERT INTO maintenance_windows (tenant_id, id, name, spec, created_by, created_at, updated_at, ends_at)
      SELECT tenant_id, gen_random_uuid(), name || n, spec, created_by, created_at, updated_at, ends_at
      FROM maintenance_windows, generate_series(1, 497) n`),
  );
  const all = await Promise.allSettled(Array.from({ length: 12 }, (_, n) => ann.maintenance.create(window(n + 1))));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  const { items } = await ann.maintenance.list({});
  expect(items).toHaveLength(500);
  expect(items[0]?.created_by, 'as people read it').toEqual({ id: 'ann', name: 'name of ann' });
});
