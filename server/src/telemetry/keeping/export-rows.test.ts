import { expect, test } from 'vitest';
import { AppError, type TenantId } from '#kernel';
import { exportColumns, joinStretches } from './export-rows.ts';

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

test('rows too large for one answer are read in fewer at a time, and one that is too large alone says so', async () => {
  const all = Array.from({ length: 23 }, (_, index) => ({ n: index, key_0: String(index) }));
  const asked: number[] = [];
  const storeOf = (most: number) => ({
    read: async <T>(_tenant: TenantId, sql: string, params: Record<string, unknown> = {}) => {
      if (sql.includes('AS stretch')) return [{ stretch: 1, rows: all.length }] as T[];
      const limit = Number(/LIMIT (\d+)$/.exec(sql)?.[1]);
      asked.push(limit);
      if (limit > most) throw new AppError('query_limit', 'too large');
      const after = params.key_0 === undefined ? -1 : Number(params.key_0);
      return all.filter(({ n }) => n > after).slice(0, limit) as T[];
    },
  });
  const table = { table: 't', select: 'n', key: [['n', 'UInt32']], stretch: { of: 'n', within: '1' }, pageRows: 500 } as const;
  const given: unknown[] = [];
  for await (const rows of exportColumns(storeOf(10), 'acme' as TenantId, table)) given.push(...rows);
  expect(given).toEqual(all.map(({ n }) => ({ n })));
  expect(asked.slice(0, 4)).toEqual([500, 125, 31, 7]);
  const none = exportColumns(storeOf(0), 'acme' as TenantId, table);
  await expect(none.next()).rejects.toMatchObject({ code: 'query_limit' });
});
