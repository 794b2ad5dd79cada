import { describe, expect, it } from 'vitest';
import { findTimeBounds } from './out-of-time.ts';
import type { Signal } from './signal.ts';
import { AMPLIFIERS } from './test-amplifiers.ts';
import { decodeConforming, encodeConforming } from './test-conforming.ts';
import { makeRequest, seedRandom } from './test-requests.ts';
import { walk } from './walk.ts';
import { walkBody } from './walker.ts';
import { chargeOf, cutToWeight, FREE_WEIGHT, MAX_FACTOR, weightLimit } from './weight.ts';

const nowMs = Date.now();
const tenant = 'acme';
const SIGNALS: readonly Signal[] = ['traces', 'logs', 'metrics'];
const weigh = (signal: Signal, bytes: Buffer) =>
  walkBody(signal, bytes, { tenant: Buffer.from(tenant), nowMs, ...findTimeBounds(signal, nowMs) });
const MIB = 1024 * 1024;

describe('what a request may weigh', () => {
  it.each([
    [1, FREE_WEIGHT],
    [FREE_WEIGHT / MAX_FACTOR, FREE_WEIGHT],
    [4 * MIB, 40 * MIB],
    [16 * MIB, 80 * MIB],
    [64 * MIB, 192 * MIB],
  ])('of %i bytes is %i', (bytes, most) => expect(weightLimit(bytes)).toBe(most));
});

describe('what a tenant is charged', () => {
  it.each([
    [1000, 3700, 1000],
    [1000, 4000, 1000],
    [1000, 100_000, 25_000],
  ])('for %i bytes that weigh %i is %i', (bytes, weight, charge) => expect(chargeOf(bytes, weight)).toBe(charge));

  it.each(AMPLIFIERS.filter(({ name }) => /127 attributes|(resource|scope|entities|schema) of half/.test(name)))(
    'for $name is many times its bytes',
    ({ signal, make }) => {
      const body = make(100_000, nowMs);
      expect(walk(signal, body, { tenant, nowMs }).charge).toBeGreaterThan(4 * body.length);
    },
  );
});

it.each(SIGNALS)(
  'a random request of %s within its weight comes back as it is, and the walker weighs no less than is cut by',
  (signal) => {
    const random = seedRandom(17);
    for (let i = 0; i < 400; i++) {
      const bytes = encodeConforming(signal, makeRequest(signal, random, { nowMs }));
      expect(cutToWeight(signal, bytes, weigh(signal, bytes).weight)).toBe(bytes);
    }
  },
);

it.each(SIGNALS)('a random request of %s that is cut anywhere is valid, and what is left is its beginning', (signal) => {
  const random = seedRandom(18);
  let cuts = 0;
  for (let i = 0; i < 300; i++) {
    const bytes = encodeConforming(signal, makeRequest(signal, random, { nowMs }));
    const { items, weight } = weigh(signal, bytes);
    const cut = cutToWeight(signal, bytes, Math.round(bytes.length + (weight - bytes.length) * random.unit()));
    const left = weigh(signal, cut).items;
    expect(left).toBeLessThanOrEqual(items);
    expect(recordsOf(decodeConforming(signal, cut))).toEqual(recordsOf(decodeConforming(signal, bytes)).slice(0, left));
    if (left > 0 && left < items) cuts++;
  }
  expect(cuts).toBeGreaterThan(20);
});

/** Each record, with the resource and scope that it is under. */
function recordsOf(request: object): unknown[] {
  const lists = (value: object, wanted: RegExp): object[] =>
    Object.entries(value).flatMap(([name, one]) => (wanted.test(name) && one !== null ? [one as object].flat() : []));
  return lists(request, /^resource_/).flatMap((resource) =>
    lists(resource, /^scope_/).flatMap((scope) =>
      lists(scope, /^(spans|log_records|metrics)$/).flatMap((record) => {
        const around = [Reflect.get(resource, 'resource'), Reflect.get(scope, 'scope')];
        const points = lists(record, /^(gauge|sum|histogram|exponential_histogram|summary)$/).flatMap((data) =>
          lists(data, /^data_points$/),
        );
        return /"metrics"/.test(JSON.stringify(Object.keys(scope)))
          ? points.map((point) => [...around, point])
          : [[...around, record]];
      }),
    ),
  );
}

describe('one log record under, at and over the bound', () => {
  const records = 1000;
  const bytes = Buffer.concat([Buffer.from([10, 0xd3, 15, 18, 0xd0, 15]), Buffer.alloc(2 * records, Buffer.from([18, 0]))]);
  const { weight } = weigh('logs', bytes);
  const left = (most: number): number => weigh('logs', cutToWeight('logs', bytes, most)).items;

  it.each([
    [1, records],
    [0, records],
    [-1, records - 1],
    [-400, records - 3],
  ])('%i bytes: %i are kept', (more, kept) => expect(left(weight + more)).toBe(kept));
});

it.each(AMPLIFIERS.map(({ name, ...one }) => [`${one.signal}: ${name}`, one] as const))(
  'of %s at most the bound is acknowledged, and the rest is reported',
  (_, { signal, make }) => {
    const body = make(MIB, nowMs);
    const { bytes, items, rejected, tooHeavy, rejectReason } = walk(signal, body, { tenant, nowMs });
    const left = weigh(signal, bytes);
    expect(left.items).toBe(items - tooHeavy);
    expect(left.rejected).toBe(rejected - tooHeavy);
    expect(left.weight).toBeLessThan(1.1 * weightLimit(bytes.length));
    expect(rejectReason).toMatch(
      tooHeavy === 0 ? /^$/ : /^The last .* refused\. .* Send smaller requests or fewer attributes\.$/,
    );
  },
);
