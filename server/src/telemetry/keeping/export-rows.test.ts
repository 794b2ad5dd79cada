import { expect, test } from 'vitest';
import { joinStretches } from './export-rows.ts';

const join = (rows: readonly [stretch: number, rows: number][], most: number) => [
  ...joinStretches(
    rows.map(([stretch, count]) => ({ stretch, rows: count })),
    most,
  ),
];

test('stretches with few rows are read together, one with many alone, and none is left out', () => {
  const found: [number, number][] = [
    [1, 200],
    [2, 300],
    [7, 1],
    [8, 9000],
    [9, 499],
    [12, 1],
  ];
  expect(join(found, 500)).toEqual([
    { first: 1, last: 2 },
    { first: 7, last: 7 },
    { first: 8, last: 8 },
    { first: 9, last: 12 },
  ]);
  expect(join([], 500)).toEqual([]);
});

test('none is joined where rows of two may be alike', () => {
  expect(
    join(
      [
        [1, 0],
        [2, 1],
      ],
      0,
    ),
  ).toEqual([
    { first: 1, last: 1 },
    { first: 2, last: 2 },
  ]);
});
