import { encodeTestBlock, type TestColumn } from '@svc/testkit/native-block';
import { describe, expect, test } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import type { Maps } from './columns.ts';
import { BlockColumns, keepBlock } from './kept-block.ts';
import { createMemoryTables, type MemoryQuery, type MemoryTables } from './tables.ts';

const ACME = parseTenantId('acme');
const OTHER = parseTenantId('other');
const NOW = Date.parse('2026-11-21T12:00:00Z');
const MS = 1_000_000n;
const MINUTE = 60_000;

/** Records of a tenant each, numbered by their body, a minute apart. */
function records(tenants: readonly string[], { from = 0, startMs = NOW - 60 * MINUTE, body = '' } = {}) {
  return encodeTestBlock('logs', [
    { name: 'tenant_id', type: 'LowCardinality(String)', values: tenants },
    { name: 'ts', type: 'DateTime64(9)', values: tenants.map((_, i) => BigInt(startMs + (from + i) * MINUTE) * MS) },
    { name: 'body', type: 'String', values: tenants.map((_, i) => `${from + i}${body}`) },
  ]);
}

async function bodies(tables: MemoryTables, tenant: TenantId, query: Partial<MemoryQuery> = {}): Promise<string[]> {
  const found: string[] = [];
  await tables.scan(tenant, { table: 'logs', ...query }, ({ rows, columns }) => {
    for (const row of rows) found.push(columns.texts('body').at(row));
  });
  return found;
}

describe('a table in memory', () => {
  test('shows a tenant its own rows, of a block that several share and of one of its own', async () => {
    const tables = createMemoryTables({ now: () => NOW });
    await tables.writeEncoded(records(['acme', 'other', 'acme']));
    await tables.writeEncoded(records(['other', 'other'], { from: 3 }));
    expect(await bodies(tables, ACME)).toEqual(['0', '2']);
    expect(await bodies(tables, OTHER)).toEqual(['3', '4', '1']);
    expect(await bodies(tables, parseTenantId('nobody'))).toEqual([]);
  });

  test('gives what lies in a window, its end left out', async () => {
    const tables = createMemoryTables({ now: () => NOW });
    await tables.writeEncoded(records(['acme', 'acme', 'acme', 'acme']));
    const at = (minutes: number) => BigInt(NOW - 60 * MINUTE + minutes * MINUTE) * MS;
    expect(await bodies(tables, ACME, { fromNs: at(1), toNs: at(3) })).toEqual(['1', '2']);
    expect(await bodies(tables, ACME, { fromNs: at(4) })).toEqual([]);
    expect(await bodies(tables, ACME, { toNs: at(0) })).toEqual([]);
    expect(await bodies(tables, ACME, { fromNs: at(0) + 1n })).toEqual(['1', '2', '3']);
  });

  test('keeps its own copy of what was written', async () => {
    const tables = createMemoryTables({ now: () => NOW });
    const block = records(['acme']);
    await tables.writeEncoded(block);
    block.bytes.fill(0xff);
    expect(await bodies(tables, ACME)).toEqual(['0']);
  });

  test('lets the oldest go when there is no room, and counts them; other tables keep theirs', async () => {
    const tables = createMemoryTables({ maxBytes: 400_000, now: () => NOW });
    const series = encodeTestBlock('metric_series', [
      { name: 'tenant_id', type: 'LowCardinality(String)', values: ['acme'] },
      { name: 'metric', type: 'LowCardinality(String)', values: ['cpu'] },
    ]);
    await tables.writeEncoded(series);
    for (let i = 0; i < 50; i++) await tables.writeEncoded(records(['acme'], { from: i, body: 'x'.repeat(10_000) }));
    const kept = (await bodies(tables, ACME)).map((text) => Number.parseInt(text, 10));
    expect(kept[0]).toBe(49);
    expect(kept.length).toBeLessThan(11);
    expect(tables.use()).toMatchObject({ maxBytes: 400_000, droppedRows: { logs: 50 - kept.length } });
    expect(tables.use().bytes).toBeLessThan(130_000);
    let names = 0;
    await tables.scan(ACME, { table: 'metric_series' }, ({ rows }) => {
      names += rows.length;
    });
    expect(names).toBe(1);
  });

  test('forgets what is older than it is kept, which is no loss', async () => {
    let now = NOW;
    const tables = createMemoryTables({ now: () => now });
    await tables.writeEncoded(records(['acme']));
    now += 16 * 86_400_000;
    await tables.writeEncoded(records(['acme'], { from: 7, startMs: now - 60 * MINUTE }));
    expect(await bodies(tables, ACME)).toEqual(['7']);
    expect(tables.use().droppedRows).toEqual({});
  });

  test('keeps points as long as they say', async () => {
    let now = NOW;
    const tables = createMemoryTables({ now: () => now });
    const points = (days: number) =>
      encodeTestBlock('metric_points', [
        { name: 'tenant_id', type: 'LowCardinality(String)', values: ['acme'] },
        { name: 'ts', type: 'DateTime64(3)', values: [now] },
        { name: 'keep_days', type: 'UInt16', values: [days] },
      ]);
    const kept = async (): Promise<number[]> => {
      const days: number[] = [];
      await tables.scan(ACME, { table: 'metric_points' }, ({ rows, columns }) => {
        for (const row of rows) days.push(columns.numbers('keep_days')[row] as number);
      });
      return days;
    };
    await tables.writeEncoded(points(40));
    await tables.writeEncoded(points(2));
    now += 3 * 86_400_000;
    await tables.writeEncoded(points(40));
    expect(await kept()).toEqual([40, 40]);
    now += 31 * 86_400_000;
    await tables.writeEncoded(points(7));
    expect(await kept()).toEqual([7, 40, 40]);
  });

  test('lets others run during a long question, ends it in time, and at a word', async () => {
    const tables = createMemoryTables({ now: () => NOW });
    await tables.writeEncoded(records(new Array(50_000).fill('acme')));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const linger = () => {
      for (const end = performance.now() + 6; performance.now() < end; );
    };
    await tables.scan(ACME, { table: 'logs' }, linger);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
    await expect(tables.scan(ACME, { table: 'logs', timeoutMs: 10 }, linger)).rejects.toMatchObject({ code: 'unavailable' });
    let visits = 0;
    await tables.scan(ACME, { table: 'logs' }, () => ++visits < 2);
    expect(visits).toBe(2);
  });

  test('takes no block that it cannot read, and no table of another slice', async () => {
    const tables = createMemoryTables({ now: () => NOW });
    const { bytes, ...block } = records(['acme', 'other']);
    for (const size of [0, 1, 2, 20, bytes.length - 1])
      await expect(tables.writeEncoded({ ...block, bytes: bytes.subarray(0, size) })).rejects.toThrow();
    await expect(tables.writeEncoded({ ...block, rows: 1, bytes })).rejects.toThrow('rows');
    await expect(tables.writeEncoded({ ...block, bytes: Buffer.concat([bytes, bytes]) })).rejects.toThrow('last column');
    await expect(tables.writeEncoded({ ...block, table: 'results', bytes })).rejects.toMatchObject({ code: 'internal' });
    expect(await bodies(tables, ACME)).toEqual([]);
    expect(tables.use().bytes).toBe(0);
  });
});

test('every type comes back as it was written, entries of maps in their order', () => {
  const columns: TestColumn[] = [
    { name: 'odd', type: 'String', values: ['', 'é€😀\0', 'y'.repeat(300)] },
    { name: 'low', type: 'LowCardinality(String)', values: ['p', '', 'p'] },
    { name: 'u8', type: 'UInt8', values: [0, 1, 255] },
    { name: 'u32', type: 'UInt32', values: [0, 1, 4_294_967_295] },
    { name: 'i32', type: 'Int32', values: [-1, 0, 7] },
    { name: 'u64', type: 'UInt64', values: [0n, 1n, 2n ** 64n - 1n] },
    { name: 'f', type: 'Float64', values: [-1.5, 0, 1e300] },
    { name: 'ts', type: 'DateTime64(9)', values: [-1n, 0n, 1_795_255_200_123_456_789n] },
    { name: 'id', type: 'FixedString(8)', values: ['', '00112233445566ff', 'aa'.repeat(8)] },
    {
      name: 'map',
      type: 'Map(LowCardinality(String), String)',
      values: [
        [],
        [
          ['b', '1'],
          ['2', 'x'],
          ['1', ''],
        ],
        [['b', '3']],
      ],
    },
    { name: 'resource', type: 'Map(LowCardinality(String), LowCardinality(String))', values: [[['k', 'v']], [], [['k', '']]] },
    { name: 'counts', type: 'Array(UInt64)', values: [[], [1n, 2n], [3n]] },
    { name: 'names', type: 'Array(LowCardinality(String))', values: [[], [], []] },
    {
      name: 'maps',
      type: 'Array(Map(LowCardinality(String), String))',
      values: [
        [[], [['a', '1']]],
        [],
        [
          [
            ['a', '2'],
            ['c', '3'],
          ],
        ],
      ],
    },
  ];
  const read = new BlockColumns(keepBlock(encodeTestBlock('spans', columns)));
  expect([0, 1, 2].map((row) => read.texts('odd').at(row))).toEqual(['', 'é€😀\0', 'y'.repeat(300)]);
  expect([0, 1, 2].map((row) => read.lows('low').at(row))).toEqual(['p', '', 'p']);
  expect(read.lows('low').idOf('nothing')).toBe(-1);
  expect([...read.numbers('u8'), ...read.numbers('u32'), ...read.numbers('i32')]).toEqual([
    0, 1, 255, 0, 1, 4_294_967_295, -1, 0, 7,
  ]);
  expect([...read.wides('u64')]).toEqual([0n, 1n, 2n ** 64n - 1n]);
  expect([...read.numbers('f')]).toEqual([-1.5, 0, 1e300]);
  expect([...read.wides('ts')]).toEqual([-1n, 0n, 1_795_255_200_123_456_789n]);
  const ids = read.ids('id');
  expect([ids.isZero(0), ids.isZero(1), ids.hex(1), ids.is(2, Buffer.alloc(8, 0xaa))]).toEqual([
    true,
    false,
    '00112233445566ff',
    true,
  ]);
  expect(read.maps('map').entries(1)).toEqual({ keys: ['b', '2', '1'], values: ['1', 'x', ''] });
  expect([read.maps('map').find(2, 'b'), read.maps('map').find(2, '2'), read.maps('resource').find(2, 'k')]).toEqual([
    '3',
    undefined,
    '',
  ]);
  const { ranges, items } = read.lists<BigUint64Array>('counts');
  expect(items.slice(ranges.from(1), ranges.to(1))).toEqual(BigUint64Array.of(1n, 2n));
  expect(read.lists('names').ranges.total).toBe(0);
  const maps = read.lists<Maps>('maps');
  expect(maps.items.entries(maps.ranges.from(2))).toEqual({ keys: ['a', 'c'], values: ['2', '3'] });
  expect(() => read.texts('nothing')).toThrow('no column nothing');
});
