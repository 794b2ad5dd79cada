import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { ExemplarsInput, LabelsInput, NamesInput, ValuesInput } from './api.ts';
import { listExemplars, listLabels, listMetrics, listValues } from './names.ts';
import { rangeOfMetric } from './range.ts';
import { openTestStore, type TestSeries } from './test-store.ts';

const NOW = Math.floor(Date.now() / 60_000) * 60_000;
const ACME = parseTenantId('acme');
const OTHER = parseTenantId('other');
const TRACE = 'ab'.repeat(16);

describe('in the column store', () => {
  let db: Awaited<ReturnType<typeof openTestStore>>;
  beforeAll(async () => {
    db = await openTestStore(() => NOW);
    const of = (fp: number, labels: Record<string, string>): TestSeries => ({
      fp,
      metric: 'http_seconds',
      kind: 'gauge',
      unit: 's',
      labels,
    });
    await db.writePoints(ACME, of(1, { route: '/a', pod: 'p1' }), [[NOW - 60_000, 1]]);
    await db.writePoints(ACME, of(2, { route: '/a', pod: 'P2' }), [[NOW - 60_000, 2]]);
    await db.writePoints(ACME, of(3, { route: "/it's", zone: 'eu' }), [[NOW - 60_000, 3]]);
    await db.writePoints(ACME, { fp: 4, metric: 'jobs_total', kind: 'sum' }, [[NOW - 60_000, 3]]);
    await db.writePoints(OTHER, of(1, { route: '/secret' }), [[NOW - 60_000, 9]]);
    const exemplars = Array.from({ length: 600 }, (_, i) => ({
      ts: NOW - 600_000 + i * 1000,
      value: i,
      trace: i % 2 === 0 ? TRACE : '',
      attributes: { user: String(i) },
    }));
    for (const tenant of [ACME, OTHER]) await db.writeExemplars(tenant, { metric: 'http_seconds', fp: 1 }, exemplars);
    // Delivered twice.
    await db.writeExemplars(ACME, { metric: 'http_seconds', fp: 1 }, exemplars.slice(0, 10));
  });
  afterAll(() => db.close());

  const names = (given: object = {}, tenant = ACME) => listMetrics(db.deps, tenant, NamesInput.parse(given));
  const question = { metric: 'http_seconds' };

  test('lists metrics of the tenant by words of name and description', async () => {
    const all = await names();
    expect(all.items.map(({ metric, kind, series }) => [metric, kind, series])).toEqual([
      ['http_seconds', 'gauge', 3],
      ['jobs_total', 'sum', 1],
    ]);
    expect(all.items[0]).toMatchObject({ otel_name: 'http.seconds', unit: 's', description: 'said so' });
    expect((await names({ search: 'JOBS said' })).items).toHaveLength(1);
    expect((await names({ search: "no' such %" })).items).toEqual([]);
    expect(await names({ limit: 1 })).toMatchObject({ items: [{ metric: 'http_seconds' }], more: true });
    const past = { from: new Date(NOW - 200 * 86_400_000).toISOString(), to: new Date(NOW - 100 * 86_400_000).toISOString() };
    expect((await names(past)).items).toEqual([]);
  });

  test('lists labels and their values, and nothing of another tenant', async () => {
    expect((await listLabels(db.deps, ACME, LabelsInput.parse(question))).items).toEqual([
      { label: 'pod', values: 2 },
      { label: 'route', values: 2 },
      { label: 'zone', values: 1 },
    ]);
    const values = (given: object) => listValues(db.deps, ACME, ValuesInput.parse({ ...question, ...given }));
    expect((await values({ label: 'route' })).items).toEqual([
      { value: '/a', series: 2 },
      { value: "/it's", series: 1 },
    ]);
    expect((await values({ label: 'pod', search: 'p2' })).items).toEqual([{ value: 'P2', series: 1 }]);
    const matchers = [{ label: 'route', op: '=', values: ["/it's"] }];
    expect((await values({ label: 'pod', matchers })).items).toEqual([]);
    expect(await values({ label: 'route', limit: 1 })).toMatchObject({ more: true });
  });

  test('spreads exemplars over the window, the largest of each stretch', async () => {
    const found = await listExemplars(
      db.deps,
      ACME,
      ExemplarsInput.parse({ ...question, from: new Date(NOW - 600_000).toISOString(), limit: 100 }),
    );
    // Six a stretch of six seconds: the last of each is the largest.
    expect(found.items).toHaveLength(100);
    expect(found.items.map(({ value }) => value)).toEqual(Array.from({ length: 100 }, (_, i) => i * 6 + 5));
    expect(found.items[0]).toMatchObject({ trace_id: '', labels: { route: '/a' }, attributes: { user: '5' } });
    const matchers = [{ label: 'zone', op: '=', values: ['eu'] }];
    expect((await listExemplars(db.deps, ACME, ExemplarsInput.parse({ ...question, matchers }))).items).toEqual([]);
    const all = await listExemplars(db.deps, ACME, ExemplarsInput.parse({ ...question, limit: 500 }));
    expect(new Set(all.items.map(({ trace_id: trace }) => trace))).toEqual(new Set(['', TRACE]));
  });

  test('answers a thousand series at most, and more of them only together', { timeout: 20_000 }, async () => {
    const crowd = parseTenantId('crowd');
    const crowdOf = (count: number): TestSeries[] =>
      Array.from({ length: count }, (_, fp) => ({
        ...{ fp, metric: 'crowd', kind: 'gauge' },
        labels: { id: String(fp), half: String(fp % 2) },
      }));
    await db.writeCrowd(crowd, crowdOf(3000), [NOW - 60_000, 1]);
    const ask = (given: object) => rangeOfMetric(db.deps, crowd, db.input({ metric: 'crowd', ...given }));
    await expect(ask({})).rejects.toMatchObject({
      code: 'query_limit',
      message: expect.stringContaining('More than 1000 series'),
    });
    const halves = await ask({ aggregate: 'sum', by: ['half'] });
    expect(halves.series.map(({ labels, values }) => [labels, values[0]])).toEqual([
      [{ half: '0' }, 1500],
      [{ half: '1' }, 1500],
    ]);
    await db.writeCrowd(crowd, crowdOf(10_001), [NOW - 60_000, 1]);
    await expect(ask({ aggregate: 'sum' })).rejects.toMatchObject({
      code: 'query_limit',
      message: expect.stringContaining('Narrow the query'),
    });
  });
});
