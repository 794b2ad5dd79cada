import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCallerFactory } from '#api';
import { parseTenantId, type TenantId } from '#kernel';
import { createTenant } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { createCardinality } from './index.ts';

const ACME = parseTenantId('acme');
const OTHER = parseTenantId('other');
const DAY_MS = 86_400_000;
const today = Math.floor(Date.now() / DAY_MS);
const log = pino({ level: 'silent' });

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  for (const id of [ACME, OTHER]) await createTenant(database.relational, { id, name: id });
});
afterAll(async () => await database?.close());

const open = (relational = database.relational) => createCardinality({ relational, clock: { now: Date.now }, log });
const shown = async (slice: ReturnType<typeof open>, tenant: TenantId) => {
  const principal = { kind: 'account' as const, id: 'p', tenant, permissions: new Set(['otlp.read' as const]) };
  return (await createCallerFactory(slice.procedures)({ requestId: 'r', ctx: { requestId: 'r', principal } }).overflows({}))
    .items;
};
const report = { tenant: ACME, day: today, admitted: 100, folded: 0, leftOut: 0, metrics: [], label: undefined };

test('what a tenant was bounded in survives a restart within the day, added up, and only that tenant sees it', async () => {
  const first = open();
  first.noteSeries([{ ...report, admitted: 60 }], 100);
  expect(await shown(first, ACME)).toEqual([]);
  const metrics = [{ name: 'app_requests', points: 900 }];
  first.noteSeries([{ ...report, folded: 800, leftOut: 100, metrics, label: { name: 'user', values: 57 } }], 100);
  first.noteTargets(ACME, { folded: 3, bound: 10_000 });
  await first.close();

  const second = open();
  expect(await second.seriesByDay(ACME)).toEqual(new Map([[today, 100]]));
  second.noteSeries([{ ...report, admitted: 90, folded: 5 }], 200);
  second.noteConnections(ACME, { folded: 7, bound: 1000 });
  expect(await shown(second, ACME)).toMatchObject([
    { kind: 'metric_series', bound: 200, admitted: 100, folded: 805, left_out: 100 },
    { kind: 'service_map', folded: 7 },
    { kind: 'targets', folded: 3 },
  ]);
  expect(await shown(second, OTHER)).toEqual([]);
  expect(await second.seriesByDay(OTHER)).toEqual(new Map());
  expect(second.counts()).toContainEqual({
    name: 'svc.ingest.overflow',
    value: 5,
    attributes: { kind: 'metric_series', outcome: 'folded', tenant: ACME },
  });
  await second.close();
});

test('names of the metrics and of the label are kept with it', async () => {
  const slice = open();
  const detail = { metrics: [{ name: 'db_calls', points: 5 }], label: { name: 'query', values: 400 } };
  slice.noteSeries([{ ...report, tenant: OTHER, folded: 5, ...detail }], 100);
  expect(await shown(slice, OTHER)).toMatchObject([detail]);
  await slice.close();
});

test('while PostgreSQL is away it waits, added up, and no count is lost', async () => {
  let away = true;
  const { withTenantSql, withSystemSql } = database.relational;
  const unlessAway =
    (door: typeof withTenantSql): typeof withTenantSql =>
    async (...call) => {
      if (away) throw new Error('away');
      return await door(...call);
    };
  const slice = open({
    ...database.relational,
    withTenantSql: unlessAway(withTenantSql),
    withSystemSql: unlessAway(withSystemSql),
  });
  slice.noteTargets(OTHER, { folded: 1, bound: 10 });
  await expect(shown(slice, OTHER)).rejects.toThrow('away');
  slice.noteTargets(OTHER, { folded: 2, bound: 10 });
  away = false;
  expect((await shown(slice, OTHER)).find(({ kind }) => kind === 'targets')).toMatchObject({ folded: 3 });
  await slice.close();
});

test('a tenant whose requests fill their own line holds up neither another tenant’s page nor its own counts', async () => {
  const gate = Promise.withResolvers<void>();
  const { withTenantSql } = database.relational;
  const held = Array.from({ length: 140 }, () =>
    withTenantSql(ACME, () => gate.promise).catch((error: { code: string }) => error.code),
  );
  const slice = open();
  slice.noteTargets(ACME, { folded: 1, bound: 10 });
  slice.noteSeries([{ ...report, admitted: 5000 }], 10_000);
  expect(await shown(slice, OTHER)).toBeDefined();
  expect((await slice.seriesByDay(ACME)).get(today)).toBe(5000);
  gate.resolve();
  expect(await Promise.all(held)).toContain('rate_limited');
  await slice.close();
});
