import { describe, expect, test } from 'vitest';
import { classicQuantile, exponentialQuantile, mergeClassic } from './quantile.ts';

describe('classic histograms', () => {
  const latency = { bounds: [0.1, 0.5, 1], counts: [10, 30, 40, 20] };

  test.each([
    // rank 50 of 100: 10 lie below 0.5 + 40 up to it, so 10 of the 40 in (0.5, 1].
    [0.5, 0.625],
    // rank 5: half of the first bucket, which begins at 0.
    [0.05, 0.05],
    // rank 40: the end of the second bucket.
    [0.4, 0.5],
    // In the open bucket nothing is known but its lower bound.
    [0.99, 1],
    [0, 0],
    [1, 1],
  ])('the quantile %s is %s', (phi, value) => expect(classicQuantile(phi, latency)).toBeCloseTo(value, 12));

  test('a first bucket that ends below zero has no beginning to interpolate from', () => {
    expect(classicQuantile(0.5, { bounds: [-5, 5], counts: [10, 1, 0] })).toBe(-5);
  });

  test('without an observation there is no quantile', () => {
    expect(classicQuantile(0.5, { bounds: [1], counts: [0, 0] })).toBeNaN();
    expect(classicQuantile(0.5, { bounds: [], counts: [3] })).toBeNaN();
  });

  test('histograms with other bounds add up at the bounds they share', () => {
    const merged = mergeClassic([
      { bounds: [1, 2, 4], counts: [1, 2, 3, 4] },
      { bounds: [2, 3, 4], counts: [10, 20, 30, 40] },
    ]);
    expect(merged).toEqual({ bounds: [2, 4], counts: [13, 53, 44] });
    expect(
      mergeClassic([
        { bounds: [1], counts: [1, 0] },
        { bounds: [2], counts: [1, 0] },
      ]),
    ).toEqual({ bounds: [], counts: [2] });
  });
});

describe('exponential histograms', () => {
  const of = (entries: [number, number][]) => new Map(entries);
  const empty = of([]);

  test('interpolates along the exponent', () => {
    // Scale 0: base 2. Four values in (1, 2], four in (2, 4].
    const buckets = {
      scale: 0,
      zeroCount: 0,
      zeroThreshold: 0,
      positive: of([
        [0, 4],
        [1, 4],
      ]),
      negative: empty,
    };
    expect(exponentialQuantile(0.5, buckets)).toBeCloseTo(2, 12);
    expect(exponentialQuantile(0.25, buckets)).toBeCloseTo(2 ** 0.5, 12);
    expect(exponentialQuantile(0.75, buckets)).toBeCloseTo(2 ** 1.5, 12);
    expect(exponentialQuantile(1, buckets)).toBe(4);
  });

  test('a finer scale has a smaller base, a coarser one a larger', () => {
    const positive = of([[4, 2]]);
    const at = (scale: number) => exponentialQuantile(1, { scale, zeroCount: 0, zeroThreshold: 0, positive, negative: empty });
    // 2^(5 * 2^-1), 2^(5 * 2^1)
    expect(at(1)).toBeCloseTo(2 ** 2.5, 12);
    expect(at(-1)).toBe(1024);
  });

  test('goes from negative values over zero to positive ones', () => {
    const buckets = {
      scale: 0,
      zeroCount: 2,
      zeroThreshold: 0.5,
      positive: of([[0, 2]]),
      negative: of([
        [0, 2],
        [1, 2],
      ]),
    };
    // Lowest first: (-4, -2], (-2, -1], zero, (1, 2].
    expect(exponentialQuantile(0, buckets)).toBe(-4);
    expect(exponentialQuantile(0.25, buckets)).toBe(-2);
    expect(exponentialQuantile(0.5, buckets)).toBe(-1);
    expect(exponentialQuantile(0.625, buckets)).toBe(0);
    expect(exponentialQuantile(1, buckets)).toBe(2);
  });

  test('values near zero have the sign of all others', () => {
    const zeros = { scale: 0, zeroCount: 4, zeroThreshold: 1, negative: empty };
    expect(exponentialQuantile(0.5, { ...zeros, positive: of([[3, 4]]) })).toBe(1);
    expect(exponentialQuantile(0.25, { ...zeros, positive: of([[3, 4]]) })).toBe(0.5);
    expect(exponentialQuantile(0.5, { ...zeros, positive: empty })).toBe(0.5);
  });

  test('without an observation there is no quantile', () => {
    expect(exponentialQuantile(0.5, { scale: 0, zeroCount: 0, zeroThreshold: 0, positive: empty, negative: empty })).toBeNaN();
  });
});
