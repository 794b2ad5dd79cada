import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Block, ByteSink, encodeBlock } from '@svc/bytes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError, parseTenantId, readUntil, type TenantId } from '#kernel';
import type { WriteClaim } from './claims.ts';
import { createColumnStore } from './clickhouse.ts';
import type { Engine } from './engine/engine.ts';
import { migrateStore } from './migrate.ts';
import type { ColumnStore, EncodedBlock } from './ports.ts';

const TENANT = parseTenantId('acme');
const OTHER = parseTenantId('other');

const TYPES_TABLE = `CREATE TABLE every_type (tenant_id LowCardinality(String), text String, low LowCardinality(String), u8 UInt8, u16 UInt16,
  u32 UInt32, u64 UInt64, f Float64, id UUID, ts DateTime64(3), m Map(LowCardinality(String), String), n Map(LowCardinality(String), Float64))
  ENGINE = MergeTree PARTITION BY tenant_id ORDER BY u8`;

const CLAIMS_TABLE = new URL('../../../clickhouse/migrations/0012_write_claims.sql', import.meta.url);

const typesBlock = (tenant: string): Block => ({
  table: 'every_type',
  rows: 3,
  columns: [
    { name: 'tenant_id', type: 'LowCardinality(String)', values: [tenant, tenant, tenant] },
    { name: 'text', type: 'String', values: ['', "é€😀\n\n'; DROP TABLE every_type; --", 'y'.repeat(300)] },
    { name: 'low', type: 'LowCardinality(String)', values: ['', 'p', 'p'] },
    { name: 'u8', type: 'UInt8', values: [0, 1, 255] },
    { name: 'u16', type: 'UInt16', values: [0, 1, 65_535] },
    { name: 'u32', type: 'UInt32', values: [0, 1, 4_294_967_295] },
    { name: 'u64', type: 'UInt64', values: [0, 1n, 18_446_744_073_709_551_615n] },
    { name: 'f', type: 'Float64', values: [-1.5, Number.NaN, 1e300] },
    {
      name: 'id',
      type: 'UUID',
      values: [
        '0192f0c1-2345-7abc-8def-0123456789ab',
        '00000000-0000-0000-0000-000000000000',
        'FFFFFFFF-1111-2222-3333-444444444444',
      ],
    },
    { name: 'ts', type: 'DateTime64(3)', values: [Date.UTC(2026, 1, 2, 3, 4, 5, 678), -1, 0] },
    { name: 'm', type: 'Map(LowCardinality(String), String)', values: [{}, { a: '1', b: 'two' }, { a: '3' }] },
    { name: 'n', type: 'Map(LowCardinality(String), Float64)', values: [{ z: 1.25 }, {}, { a: 2, z: -3 }] },
  ],
});

const READ_TYPES = `SELECT text, low, u8, u16, u32, toString(u64) AS u64, f, toString(id) AS id, toUnixTimestamp64Milli(ts) AS ts, m, n
  FROM every_type WHERE tenant_id = {tenant:String} ORDER BY u8`;

/** What every engine must do for the column store. */
export function describeColumnStore(name: string, open: () => Promise<Engine>): void {
  describe(`column store on ${name}`, () => {
    let engine: Engine;
    let store: ColumnStore;
    beforeAll(async () => {
      engine = await open();
      store = createColumnStore(engine);
      await engine.command(TYPES_TABLE);
      await engine.command((await readFile(CLAIMS_TABLE, 'utf8')).replace(/;\s*$/, ''));
    });
    afterAll(() => engine.close());

    test('a question that takes long holds up nobody else', async () => {
      const ended: string[] = [];
      const ask = async (tenant: TenantId, seconds: number) => {
        await store.read(tenant, 'SELECT sleep({seconds:Float64}) FROM numbers(1) WHERE {tenant:String} != toString(0)', {
          seconds,
        });
        ended.push(tenant);
      };
      await Promise.all([ask(TENANT, 0.5), ask(OTHER, 0)]);
      expect(ended).toEqual([OTHER, TENANT]);
    });

    test('a tenant that asks too much at once is refused, waits in its own line, and holds up neither another tenant nor the system', async () => {
      const slow = 'SELECT sleep(0.2) FROM numbers(1) WHERE {tenant:String} != toString(0)';
      const quick = 'SELECT 1 AS one WHERE {tenant:String} != toString(0)';
      const flood = Array.from({ length: 80 }, () => store.read(TENANT, slow));
      const settled = Promise.allSettled(flood);
      await expect(flood.at(-1)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
      const start = performance.now();
      expect(await store.read(OTHER, quick)).toEqual([{ one: 1 }]);
      expect(await store.read(TENANT, quick, {}, { background: true })).toEqual([{ one: 1 }]);
      expect(performance.now() - start).toBeLessThan(1000);
      const refused = (await settled).filter(({ status }) => status === 'rejected');
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.length).toBeLessThan(80);
    });

    test('an answer has a bound in bytes, and a read gives way where the memory of the engine ends', async () => {
      const large = "SELECT repeat('x', 900000 + number % 2) AS text FROM numbers(100) WHERE {tenant:String} != toString(0)";
      await expect(store.read(TENANT, large)).rejects.toMatchObject({ code: 'query_limit' });
    });

    test('a parameter is one value, whatever it holds and however long it is', async () => {
      const odd = "'; DROP TABLE every_type; --\\'\n\n{tenant:String} \0 é😀";
      const many = Array.from({ length: 20_000 }, (_, i) => 2n ** 64n - BigInt(i + 1));
      const sql = `SELECT {odd:String} AS text, {words:Array(String)} AS words, length({many:Array(UInt64)}) AS n,
        toString({many:Array(UInt64)}[20000]) AS last, length({none:Array(String)}) AS none, {tenant:String} AS whose`;
      expect(await store.read(TENANT, sql, { odd, words: [odd, ''], many, none: [] })).toEqual([
        { text: odd, words: [odd, ''], n: 20_000, last: String(2n ** 64n - 20_000n), none: 0, whose: TENANT },
      ]);
    });

    test('knows what its disk has left and what each tenant keeps on it', async () => {
      await engine.command(
        'CREATE TABLE by_day (tenant_id String, day Date) ENGINE = MergeTree PARTITION BY (tenant_id, day) ORDER BY day',
      );
      await engine.command("INSERT INTO by_day SELECT 'keeps-much', today() FROM numbers(100000)");
      await engine.command("INSERT INTO by_day SELECT 'keeps-less', today()");
      const { freeBytes, totalBytes, tenants } = await store.diskUse();
      expect(freeBytes).toBeGreaterThan(0);
      expect(totalBytes).toBeGreaterThan(freeBytes);
      const [much, less] = ['keeps-much', 'keeps-less'].map((tenant) => tenants.get(parseTenantId(tenant)) ?? 0);
      expect(less).toBeGreaterThan(0);
      expect(much).toBeGreaterThan(less ?? 0);
      expect([...tenants.keys()]).not.toContain('tuple');
      await engine.command('DROP TABLE by_day');
    });

    test('gives back every column type as it was written', async () => {
      await store.write(typesBlock(TENANT));
      expect(await store.read(TENANT, READ_TYPES)).toEqual([
        {
          text: '',
          low: '',
          u8: 0,
          u16: 0,
          u32: 0,
          u64: '0',
          f: -1.5,
          id: '0192f0c1-2345-7abc-8def-0123456789ab',
          ts: 1_770_001_445_678,
          m: {},
          n: { z: 1.25 },
        },
        {
          text: "é€😀\n\n'; DROP TABLE every_type; --",
          low: 'p',
          u8: 1,
          u16: 1,
          u32: 1,
          u64: '1',
          f: null,
          id: '00000000-0000-0000-0000-000000000000',
          ts: -1,
          m: { a: '1', b: 'two' },
          n: {},
        },
        {
          text: 'y'.repeat(300),
          low: 'p',
          u8: 255,
          u16: 65_535,
          u32: 4_294_967_295,
          u64: '18446744073709551615',
          f: 1e300,
          id: 'ffffffff-1111-2222-3333-444444444444',
          ts: 0,
          m: { a: '3' },
          n: { a: 2, z: -3 },
        },
      ]);
    });

    test('shows a tenant its own rows only, whatever the tenant is called', async () => {
      expect(await store.read(OTHER, READ_TYPES)).toEqual([]);
      expect(await store.read("acme' OR '1'='1" as typeof TENANT, READ_TYPES)).toEqual([]);
    });

    test('gives columns of numbers', async () => {
      const sql =
        'SELECT u64, toFloat64(u16) AS n FROM every_type WHERE tenant_id = {tenant:String} AND u8 >= {least:UInt8} ORDER BY u8';
      const blocks = await store.readColumns(TENANT, sql, { least: 1 });
      expect(blocks.reduce((rows, block) => rows + block.rows, 0)).toBe(2);
      const last = (column: number) => (blocks.at(-1)?.columns[column] as BigUint64Array | Float64Array | undefined)?.at(-1);
      expect([last(0), last(1)]).toEqual([18_446_744_073_709_551_615n, 65_535]);
      expect(await store.readColumns(OTHER, sql, { least: 0 })).toEqual([]);
      await expect(store.readColumns(TENANT, 'SELECT 1')).rejects.toMatchObject({ code: 'internal' });
      await expect(store.readColumns(TENANT, sql, { least: 0 }, { maxRows: 2 })).rejects.toMatchObject({ code: 'query_limit' });
    });

    test.each([
      ['does not use the tenant', 'SELECT 1', {}],
      ['hides it in a comment', 'SELECT 1 /* {tenant:String} */', {}],
      ['brings a tenant of its own', 'SELECT {tenant:String}', { tenant: 'other' }],
    ])('refuses a read that %s', async (...[, sql, params]) => {
      await expect(store.read(TENANT, sql, params)).rejects.toMatchObject({ code: 'internal' });
      await expect(store.derive(TENANT, sql, params)).rejects.toMatchObject({ code: 'internal' });
    });

    test('takes parameters as values, never as SQL', async () => {
      const sql = 'SELECT {text:String} AS text, {list:Array(String)} AS list WHERE {tenant:String} != {text:String}';
      const params = { text: "'; DROP TABLE every_type; --", list: ["a'b", 'c\\d', ''] };
      expect(await store.read(TENANT, sql, params)).toEqual([params]);
    });

    test('ends a read over its bounds with query_limit, not with a part of the answer', async () => {
      const slow = "SELECT count() AS n FROM numbers(100000000000) WHERE {tenant:String} != ''";
      await expect(store.read(TENANT, slow, {}, { timeoutMs: 300 })).rejects.toMatchObject({ code: 'query_limit' });
      const many = "SELECT number FROM numbers(1000) WHERE {tenant:String} != ''";
      await expect(store.read(TENANT, many, {}, { maxRows: 10 })).rejects.toMatchObject({ code: 'query_limit' });
      const large = "SELECT length(groupArray(number)) AS n FROM numbers(100000000) WHERE {tenant:String} != ''";
      await expect(store.read(TENANT, large)).rejects.toMatchObject({ code: 'query_limit' });
    });

    test('a read that nobody waits for any more ends in the engine too, and gives its turn to the next', async () => {
      const slow = "SELECT 'for nobody' AS whose, count() AS n FROM numbers(100000000000) WHERE {tenant:String} != ''";
      const gone = new AppError('unauthorized', 'Gone.');
      // chDB lists a query that was stopped until the next one of its session.
      const listed = `SELECT count() AS n FROM system.processes
        WHERE query LIKE '%for nobody%' AND query NOT LIKE '%processes%' AND NOT is_cancelled`;
      const running = async () =>
        (await engine.query<{ n: number }>({ sql: listed, params: {}, timeoutMs: 5000, maxRows: 1 }))[0]?.n;
      const ending = new AbortController();
      // More than a tenant may have at once: some wait in its line.
      const reads = readUntil(ending.signal, () => Array.from({ length: 6 }, () => store.read(TENANT, slow)));
      const settled = Promise.allSettled(reads);
      await expect.poll(running, { timeout: 5000, interval: 20 }).toBeGreaterThan(0);
      const began = performance.now();
      ending.abort(gone);
      const ends = await settled;
      expect(ends.map((end) => end.status === 'rejected' && end.reason)).toEqual(ends.map(() => gone));
      await expect.poll(running, { timeout: 5000, interval: 20 }).toBe(0);
      expect(performance.now() - began).toBeLessThan(5000);
      await expect(readUntil(ending.signal, () => store.read(TENANT, slow))).rejects.toBe(gone);
      expect(await store.read(TENANT, "SELECT 1 AS one WHERE {tenant:String} != ''")).toEqual([{ one: 1 }]);
    });

    test('what the system reads goes on when the request that began it ends', async () => {
      const ending = new AbortController();
      const sql = "SELECT sleep(0.2) AS zero FROM numbers(1) WHERE {tenant:String} != ''";
      const read = readUntil(ending.signal, () => store.read(TENANT, sql, {}, { background: true }));
      ending.abort(new AppError('unauthorized', 'Gone.'));
      expect(await read).toEqual([{ zero: 0 }]);
    });

    test('cannot write by a read', async () => {
      const sql = 'INSERT INTO every_type (tenant_id) VALUES ({tenant:String})';
      await expect(store.read(TENANT, sql)).rejects.toMatchObject({ code: 'internal' });
    });

    test('writes nothing of a block that holds a wrong value', async () => {
      const tenant = parseTenantId('wrong');
      const block = typesBlock(tenant);
      const columns = block.columns.map((column) =>
        column.name === 'u8' ? { name: 'u8', type: 'UInt8' as const, values: [0, 1, 256] } : column,
      );
      await expect(store.write({ ...block, columns })).rejects.toThrow(/UInt8/);
      await expect(store.write({ ...block, table: 'every_type; DROP' })).rejects.toMatchObject({ code: 'internal' });
      expect(await store.read(tenant, READ_TYPES)).toEqual([]);
    });

    test('takes a block that was encoded elsewhere, and no name of it as SQL', async () => {
      const tenant = parseTenantId('encoded');
      const { table, rows, columns } = typesBlock(tenant);
      const sink = new ByteSink();
      encodeBlock(sink, { table, rows, columns });
      const block = { table, rows, columns: columns.map(({ name }) => name), bytes: sink.view() };
      await expect(store.writeEncoded({ ...block, columns: ['text) SELECT 1; --'] })).rejects.toMatchObject({ code: 'internal' });
      await store.writeEncoded(block);
      expect(await store.read(tenant, READ_TYPES)).toHaveLength(3);
    });

    describe('a claim', () => {
      const encoded = (tenant: string, claim: WriteClaim): EncodedBlock => {
        const { table, rows, columns } = typesBlock(tenant);
        const sink = new ByteSink();
        encodeBlock(sink, { table, rows, columns });
        return { table, rows, columns: columns.map(({ name }) => name), bytes: sink.view(), claim };
      };
      const rows = async (tenant: string) => (await store.read(parseTenantId(tenant), READ_TYPES)).length;

      test('lets in what comes under the last one of a name, and nothing under those before it', async () => {
        const former = await store.claim('writer-1');
        await store.writeEncoded(encoded('claimed-a', former));
        const other = await store.claim('writer-10');
        const last = await store.claim('writer-1');
        await expect(store.writeEncoded(encoded('claimed-a', former))).rejects.toMatchObject({ code: 'conflict' });
        await store.writeEncoded(encoded('claimed-a', last));
        await store.writeEncoded(encoded('claimed-b', other));
        expect([await rows('claimed-a'), await rows('claimed-b')]).toEqual([6, 3]);
        const never = { writer: 'writer-2', id: 'nobody' };
        await expect(store.writeEncoded(encoded('claimed-c', never))).rejects.toMatchObject({ code: 'conflict' });
      });

      test('is held by one of those who claim at the same time', async () => {
        const claims = await Promise.all(Array.from({ length: 8 }, () => store.claim('writer-3')));
        const stored = await Promise.allSettled(claims.map((claim) => store.writeEncoded(encoded('claimed-d', claim))));
        expect(stored.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        expect(await rows('claimed-d')).toBe(3);
      });

      test('finds all that those before it will ever have stored', async () => {
        for (const round of [1, 2, 3, 4, 5, 6]) {
          const tenant = `claimed-e${round}`;
          const former = await store.claim('writer-4');
          const write = store.writeEncoded(encoded(tenant, former)).then(
            () => 3,
            () => 0,
          );
          await sleep(round);
          await store.claim('writer-4');
          const found = await rows(tenant);
          expect(await write).toBe(found);
          expect(await rows(tenant)).toBe(found);
        }
      });
    });

    test('takes one block of 300 tenants, and many blocks and reads side by side', async () => {
      const tenants = Array.from({ length: 300 }, (_, i) => `tenant-${i}`);
      const rows = tenants.length;
      const columns: Block['columns'] = [
        { name: 'tenant_id', type: 'LowCardinality(String)', values: tenants },
        { name: 'text', type: 'String', values: tenants },
      ];
      await store.write({ table: 'every_type', rows, columns });
      const counts = Array.from({ length: 20 }, async (_, i) => {
        await store.write(typesBlock(`side-${i}`));
        return (await store.read(parseTenantId(`side-${i}`), READ_TYPES)).length;
      });
      expect(await Promise.all(counts)).toEqual(new Array(20).fill(3));
      expect(await store.read(parseTenantId('tenant-299'), READ_TYPES)).toHaveLength(1);
    });

    test('is healthy', async () => {
      expect(await store.health()).toEqual({ status: 'ok' });
    });

    describeMigrations(() => engine);
  });
}

function describeMigrations(engineOf: () => Engine): void {
  test('migrates in order, once, and refuses an edited, a missing and an unknown file', async () => {
    const engine = engineOf();
    const directory = await mkdtemp(join(tmpdir(), 'svc-migrations-'));
    const put = (file: string, sql: string) => writeFile(join(directory, file), sql);
    const apply = () => migrateStore(engine, { directory, mode: 'apply' });
    try {
      await put('0002_second.sql', '-- why\nALTER TABLE first ADD COLUMN IF NOT EXISTS b UInt8;\n');
      await put('0001_first.sql', 'CREATE TABLE IF NOT EXISTS first (a UInt8) ENGINE = MergeTree ORDER BY a;\nSELECT 1;\n');
      expect(await apply()).toEqual(['0001_first.sql', '0002_second.sql']);
      expect(await apply()).toEqual([]);
      await engine.command('INSERT INTO first (a, b) SELECT 1, 2');
      await put('0003_third.sql', 'SELECT 1');
      await expect(migrateStore(engine, { directory, mode: 'check' })).rejects.toThrow(/lacks 1 migrations/);
      await put('0001_first.sql', 'CREATE TABLE first (a UInt16) ENGINE = MergeTree ORDER BY a;');
      await expect(apply()).rejects.toThrow(/0001_first.sql was edited/);
      await rm(join(directory, '0001_first.sql'));
      await expect(apply()).rejects.toThrow(/newer version.*0001_first.sql/);
    } finally {
      await rm(directory, { recursive: true });
    }
  });
}
