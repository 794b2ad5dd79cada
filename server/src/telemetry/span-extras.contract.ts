import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSpanExtras, type SpanExtras, type SpanLink } from '@svc/contracts/otlp/span-extras';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from './engine/engine.ts';
import { migrateStore } from './migrate.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../clickhouse/migrations', import.meta.url));
const FILE = '0015_span_extras.sql';
const ODD = 'quote"back\\slash/\n\t\0é€😀{}';
const QUOTED = `'${ODD.replaceAll('\\', '\\\\').replaceAll('\0', '\\0')}'`;
const TRACE = '0A'.repeat(16);
const SPAN = 'FF'.repeat(8);
const COLUMNS = [
  'event_ts',
  'link_trace_ids',
  'link_span_ids',
  'link_attributes',
  'link_attribute_types',
  'link_trace_states',
  'link_flags',
  'dropped',
];

const link = (more: Partial<SpanLink>): SpanLink => ({
  traceId: '0'.repeat(32),
  spanId: '0'.repeat(16),
  traceState: '',
  flags: 0,
  attributes: { keys: [], values: [], types: '' },
  droppedAttributesCount: 0,
  ...more,
});
const nothing: SpanExtras = {
  links: [],
  droppedAttributesCount: 0,
  droppedEventsCount: 0,
  droppedLinksCount: 0,
  droppedOfEvents: [],
};
/** Rows as they were written before, and what has to be read of them. */
const ROWS: Readonly<Record<string, { values: string; read: SpanExtras }>> = {
  nothing: { values: '[now64(9)], [], [], [], [], [], [], []', read: nothing },
  zeros: { values: '[], [], [], [], [], [], [], [0, 0, 0]', read: nothing },
  // Of before migration 0011.
  old: {
    values: `[], [unhex('${TRACE}')], [unhex('${SPAN}')], [map('k', 'v')], ['i'], [], [], [0, 0, 7]`,
    read: {
      ...nothing,
      links: [
        link({
          traceId: TRACE.toLowerCase(),
          spanId: SPAN.toLowerCase(),
          attributes: { keys: ['k'], values: ['v'], types: 'i' },
        }),
      ],
      droppedLinksCount: 7,
    },
  },
  both: {
    values: `[now64(9), now64(9)], [unhex('${TRACE}'), ''], [unhex('${SPAN}'), ''], [map('2', ${QUOTED}, '1', ''), map()],
      ['ss', ''], ['vendor=1', ''], [769, 0], [1, 2, 3, 0, 5, 0, 4294967295]`,
    read: {
      links: [
        link({
          traceId: TRACE.toLowerCase(),
          spanId: SPAN.toLowerCase(),
          traceState: 'vendor=1',
          flags: 769,
          attributes: { keys: ['2', '1'], values: [ODD, ''], types: 'ss' },
        }),
        link({ droppedAttributesCount: 4_294_967_295 }),
      ],
      droppedAttributesCount: 1,
      droppedEventsCount: 2,
      droppedLinksCount: 3,
      droppedOfEvents: [0, 5],
    },
  },
};

/** Two parts, of which the first has nothing to carry over. */
async function writeAsBefore(engine: Engine): Promise<void> {
  const rows = Object.entries(ROWS).map(
    ([name, { values }], at) => `('shop', '${name}', now64(9) - toIntervalMinute(${at}), ${values})`,
  );
  for (const part of [rows.slice(0, 2), rows.slice(2)])
    await engine.command(`INSERT INTO spans (tenant_id, name, ts, ${COLUMNS.join(', ')}) VALUES ${part.join(', ')}`);
}

const ask = <Row>(engine: Engine, sql: string): Promise<Row[]> =>
  engine.query<Row>({ sql, params: {}, timeoutMs: 10_000, maxRows: 100 });

async function readExtras(engine: Engine): Promise<unknown> {
  const rows = await ask<{ name: string; extras: string }>(engine, 'SELECT name, extras FROM spans ORDER BY ts DESC');
  return rows.map(({ name, extras }) => [name, extras === '' ? '' : parseSpanExtras(extras)]);
}

/** The parts of a file that end in a semicolon and are about spans. */
const statementsOf = async (file: string): Promise<string[]> =>
  (await readFile(join(MIGRATIONS, file), 'utf8'))
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*\n/)
    .filter((part) => /^\s*(CREATE TABLE IF NOT EXISTS|ALTER TABLE) spans\b/.test(part));

/** What spans had in seven lists stands in `extras` after migration 0015. Leaves the table `spans` empty of others' rows. */
export function describeSpanExtras(name: string, open: () => Promise<Engine>): void {
  describe(`spans of before ${FILE} on ${name}`, () => {
    let engine: Engine;
    let alone: string;
    beforeAll(async () => {
      alone = await mkdtemp(join(tmpdir(), 'svc-extras-'));
      await symlink(join(MIGRATIONS, FILE), join(alone, FILE));
      engine = await open();
    });
    afterAll(async () => {
      await engine?.close();
      await rm(alone, { recursive: true });
    });

    test.each([0, 3, 4])('have what they had, also where an earlier attempt ended after %i statements', async (done) => {
      for (const table of ['spans', 'schema_migrations']) await engine.command(`DROP TABLE IF EXISTS ${table} SYNC`);
      for (const file of (await readdir(MIGRATIONS)).filter((one) => one < FILE).sort())
        for (const statement of await statementsOf(file)) await engine.command(statement);
      await writeAsBefore(engine);
      for (const statement of (await statementsOf(FILE)).slice(0, done)) await engine.command(statement);
      expect(await migrateStore(engine, { directory: alone, mode: 'apply' })).toEqual([FILE]);
      const expected = Object.entries(ROWS).map(([row, { read }]) => [row, read === nothing ? '' : read]);
      expect(await readExtras(engine)).toEqual(expected);
      await engine.command('OPTIMIZE TABLE spans FINAL');
      expect(await readExtras(engine)).toEqual(expected);
      const lists = "(name = 'dropped' OR startsWith(name, 'link_'))";
      expect(
        await ask(engine, `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'spans' AND ${lists}`),
      ).toEqual([]);
    });
  });
}
