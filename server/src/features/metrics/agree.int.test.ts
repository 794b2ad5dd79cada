import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { AGGREGATES, type MetricKind, type RangeInput } from './api.ts';
import { rangeOfMetric } from './range.ts';
import { openTestStore, type TestSeries } from './test-store.ts';

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

/** What is asked of each kind: each question costs. */
const ASKED = {
  gauge: ['raw', 'avg', 'min'],
  sum: ['rate', 'increase', 'max'],
  delta: ['rate'],
} as const satisfies Partial<Record<MetricKind, readonly RangeInput['function'][]>>;
const KINDS = Object.keys(ASKED) as (keyof typeof ASKED)[];
/** Each is asked so many times, of other steps, windows and groups. */
const ROUNDS = 3;

let db: Awaited<ReturnType<typeof openTestStore>>;
beforeAll(async () => {
  db = await openTestStore(() => T + 80 * MINUTE);
  for (const kind of KINDS)
    for (let fp = 1; fp <= 2; fp++) {
      const series: TestSeries = { fp, metric: `of_${kind}`, kind, labels: { half: String(fp % 2), id: String(fp) } };
      await db.writePoints(ACME, series, counter());
    }
});
afterAll(() => db?.close());

type Asked = Partial<RangeInput> & { metric: string };
const answer = async (given: Asked, deps = db.deps) =>
  await rangeOfMetric(deps, ACME, db.input(given)).catch((error: Error) => error.message);

function questionOf(kind: (typeof KINDS)[number], fn: RangeInput['function']): Asked {
  return {
    ...{ metric: `of_${kind}`, function: fn },
    ...{ aggregate: AGGREGATES[below(AGGREGATES.length)] as 'sum', by: random() < 0.5 ? ['half'] : [] },
    from: new Date(T + below(20 * MINUTE)).toISOString(),
    to: new Date(T + 60 * MINUTE + below(10 * MINUTE)).toISOString(),
    step_seconds: [15, 60, 420, 900][below(4)] as number,
  };
}

test('the column store by itself tells of random points what is told of those it gives', { timeout: 60_000 }, async () => {
  let told = 0;
  for (const kind of KINDS)
    for (const fn of ASKED[kind].flatMap((one) => Array.from({ length: ROUNDS }, () => one))) {
      const question = questionOf(kind, fn);
      const ofPoints = await answer(question);
      if (typeof ofPoints !== 'object') throw new Error(ofPoints);
      if (ofPoints.series.length > 0) told++;
      const near = ofPoints.series.map(({ values, ...rest }) => ({
        ...rest,
        // Sums are made in another order.
        values: values.map((value) => expect.closeTo(value, 6)),
      }));
      expect(await answer(question, db.inStore), JSON.stringify(question)).toEqual({ ...ofPoints, series: near });
    }
  expect(told).toBeGreaterThan(10);
});
