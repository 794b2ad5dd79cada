// The models in prisma/ say what the migrations made: a column, key or default that only one of the two has fails here.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findMigrationsDir } from './migrate.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

interface Table {
  columns: Record<string, string>;
  primaryKey: string;
  uniqueKeys: string[];
  foreignKeys: string[];
}

const TYPES: Readonly<Record<string, string>> = {
  String: 'text',
  Boolean: 'bool',
  Int: 'int4',
  BigInt: 'int8',
  Float: 'float8',
  Json: 'jsonb',
  Bytes: 'bytea',
  '@db.Uuid': 'uuid',
  '@db.Date': 'date',
  '@db.Inet': 'inet',
  '@db.Timestamptz(3)': 'timestamptz(3)',
};

/** Arguments of an attribute such as `@map(...)`; its own brackets are balanced. */
const argumentOf = (line: string, attribute: string): string | undefined =>
  new RegExp(`(?:^|\\s)${attribute}\\(((?:[^()]|\\([^()]*(?:\\([^()]*\\))?[^()]*\\))*)\\)`).exec(line)?.[1];

/** The default as PostgreSQL shows it. */
function defaultOf(line: string): string {
  const given = argumentOf(line, '@default');
  if (given === undefined) return '';
  if (given === 'dbgenerated()') return ' generated';
  const verbatim = /^dbgenerated\("(.*)"\)$/.exec(given)?.[1];
  if (verbatim !== undefined) return ` default ${verbatim}`;
  if (given === '[]') return ` default '{}'::text[]`;
  return ` default ${given.startsWith('"') ? `'${given.slice(1, -1)}'::${/ Json\b/.test(line) ? 'jsonb' : 'text'}` : given}`;
}

/** Null is not told of a list: a Prisma list that is null in the database reads as an empty one. */
function columnOf(line: string, [type = '', mark = '']: readonly [string?, string?]): string {
  const base = TYPES[/@db\.\w+(\(\d\))?/.exec(line)?.[0] ?? type] ?? `unknown ${type}`;
  const written = mark === '[]' ? `${base}[]` : `${base}${mark === '?' ? ' null' : ''}`;
  return `${written}${defaultOf(line)}`;
}

function readModels(): Record<string, Table> {
  const folder = join(findMigrationsDir(), '..', 'models');
  const text = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const bodies = [...text.join('\n').matchAll(/^model (\w+) \{\n([\s\S]*?)^\}/gm)].map(([, name = '', body = '']) => ({
    name,
    lines: body.split('\n').map((line) => line.trim()),
  }));
  const tableOf = new Map(
    bodies.map(({ name, lines }) => [
      name,
      lines
        .map((line) => argumentOf(line, '@@map'))
        .find(Boolean)
        ?.slice(1, -1) ?? name,
    ]),
  );
  const columnNames = new Map(
    bodies.map(({ name, lines }) => [
      name,
      new Map(
        lines.map((line) => [line.split(' ')[0] ?? '', argumentOf(line, '@map')?.slice(1, -1) ?? line.split(' ')[0] ?? '']),
      ),
    ]),
  );
  const namesIn = (model: string, list = ''): string =>
    [...list.matchAll(/\w+/g)].map(([field]) => columnNames.get(model)?.get(field) ?? `unknown ${field}`).join(', ');

  return Object.fromEntries(
    bodies.map(({ name, lines }): [string, Table] => {
      const table: Table = { columns: {}, primaryKey: '', uniqueKeys: [], foreignKeys: [] };
      for (const line of lines) {
        const [, field = '', type = '', mark] = /^(\w+)\s+(\w+)(\[\]|\?)?/.exec(line) ?? [];
        const relation = argumentOf(line, '@relation');
        const keys = (attribute: string): string => namesIn(name, argumentOf(line, attribute)?.replace(/, map:.*/, ''));
        if (relation !== undefined) {
          const [, from, to] = /fields: (\[.*?\]), references: (\[.*?\])/.exec(relation) ?? [];
          const onDelete = /onDelete: (\w+), onUpdate: NoAction/.exec(relation)?.[1];
          table.foreignKeys.push(`${namesIn(name, from)} -> ${tableOf.get(type)} ${namesIn(type, to)} ${onDelete}`);
        } else if (field && !tableOf.has(type)) table.columns[namesIn(name, field)] = columnOf(line, [type, mark]);
        if (/\s@id\b/.test(line)) table.primaryKey = namesIn(name, field);
        if (/\s@unique\b/.test(line)) table.uniqueKeys.push(namesIn(name, field));
        if (line.startsWith('@@id')) table.primaryKey = keys('@@id');
        if (line.startsWith('@@unique')) table.uniqueKeys.push(keys('@@unique'));
      }
      table.uniqueKeys.sort();
      table.foreignKeys.sort();
      return [tableOf.get(name) ?? name, table];
    }),
  );
}

const COLUMNS = `
SELECT c.relname AS name,
  (SELECT json_object_agg(a.attname, replace(replace(format_type(a.atttypid, a.atttypmod), 'timestamp(3) with time zone', 'timestamptz(3)'), ' ', '_')
      || CASE WHEN a.attnotnull OR a.attndims > 0 THEN '' ELSE ' null' END
      || CASE WHEN a.attgenerated <> '' THEN ' generated' WHEN d.adbin IS NOT NULL THEN ' default ' || pg_get_expr(d.adbin, c.oid) ELSE '' END)
    FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
  (SELECT json_agg(json_build_object('primary', i.indisprimary, 'columns',
      (SELECT string_agg(a.attname, ', ' ORDER BY k.at) FROM unnest(i.indkey::int[]) WITH ORDINALITY k (attnum, at)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum)))
    FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND i.indexprs IS NULL AND i.indpred IS NULL) AS keys,
  COALESCE((SELECT json_agg(regexp_replace(pg_get_constraintdef(f.oid),
      '^FOREIGN KEY \\((.*)\\) REFERENCES (\\w+)\\((.*?)\\)(.*)$', '\\1 -> \\2 \\3\\4'))
    FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f'), '[]') AS foreign
FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND c.relname <> '_prisma_migrations'`;

/** PostgreSQL's long names of types by their short ones. */
const SHORT: Readonly<Record<string, string>> = { boolean: 'bool', integer: 'int4', bigint: 'int8', double_precision: 'float8' };

async function readTables(owner: pg.Client): Promise<Record<string, Table>> {
  const { rows } = await owner.query<{
    name: string;
    columns: Record<string, string>;
    keys: { primary: boolean; columns: string }[];
    foreign: string[];
  }>(COLUMNS);
  return Object.fromEntries(
    rows.map(({ name, columns, keys, foreign }) => [
      name,
      {
        columns: Object.fromEntries(
          Object.entries(columns).map(([column, text]) => [column, text.replace(/^\w+/, (type) => SHORT[type] ?? type)]),
        ),
        primaryKey: keys.find(({ primary }) => primary)?.columns ?? '',
        uniqueKeys: keys.flatMap((key) => (key.primary ? [] : [key.columns])).sort(),
        foreignKeys: foreign
          .map((text) =>
            text.endsWith(' ON DELETE CASCADE') ? text.replace(/ ON DELETE CASCADE$/, ' Cascade') : `${text} NoAction`,
          )
          .sort(),
      },
    ]),
  );
}

let database: TestDatabase;
let owner: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
}, 60_000);
afterAll(async () => {
  await owner?.end();
  await database?.close();
});

test('every table has its model, with the same columns, types, nulls, defaults and keys', async () => {
  expect(readModels()).toEqual(await readTables(owner));
});

test('a table or a column without a model is seen', async () => {
  await owner.query('CREATE TABLE stray (tenant_id text PRIMARY KEY); ALTER TABLE agents ADD COLUMN stray integer');
  const [tables, models] = [await readTables(owner), readModels()];
  expect(Object.keys(tables).filter((name) => !models[name])).toEqual(['stray']);
  expect(Object.keys(tables.agents?.columns ?? {}).filter((name) => !models.agents?.columns[name])).toEqual(['stray']);
});
