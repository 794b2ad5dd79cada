import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { type BlockColumns, createMemoryTelemetry, type EncodedBlock, openTelemetry, type Telemetry } from '#telemetry';
import { OtlpFault, type Signal, walk } from '../wire/index.ts';
import { encodeConforming } from '../wire/test-conforming.ts';
import { makeRequest, seedRandom } from '../wire/test-requests.ts';
import { createLogBuilder, createMetricBuilder, createSpanBuilder } from './index.ts';

const nowMs = Date.now();
const ACME = parseTenantId('acme');
const REQUESTS = 800;
const BUILDERS = {
  traces: createSpanBuilder,
  logs: createLogBuilder,
  metrics: () => createMetricBuilder({ application: 30, host: 30, flow: 30 }),
};

let folder: string;
let telemetry: Telemetry;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-otlp-memory-'));
  const migrationsDir = fileURLToPath(new URL('../../../../../clickhouse/migrations', import.meta.url));
  telemetry = await openTelemetry({ dataDir: folder, migrationsDir, log: pino({ level: 'silent' }) });
});
afterAll(async () => {
  await telemetry?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Blocks of requests with every kind of field. */
function buildBlocks(signal: Signal): EncodedBlock[] {
  const random = seedRandom(7);
  const builder = BUILDERS[signal]();
  for (let i = 0; i < REQUESTS; i++) {
    const bytes = encodeConforming(signal, makeRequest(signal, random, { tenant: ACME, nowMs }));
    try {
      walk(signal, bytes, { tenant: ACME, nowMs });
    } catch (error) {
      if (error instanceof OtlpFault) continue;
      throw error;
    }
    const place = { partition: i % 3, offsetLow: i, offsetHigh: i % 2 };
    builder.add({ tenant: ACME, bytes, at: nowMs, ...place, large: i % 2 === 0, stored: undefined });
  }
  // Memory computes without marks.
  return builder.finish().blocks.filter(({ table }) => table !== 'edge_marks');
}

/** A value as text, or as lists of texts, that loses nothing of it. */
function sqlOf(type: string, value: string): string {
  if (type.startsWith('DateTime64(9)')) return `toString(toUnixTimestamp64Nano(${value}))`;
  if (type.startsWith('DateTime64(3)')) return `toString(toUnixTimestamp64Milli(${value}))`;
  if (type === 'Float64') return `toString(reinterpretAsUInt64(${value}))`;
  if (type.startsWith('FixedString')) return `lower(hex(${value}))`;
  const item = /^Array\((.+)\)$/.exec(type)?.[1];
  if (item) return `arrayMap(x -> ${sqlOf(item, 'x')}, ${value})`;
  if (type.startsWith('Map')) return `[mapKeys(${value}), arrayMap(v -> toString(v), mapValues(${value}))]`;
  return `toString(${value})`;
}

function valueAt(column: unknown, row: number): unknown {
  if (column instanceof Float64Array) return String(new BigUint64Array(column.slice(row, row + 1).buffer)[0]);
  if (ArrayBuffer.isView(column)) return String((column as Uint8Array)[row]);
  const read = column as Record<'hex' | 'at', ((row: number) => string) | undefined> & ReturnType<BlockColumns['lists']>;
  if (read.hex) return read.hex(row);
  if (read.at) return read.at(row);
  if ('keys' in read) {
    const { keys, values } = (column as ReturnType<BlockColumns['maps']>).entries(row);
    return [keys, values];
  }
  const [from, to] = [read.ranges.from(row), read.ranges.to(row)];
  return Array.from({ length: to - from }, (_, i) => valueAt(read.items, from + i));
}

async function readColumnStore(table: string, names: readonly string[]): Promise<string[]> {
  const { store } = telemetry;
  const typeSql = "SELECT name, type FROM system.columns WHERE table = {table:String} AND {tenant:String} != ''";
  const types = new Map(
    (await store?.read<{ name: string; type: string }>(ACME, typeSql, { table }))?.map((row) => [row.name, row.type]),
  );
  const list = names.map((name) => `${sqlOf(types.get(name) ?? '', `t.${name}`)} AS ${name}`).join(', ');
  const rows = await store?.read<Record<string, unknown>>(
    ACME,
    `SELECT ${list} FROM ${table} AS t WHERE tenant_id = {tenant:String}`,
  );
  return (rows ?? []).map((row) => JSON.stringify(names.map((name) => row[name]))).sort();
}

async function readMemory({ memory }: Telemetry, table: string, names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  await memory?.scan(ACME, { table }, ({ rows, columns }) => {
    for (const row of rows) found.push(JSON.stringify(names.map((name) => valueAt(columns.texts(name), row))));
  });
  return found.sort();
}

test.each<Signal>(['traces', 'logs', 'metrics'])(
  'blocks of %s read the same out of memory and out of the column store',
  async (signal) => {
    const memory = createMemoryTelemetry();
    const blocks = buildBlocks(signal);
    for (const block of blocks) {
      await telemetry.store?.writeEncoded(block);
      await memory.memory?.writeEncoded(block);
    }
    const tables = new Map(blocks.map(({ table, columns }) => [table, columns]));
    expect(tables.size).toBe(signal === 'metrics' ? 4 : 1);
    for (const [table, names] of tables) {
      const [stored, kept] = [await readColumnStore(table, names), await readMemory(memory, table, names)];
      expect(stored.length).toBeGreaterThan(0);
      if (signal !== 'metrics') expect(kept).toEqual(stored);
      // Of points at the same series and time the column store keeps one.
      else expect(stored.filter((row) => !kept.includes(row))).toEqual([]);
    }
    const rows = blocks.reduce((sum, block) => sum + block.rows, 0);
    expect(rows).toBeGreaterThan(100);
  },
);
