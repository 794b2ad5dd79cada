import { createLogBuilder, createMetricBuilder, createSpanBuilder } from '@svc/otlp-wire/rows';
import { encodeConforming } from '@svc/otlp-wire/test-conforming';
import { makeRequest, seedRandom } from '@svc/otlp-wire/test-requests';
import { OtlpFault, type Signal, walk } from '@svc/otlp-wire/walk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import type { AnswerBlock, EncodedBlock, Telemetry } from '#telemetry';
import { openTestTelemetry } from '#test-telemetry';

const nowMs = Date.now();
const ACME = parseTenantId('acme');
const REQUESTS = 800;
const BUILDERS = {
  traces: createSpanBuilder,
  logs: createLogBuilder,
  metrics: () => createMetricBuilder({ application: 30, host: 30, flow: 30 }),
};

let telemetry: Telemetry;
beforeAll(async () => {
  telemetry = await openTestTelemetry();
});
afterAll(() => telemetry?.close());

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
  // Its times are the store's own.
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

/** What the classes of decoded columns have in common, to be told apart by what is there. */
interface Readable {
  hex?: (row: number) => string;
  at?: (row: number) => string;
  entries?: (row: number) => { keys: string[]; values: string[] };
  ranges: { from(row: number): number; to(row: number): number };
  items: AnswerBlock['columns'][number];
}

function valueAt(column: AnswerBlock['columns'][number], row: number): unknown {
  if (column instanceof Float64Array) return String(new BigUint64Array(column.slice(row, row + 1).buffer)[0]);
  if (ArrayBuffer.isView(column)) return String((column as Uint8Array)[row]);
  const read = column as unknown as Readable;
  if (read.hex) return read.hex(row);
  if (read.at) return read.at(row);
  const { keys, values } = read.entries?.(row) ?? {};
  if (keys) return [keys, values];
  const [from, to] = [read.ranges.from(row), read.ranges.to(row)];
  return Array.from({ length: to - from }, (_, i) => valueAt(read.items, from + i));
}

async function readColumnStore(table: string, names: readonly string[]): Promise<string[]> {
  const { store } = telemetry;
  const typeSql = "SELECT name, type FROM system.columns WHERE table = {table:String} AND {tenant:String} != ''";
  const types = new Map(
    (await store.read<{ name: string; type: string }>(ACME, typeSql, { table })).map((row) => [row.name, row.type]),
  );
  const list = names.map((name) => `${sqlOf(types.get(name) ?? '', `t.${name}`)} AS ${name}`).join(', ');
  const rows = await store.read<Record<string, unknown>>(
    ACME,
    `SELECT ${list} FROM ${table} AS t WHERE tenant_id = {tenant:String}`,
  );
  return rows.map((row) => JSON.stringify(names.map((name) => row[name]))).sort();
}

/** The same as our decoder has it. */
async function decodeColumns(table: string, names: readonly string[]): Promise<string[]> {
  const list = names.map((name) => `t.${name}`).join(', ');
  const sql = `SELECT ${list} FROM ${table} AS t WHERE tenant_id = {tenant:String}`;
  const blocks = await telemetry.store.readColumns(ACME, sql);
  return blocks
    .flatMap(({ rows, columns }) =>
      Array.from({ length: rows }, (_, row) => JSON.stringify(columns.map((column) => valueAt(column, row)))),
    )
    .sort();
}

test.each<Signal>(['traces', 'logs', 'metrics'])('rows of %s are decoded as the column store prints them', async (signal) => {
  const blocks = buildBlocks(signal);
  for (const block of blocks) await telemetry.store.writeEncoded(block);
  const tables = new Map(blocks.map(({ table, columns }) => [table, columns]));
  expect(tables.size).toBe(signal === 'metrics' ? 4 : 1);
  let rows = 0;
  for (const [table, names] of tables) {
    const printed = await readColumnStore(table, names);
    rows += printed.length;
    expect(await decodeColumns(table, names)).toEqual(printed);
  }
  expect(rows).toBeGreaterThan(100);
});
