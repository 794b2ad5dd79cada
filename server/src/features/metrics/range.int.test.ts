import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import { rollUpHours } from '#telemetry';
import type { RangeInput } from './api.ts';
import { rangeOfMetric } from './range.ts';
import { metricHours } from './reader-clickhouse/roll-up.ts';
import { openTestStore, type TestSeries } from './test-store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The beginning of a quarter of a day that is over. */
const T = Math.floor(Date.now() / (6 * HOUR)) * 6 * HOUR - 12 * HOUR;

describe('in the column store', () => {
  let db: Awaited<ReturnType<typeof openTestStore>>;
  let tenant: TenantId;
  let count = 0;
  beforeAll(async () => {
    db = await openTestStore(() => Date.now() + 6 * MINUTE);
  });
  afterAll(() => db.close());
  beforeEach(() => {
    tenant = parseTenantId(`metrics-${++count}`);
  });

  const window = (minutes: number, from = T) => ({
    from: new Date(from).toISOString(),
    to: new Date(from + minutes * MINUTE).toISOString(),
  });
  const ask = (given: Partial<RangeInput> & { metric: string }, of = tenant) =>
    rangeOfMetric(db.deps, of, db.input({ ...window(5), step_seconds: 60, ...given }));
  /** [minute, value] of each series. */
  const shape = async (given: Partial<RangeInput> & { metric: string }) =>
    (await ask(given)).series.map(({ ts, values }) => ts.map((at, i) => [(at - T) / MINUTE, values[i]]));
  const every = (values: (number | null)[], from = T): [number, number][] =>
    values.flatMap((value, i): [number, number][] => (value === null ? [] : [[from + i * MINUTE, value]]));

  const counter = (fp: number, labels = {}): TestSeries => ({ fp, metric: 'requests_total', kind: 'sum', labels });
  const gauge = (fp: number, labels = {}): TestSeries => ({ fp, metric: 'queue', kind: 'gauge', labels });

  describe('counters', () => {
    test('grow from point to point; one that fell grew from zero', async () => {
      await db.writePoints(tenant, counter(1), every([100, 160, 400, 30, 90], T - MINUTE));
      // From the point before the window: +60, +240, restart: 30, +60.
      expect(await shape({ metric: 'requests_total', function: 'increase' })).toEqual([
        [
          [0, 60],
          [1, 240],
          [2, 30],
          [3, 60],
        ],
      ]);
      expect(await shape({ metric: 'requests_total', function: 'rate' })).toEqual([
        [
          [0, 1],
          [1, 4],
          [2, 0.5],
          [3, 1],
        ],
      ]);
    });

    test('give the same however often and in however many parts points came', async () => {
      for (let i = 0; i < 3; i++) await db.writePoints(tenant, counter(1), every([0, 60, 180]));
      await db.writePoints(tenant, counter(1), every([null, 60, null]));
      expect(await shape({ metric: 'requests_total', function: 'increase' })).toEqual([
        [
          [1, 60],
          [2, 120],
        ],
      ]);
      expect(await shape({ metric: 'requests_total', function: 'increase', step_seconds: 180 })).toEqual([[[0, 180]]]);
    });

    test('a rate is told over a gap, and no longer than five minutes', async () => {
      await db.writePoints(tenant, counter(1), every([0, null, null, 180]));
      expect(await shape({ metric: 'requests_total', function: 'rate' })).toEqual([
        [
          [1, 1],
          [2, 1],
          [3, 1],
        ],
      ]);
      await db.writePoints(tenant, counter(2), every([0, ...new Array(11).fill(null), 720]));
      const far = { matchers: [], ...window(13), metric: 'requests_total', function: 'rate' as const };
      expect((await shape(far)).at(1)).toEqual([[12, 1]]);
    });

    test('are put together by label', async () => {
      await db.writePoints(tenant, counter(1, { route: '/a', pod: '1' }), every([0, 60]));
      await db.writePoints(tenant, counter(2, { route: '/a', pod: '2' }), every([0, 120]));
      await db.writePoints(tenant, counter(3, { route: '/b', pod: '1' }), every([0, 600]));
      const answer = await ask({ metric: 'requests_total', function: 'rate', aggregate: 'sum', by: ['route'] });
      expect(answer.series).toEqual([
        { labels: { route: '/a' }, ts: [T + MINUTE], values: [3] },
        { labels: { route: '/b' }, ts: [T + MINUTE], values: [10] },
      ]);
      expect(await shape({ metric: 'requests_total', function: 'increase', aggregate: 'max' })).toEqual([[[1, 600]]]);
      expect(await shape({ metric: 'requests_total', function: 'increase', aggregate: 'count' })).toEqual([[[1, 3]]]);
    });

    test('deltas tell what they grew by themselves', async () => {
      await db.writePoints(tenant, { ...counter(1), kind: 'delta' }, every([30, 60, 0]));
      expect(await shape({ metric: 'requests_total', function: 'increase' })).toEqual([
        [
          [0, 30],
          [1, 60],
          [2, 0],
        ],
      ]);
      expect(await shape({ metric: 'requests_total', function: 'rate' })).toEqual([
        [
          [0, 0.5],
          [1, 1],
          [2, 0],
        ],
      ]);
    });
  });

  describe('gauges', () => {
    test('hold their last point for five minutes, so that a sum has no holes', async () => {
      await db.writePoints(tenant, gauge(1), every([5, null, 7]));
      await db.writePoints(tenant, gauge(2), every([null, 10]));
      expect(await shape({ metric: 'queue', aggregate: 'sum', ...window(10) })).toEqual([
        [
          [0, 5],
          [1, 15],
          [2, 17],
          [3, 17],
          [4, 17],
          [5, 17],
          [6, 7],
        ],
      ]);
    });

    test('tell average, least and most of a step', async () => {
      await db.writePoints(tenant, gauge(1), every([1, 2, 9]));
      const step = { metric: 'queue', step_seconds: 300 };
      expect(await shape({ ...step, function: 'avg' })).toEqual([[[0, 4]]]);
      expect(await shape({ ...step, function: 'min' })).toEqual([[[0, 1]]]);
      expect(await shape({ ...step, function: 'max' })).toEqual([[[0, 9]]]);
      expect(await shape({ ...step, function: 'raw' })).toEqual([[[0, 9]]]);
      await expect(shape({ ...step, function: 'rate' })).rejects.toMatchObject({ code: 'validation' });
    });

    test('are chosen by their labels, and never of another tenant', async () => {
      await db.writePoints(tenant, gauge(1, { route: '/a', pod: "it's" }), every([1]));
      await db.writePoints(tenant, gauge(2, { route: '/b' }), every([2]));
      const match = async (op: '=' | '!=' | 'in' | '=~' | '!~', ...values: string[]) =>
        (await shape({ metric: 'queue', ...window(1), matchers: [{ label: 'route', op, values }] })).map(([point]) => point?.[1]);
      expect(await match('=', '/a')).toEqual([1]);
      expect(await match('!=', '/a')).toEqual([2]);
      expect(await match('in', '/a', '/b', '/c')).toEqual([1, 2]);
      expect(await match('=~', '/[bc]')).toEqual([2]);
      expect(await match('!~', '/[bc]')).toEqual([1]);
      await expect(match('=~', 'b')).rejects.toMatchObject({ code: 'not_found' });
      for (const pattern of ['(', '(?=a)', '\\1', '\\pQ'])
        await expect(match('=~', pattern)).rejects.toMatchObject({ code: 'validation' });
      const quoted = [{ label: 'pod', op: '=' as const, values: ["it's"] }];
      expect((await ask({ metric: 'queue', matchers: quoted })).matched).toBe(1);
      await expect(ask({ metric: 'queue' }, parseTenantId('somebody-else'))).rejects.toMatchObject({ code: 'not_found' });
    });
  });

  describe('histograms', () => {
    const latency: TestSeries = { fp: 1, metric: 'latency', kind: 'histogram', unit: 's' };

    test('tell quantiles of what they counted in a step, over a restart', async () => {
      const bounds = [0.1, 0.5, 1];
      await db.writeHistograms(tenant, latency, [
        { ts: T, count: 1000, sum: 1, bounds, counts: [1000, 0, 0, 0] },
        { ts: T + MINUTE, count: 1100, sum: 61, bounds, counts: [1010, 30, 40, 20] },
        { ts: T + 2 * MINUTE, count: 10, sum: 5, bounds, counts: [0, 10, 0, 0] },
      ]);
      expect(await shape({ metric: 'latency', function: 'quantile', quantile: 0.5 })).toEqual([
        [
          [1, 0.625],
          [2, expect.closeTo(0.3)],
        ],
      ]);
      expect(await shape({ metric: 'latency', function: 'increase' })).toEqual([
        [
          [1, 100],
          [2, 10],
        ],
      ]);
      expect(await shape({ metric: 'latency', function: 'avg' })).toEqual([
        [
          [1, 0.6],
          [2, 0.5],
        ],
      ]);
    });

    test('add up before a quantile is told', async () => {
      const bounds = [1, 2];
      const delta = { ...latency, kind: 'delta_histogram' as const };
      await db.writeHistograms(tenant, { ...delta, labels: { pod: '1' } }, [{ ts: T, count: 10, bounds, counts: [10, 0, 0] }]);
      await db.writeHistograms(tenant, { ...delta, fp: 2, labels: { pod: '2' } }, [
        { ts: T, count: 30, bounds, counts: [0, 30, 0] },
      ]);
      // Rank 20 of 40: ten of the thirty in (1, 2].
      expect(await shape({ metric: 'latency', function: 'quantile', quantile: 0.5, aggregate: 'sum' })).toEqual([
        [[0, expect.closeTo(4 / 3)]],
      ]);
      expect(await shape({ metric: 'latency', function: 'quantile', quantile: 0.5 })).toEqual([[[0, 0.5]], [[0, 1.5]]]);
    });

    test('exponential ones of two scales meet at the coarser', async () => {
      const kind = 'exp_histogram' as const;
      // Scale 1, indexes 0 to 3: (1, 1.41], (1.41, 2], (2, 2.83], (2.83, 4].
      await db.writeHistograms(tenant, { ...latency, kind }, [
        { ts: T, count: 5, scale: 1, zero: 5 },
        { ts: T + MINUTE, count: 13, scale: 1, zero: 5, positive: [0, [1, 3, 2, 2]] },
      ]);
      await db.writeHistograms(tenant, { ...latency, kind, fp: 2 }, [
        { ts: T, count: 0, scale: 0 },
        { ts: T + MINUTE, count: 8, scale: 0, positive: [-1, [8]] },
      ]);
      // At scale 0: eight in (0.5, 1], four in (1, 2], four in (2, 4].
      const sum = (quantile: number) => shape({ metric: 'latency', function: 'quantile', quantile, aggregate: 'sum' });
      expect(await sum(0.25)).toEqual([[[1, expect.closeTo(2 ** -0.5)]]]);
      expect(await sum(0.5)).toEqual([[[1, 1]]]);
      expect(await sum(0.75)).toEqual([[[1, 2]]]);
      expect(await sum(0.875)).toEqual([[[1, expect.closeTo(2 ** 1.5)]]]);
    });

    test('summaries tell the quantiles they were sent with', async () => {
      await db.writeHistograms(tenant, { ...latency, kind: 'summary' }, [
        { ts: T, count: 10, sum: 5, bounds: [0.5, 0.95], quantileValues: [0.2, 0.9] },
      ]);
      expect(await shape({ metric: 'latency', function: 'quantile', quantile: 0.95 })).toEqual([[[0, 0.9]]]);
      expect(await shape({ metric: 'latency', function: 'quantile', quantile: 0.75 })).toEqual([]);
      await expect(shape({ metric: 'latency', function: 'quantile', aggregate: 'sum' })).rejects.toMatchObject({
        code: 'validation',
      });
    });
  });

  describe('hours', () => {
    const roll = () => rollUpHours(db.store, tenant, { ...metricHours(30), nowMs: Date.now() + 6 * MINUTE });
    const day = { step_seconds: 3600, ...window(300) };
    const lose = (table: string) =>
      db.store.derive(tenant, `ALTER TABLE ${table} DELETE WHERE tenant_id = {tenant:String} SETTINGS mutations_sync = 1`);

    test('answer as the points did, when these are gone', async () => {
      const values = Array.from({ length: 180 }, (_, i) => (i < 90 ? i * 60 : (i - 90) * 30));
      await db.writePoints(tenant, counter(1), every(values));
      await db.writePoints(tenant, gauge(2), every(values));
      const bounds = [1];
      await db.writeHistograms(tenant, { fp: 3, metric: 'latency', kind: 'histogram' }, [
        { ts: T, count: 0, sum: 0, bounds, counts: [0, 0] },
        { ts: T + 50 * MINUTE, count: 10, sum: 30, bounds, counts: [10, 0] },
        { ts: T + 70 * MINUTE, count: 14, sum: 50, bounds, counts: [10, 4] },
        { ts: T + 130 * MINUTE, count: 2, sum: 1, bounds, counts: [2, 0] },
      ]);
      const questions = [
        { metric: 'requests_total', function: 'increase' as const },
        { metric: 'requests_total', function: 'rate' as const, step_seconds: 7200 },
        ...(['raw', 'avg', 'min', 'max'] as const).map((fn) => ({ metric: 'queue', function: fn })),
        ...(['increase', 'avg'] as const).map((fn) => ({ metric: 'latency', function: fn })),
      ];
      const before = await Promise.all(questions.map((question) => shape({ ...day, ...question })));
      expect(before[0]).toEqual([
        [
          [0, 3540],
          [60, 60 * 30 + 29 * 30],
          [120, 1800],
        ],
      ]);
      expect(before[6]).toEqual([
        [
          [0, 10],
          [60, 4],
          [120, 2],
        ],
      ]);
      expect(before[7]).toEqual([
        [
          [0, 3],
          [60, 5],
          [120, 0.5],
        ],
      ]);
      expect(await roll()).toBe(3);
      expect(await roll()).toBe(0);
      expect(await Promise.all(questions.map((question) => shape({ ...day, ...question })))).toEqual(before);
      await lose('metric_points');
      await lose('metric_histograms');
      expect(await Promise.all(questions.map((question) => shape({ ...day, ...question })))).toEqual(before);
    });

    test('of hosts and flows are not kept beyond their points', async () => {
      await db.writePoints(tenant, { fp: 1, metric: 'system_cpu_time_seconds_total', kind: 'sum' }, every([0, 60]));
      await roll();
      const question = { ...day, metric: 'system_cpu_time_seconds_total', function: 'increase' as const };
      expect(await shape(question)).toEqual([[[0, 60]]]);
      await lose('metric_points');
      expect(await shape(question)).toEqual([]);
    });
  });
});
