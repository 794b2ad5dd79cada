import { expect, test } from 'vitest';
import { type PointBlock, PointRows } from './point-rows.ts';

type Row = readonly [fp: bigint, at: number, value: number];

const blockOf = (rows: readonly Row[]): PointBlock => ({
  fingerprint: BigUint64Array.from(rows, ([fp]) => fp),
  at: Float64Array.from(rows, ([, at]) => at),
  value: Float64Array.from(rows, ([, , value]) => value),
});

const read = (rows: PointRows, fp: bigint) => {
  const points = rows.of(fp);
  return points && Array.from(points.at, (at, i) => [at, points.value[i]]);
};

const NOW = 1_795_366_800_123;
/** Differ in one half each, which may have its highest bit. */
const [A, B, C] = [2n ** 63n + 2n ** 31n, 2n ** 63n + 6n, 2n ** 31n];

test('runs of a series are put behind one another, those of the earlier block first', () => {
  const rows = new PointRows([
    blockOf([
      [A, NOW, 1.5],
      [A, NOW + 1, Number.NaN],
      [B, NOW, -0],
      [C, NOW, 7],
      [C, NOW + 9, 8],
    ]),
    blockOf([]),
    blockOf([
      [A, NOW - 5, Number.NEGATIVE_INFINITY],
      [C, NOW - 3, 9],
    ]),
  ]);
  expect(rows.count).toBe(7);
  expect(rows.longest).toBe(3);
  expect(read(rows, A)).toEqual([
    [NOW - 5, Number.NEGATIVE_INFINITY],
    [NOW, 1.5],
    [NOW + 1, Number.NaN],
  ]);
  expect(read(rows, B)).toEqual([[NOW, -0]]);
  expect(read(rows, C)).toEqual([
    [NOW - 3, 9],
    [NOW, 7],
    [NOW + 9, 8],
  ]);
  expect(read(rows, 6n)).toBeUndefined();
});

test('a series that comes again within a block has its runs as they lie', () => {
  const rows = new PointRows([
    blockOf([
      [A, NOW, 1],
      [B, NOW, 2],
      [A, NOW - 1, 3],
    ]),
  ]);
  expect(read(rows, A)).toEqual([
    [NOW, 1],
    [NOW - 1, 3],
  ]);
});

test('nothing has no series', () => {
  const rows = new PointRows([]);
  expect(rows.count).toBe(0);
  expect(rows.longest).toBe(0);
  expect(rows.of(A)).toBeUndefined();
});
