import { expect, test } from 'vitest';
import { PointRows } from './point-rows.ts';

type Row = readonly [fp: bigint, at: number, value: number];

function encode(rows: readonly Row[], offset = 0): Buffer {
  const bytes = Buffer.from(new ArrayBuffer(offset + rows.length * 24), offset);
  for (const [i, [fp, at, value]] of rows.entries()) {
    bytes.writeBigUInt64LE(fp, i * 24);
    bytes.writeBigInt64LE(BigInt(at), i * 24 + 8);
    bytes.writeDoubleLE(value, i * 24 + 16);
  }
  return bytes;
}

const read = (rows: PointRows, fp: bigint) => {
  const points = rows.of(fp);
  return points && Array.from(points.at, (at, i) => [at, points.value[i]]);
};

const NOW = 1_795_366_800_123;
/** Differ in one half each. */
const [A, B, C] = [2n ** 63n + 5n, 2n ** 63n + 6n, 5n];

test.each([0, 1, 8])('runs of a series are put behind one another, in memory from byte %i on', (offset) => {
  const rows = new PointRows(
    encode(
      [
        [A, NOW, 1.5],
        [A, NOW + 1, Number.NaN],
        [B, NOW, -0],
        [C, NOW, 7],
        [A, NOW - 5, Number.NEGATIVE_INFINITY],
        [C, NOW + 9, 8],
      ],
      offset,
    ),
  );
  expect(rows.count).toBe(6);
  expect(read(rows, A)).toEqual([
    [NOW, 1.5],
    [NOW + 1, Number.NaN],
    [NOW - 5, Number.NEGATIVE_INFINITY],
  ]);
  expect(read(rows, B)).toEqual([[NOW, -0]]);
  expect(read(rows, C)).toEqual([
    [NOW, 7],
    [NOW + 9, 8],
  ]);
  expect(read(rows, 6n)).toBeUndefined();
});

test('nothing has no series', () => {
  const rows = new PointRows(Buffer.alloc(0));
  expect(rows.count).toBe(0);
  expect(rows.of(A)).toBeUndefined();
});
