import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { AGGREGATES, type MetricKind, type RangeInput } from './api.ts';
import { rangeOfMetric } from './range.ts';
import { openTestStore, type Place, type TestHistogram, type TestSeries } from './test-store.ts';

const MINUTE = 60_000;
const T = Math.floor(Date.now() / (60 * MINUTE)) * 60 * MINUTE - 120 * MINUTE;
const ACME = parseTenantId('acme');
const SEED = 20_261_122;

/** The same numbers each time, 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
const random = createRandom(SEED);
const below = (limit: number): number => Math.floor(random() * limit);

/** Times of points: irregular, with gaps, and some twice. */
function times(): number[] {
  const found: number[] = [];
  for (let at = T - 20 * MINUTE + below(MINUTE); at < T + 70 * MINUTE; at += 5000 + below(random() < 0.1 ? 12 * MINUTE : 40_000))
    found.push(at, ...(random() < 0.1 ? [at] : []));
  return found;
}

/** Counts up, and begins anew now and then; the same time has the same value. */
function counter(): [number, number][] {
  let value = below(100);
  let last = 0;
  return times().map((at) => {
    if (at !== last) value = random() < 0.08 ? below(5) : value + below(50);
    last = at;
    return [at, value];
  });
}

const BOUNDS = [
  [0.1, 0.5, 1, 5],
  [0.1, 1, 10],
];

function histograms(kind: MetricKind): TestHistogram[] {
  const told = new Map<number, TestHistogram>();
  let counts: number[] = [];
  let [bounds, scale, offset] = [BOUNDS[0] as number[], 2, 0];
  return times().map((ts) => {
    const again = told.get(ts);
    if (again) return again;
    const size = kind.includes('exp') ? 6 : bounds.length + 1;
    if (counts.length !== size || random() < 0.08) {
      [bounds, scale, offset] = [BOUNDS[below(2)] as number[], 1 + below(3), below(5) - 2];
      counts = new Array<number>(kind.includes('exp') ? 6 : bounds.length + 1).fill(0);
    }
    counts = counts.map((count) => (kind.startsWith('delta') ? below(9) : count + below(9)));
    const count = counts.reduce((sum, one) => sum + one, 0);
    const own: TestHistogram = kind.includes('exp')
      ? { ts, count: count + 1, sum: count / 8, scale, zero: 1, positive: [offset, counts] }
      : { ts, count, sum: count / 8, bounds, counts };
    told.set(ts, own);
    return own;
  });
}

/** What is asked of each kind: each question of the column store costs. */
const ASKED = {
  gauge: ['raw', 'avg', 'min'],
  sum: ['rate', 'increase', 'max'],
  delta: ['rate'],
  histogram: ['avg', 'quantile', 'rate'],
  exp_histogram: ['increase', 'quantile'],
  delta_histogram: ['avg', 'quantile'],
} as const satisfies Partial<Record<MetricKind, readonly RangeInput['function'][]>>;
const KINDS = Object.keys(ASKED) as (keyof typeof ASKED)[];
const PLACES: Place[] = ['chDB', 'memory'];

let stores: Awaited<ReturnType<typeof openTestStore>>[];
beforeAll(async () => {
  stores = await Promise.all(PLACES.map((place) => openTestStore(place, () => T + 80 * MINUTE)));
  for (const kind of KINDS)
    for (let fp = 1; fp <= 2; fp++) {
      const series: TestSeries = { fp, metric: `of_${kind}`, kind, labels: { half: String(fp % 2), id: String(fp) } };
      const points = counter();
      const counted = histograms(kind);
      for (const store of stores)
        if (!kind.endsWith('histogram')) await store.writePoints(ACME, series, points);
        else await store.writeHistograms(ACME, series, counted);
    }
});
afterAll(async () => {
  for (const store of stores ?? []) await store.close();
});

type Asked = Partial<RangeInput> & { metric: string };
const answer = async (store: (typeof stores)[number], given: Asked, deps = store.deps) =>
  await rangeOfMetric(deps, ACME, store.input(given)).catch((error: Error) => error.message);

test('memory, and the column store by itself, tell of random points what is told of those it gives', {
  timeout: 60_000,
}, async () => {
  let told = 0;
  for (const kind of KINDS)
    for (const fn of ASKED[kind]) {
      const question = {
        ...{ metric: `of_${kind}`, function: fn, quantile: [0, 0.5, 0.95][below(3)] as number },
        ...{ aggregate: AGGREGATES[below(AGGREGATES.length)] as 'sum', by: random() < 0.5 ? ['half'] : [] },
        from: new Date(T + below(20 * MINUTE)).toISOString(),
        to: new Date(T + 60 * MINUTE + below(10 * MINUTE)).toISOString(),
        step_seconds: [15, 60, 420, 900][below(4)] as number,
      };
      const [column, memory] = await Promise.all(stores.map((store) => answer(store, question)));
      if (typeof column !== 'object') throw new Error(column);
      if (column.series.length > 0) told++;
      const near = column.series.map(({ values, ...rest }) => ({
        ...rest,
        // Sums are made in another order.
        values: values.map((value) => expect.closeTo(value, 6)),
      }));
      expect(memory, JSON.stringify(question)).toEqual({ ...column, series: near });
      const [store] = stores;
      if (!store || kind.endsWith('histogram')) continue;
      expect(await answer(store, question, store.inStore), JSON.stringify(question)).toEqual({ ...column, series: near });
    }
  expect(told).toBeGreaterThan(10);
});
