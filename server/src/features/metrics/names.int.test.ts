import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { listLabels, listMetrics, listValues } from './names.ts';
import { openTestStore } from './test-store.ts';

const TENANT = parseTenantId('metric-names');
const OTHER = parseTenantId('metric-names-other');
const T = Date.now() - 60_000;

let db: Awaited<ReturnType<typeof openTestStore>>;
beforeAll(async () => {
  db = await openTestStore(Date.now);
  const point: [number, number][] = [[T, 1]];
  await db.writePoints(TENANT, { fp: 1, metric: 'requests_total', kind: 'sum', labels: { route: '/a' } }, point);
  await db.writePoints(TENANT, { fp: 2, metric: 'requests_total', kind: 'sum', labels: { route: '/b' } }, point);
  await db.writePoints(TENANT, { fp: 3, metric: 'queue', kind: 'gauge', labels: {} }, point);
  await db.writePoints(OTHER, { fp: 4, metric: 'requests_of_others', kind: 'sum', labels: { route: '/c' } }, point);
});
afterAll(() => db.close());

const namesOf = async (search?: string) => {
  const { items } = await listMetrics(db.deps, TENANT, { limit: 10, ...(search === undefined ? {} : { search }) });
  return items.map(({ metric, series }) => [metric, series]);
};

test('metrics are found by words of their names, and never those of another tenant', async () => {
  expect(await namesOf()).toEqual([
    ['queue', 1],
    ['requests_total', 2],
  ]);
  expect(await namesOf('REQ total')).toEqual([['requests_total', 2]]);
  expect(await namesOf('others')).toEqual([]);
});

test('labels and their values are counted and searched', async () => {
  const selected = { metric: 'requests_total', matchers: [] };
  expect((await listLabels(db.deps, TENANT, selected)).items).toContainEqual({ label: 'route', values: 2 });
  expect((await listValues(db.deps, TENANT, { ...selected, label: 'route', search: 'B', limit: 10 })).items).toEqual([
    { value: '/b', series: 1 },
  ]);
});
