import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { DIRECTORY_TABLES } from './directory.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

interface Column {
  name: string;
  type: string;
  /** The first label of an enum. */
  label: string | null;
}

interface Table {
  name: string;
  secured: boolean;
  forced: boolean;
  primaryKey: string[];
  policies: { permissive: boolean; roles: string[]; using: string | null; check: string | null }[];
  uniqueKeys: string[][];
  foreignKeys: { target: string; columns: string[]; targetColumns: string[] }[];
  /** Columns that need a value: not null, without default, not generated. */
  required: Column[];
}

const TABLES = `
SELECT c.relname AS name, c.relrowsecurity AS secured, c.relforcerowsecurity AS forced,
  COALESCE((SELECT json_agg(json_build_object('permissive', p.polpermissive, 'roles', p.polroles::text[],
    'using', pg_get_expr(p.polqual, c.oid), 'check', pg_get_expr(p.polwithcheck, c.oid))) FROM pg_policy p WHERE p.polrelid = c.oid), '[]') AS policies,
  COALESCE((SELECT json_agg(a.attname ORDER BY k.at) FROM pg_index i, unnest(i.indkey::int[]) WITH ORDINALITY k (attnum, at), pg_attribute a
    WHERE i.indrelid = c.oid AND i.indisprimary AND a.attrelid = c.oid AND a.attnum = k.attnum), '[]') AS "primaryKey",
  COALESCE((SELECT json_agg((SELECT COALESCE(json_agg(a.attname), '[]') FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (i.indkey::int[])))
    FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique), '[]') AS "uniqueKeys",
  COALESCE((SELECT json_agg(json_build_object('target', t.relname,
      'columns', (SELECT json_agg(a.attname ORDER BY k.at) FROM unnest(f.conkey::int[]) WITH ORDINALITY k (attnum, at), pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = k.attnum),
      'targetColumns', (SELECT json_agg(a.attname ORDER BY k.at) FROM unnest(f.confkey::int[]) WITH ORDINALITY k (attnum, at), pg_attribute a WHERE a.attrelid = t.oid AND a.attnum = k.attnum)))
    FROM pg_constraint f JOIN pg_class t ON t.oid = f.confrelid WHERE f.conrelid = c.oid AND f.contype = 'f'), '[]') AS "foreignKeys",
  COALESCE((SELECT json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, NULL),
      'label', (SELECT e.enumlabel FROM pg_enum e WHERE e.enumtypid = a.atttypid ORDER BY e.enumsortorder LIMIT 1)))
    FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull AND NOT a.atthasdef
      AND a.attgenerated = '' AND a.attidentity = ''), '[]') AS required
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname = 'public' ORDER BY 1`;

const POLICY = "(tenant_id = current_setting('app.tenant_id'::text))";
const [a, b] = [parseTenantId('tenant-a'), parseTenantId('tenant-b')];

let database: TestDatabase;
let owner: pg.Client;
let tables: Table[] = [];
const tenantTables = (): Table[] => tables.filter(({ name }) => !DIRECTORY_TABLES.includes(name));

/** Any value of the type; '{}' is text, JSON and an empty array alike. */
function literalOf({ type, label }: Column): string {
  if (label !== null) return pg.escapeLiteral(label);
  if (type === 'uuid') return 'gen_random_uuid()';
  if (type === 'bytea') return `'\\x00'`;
  if (type === 'boolean') return 'false';
  if (/^(timestamp|date)/.test(type)) return 'now()';
  if (/^(small|big)?int|^integer|^numeric|^double|^real/.test(type)) return '1';
  if (/^(inet|cidr)/.test(type)) return `'10.0.0.1'`;
  return `'{}'`;
}

function insertInto({ name, required }: Table, tenant: string): string {
  const others = required.filter((column) => column.name !== 'tenant_id');
  const columns = ['tenant_id', ...others.map((column) => pg.escapeIdentifier(column.name))];
  return `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${[pg.escapeLiteral(tenant), ...others.map(literalOf)].join(', ')})`;
}

/** What else guards a row (checks, foreign keys, triggers) is taken off this throw-away copy: row-level security has to hold alone. */
async function fillWithTwoTenants(): Promise<void> {
  const { rows } = await owner.query<{ sql: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT IF EXISTS %I CASCADE', conrelid::regclass, conname) AS sql
     FROM pg_constraint WHERE contype IN ('c', 'f') AND connamespace = 'public'::regnamespace AND conparentid = 0`,
  );
  for (const { sql } of rows) await owner.query(sql);
  for (const table of tenantTables()) {
    await owner.query(`ALTER TABLE ${table.name} DISABLE TRIGGER USER`);
    for (const tenant of [a, b]) {
      await owner.query(`BEGIN; SELECT set_config('app.tenant_id', '${tenant}', true); ${insertInto(table, tenant)}; COMMIT`);
    }
  }
}

const codeOf = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => 'done',
    (error: unknown) => String(Reflect.get(Object(error), 'code')),
  );

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  tables = (await owner.query<Table>(TABLES)).rows;
}, 60_000);
afterAll(async () => {
  await owner?.end();
  await database?.close();
});

describe('every tenant table', () => {
  test('has forced row-level security with exactly the one policy', () => {
    expect(tenantTables().length).toBeGreaterThan(0);
    for (const { name, secured, forced, policies } of tenantTables()) {
      expect({ name, secured, forced }).toEqual({ name, secured: true, forced: true });
      expect(policies, name).toEqual([{ permissive: true, roles: ['0'], using: POLICY, check: POLICY }]);
    }
  });

  test('has a primary key that begins with the tenant, and no key that two tenants could meet in', () => {
    for (const { name, primaryKey, uniqueKeys } of tenantTables()) {
      expect(primaryKey[0], name).toBe('tenant_id');
      for (const key of uniqueKeys) expect(key, `${name} is unique over ${key.join(', ')}`).toContain('tenant_id');
    }
  });

  test('refers to other tenant tables only together with the tenant, since foreign keys bypass row-level security', () => {
    for (const { name, foreignKeys } of tenantTables())
      for (const { target, columns, targetColumns } of foreignKeys) {
        if (DIRECTORY_TABLES.includes(target)) continue;
        expect(columns.indexOf('tenant_id'), `${name} -> ${target}`).toBeGreaterThanOrEqual(0);
        expect(targetColumns[columns.indexOf('tenant_id')], `${name} -> ${target}`).toBe('tenant_id');
      }
  });
});

describe('directory tables', () => {
  test('are exactly the listed ones', () => {
    const without = tables.filter(({ secured }) => !secured).map(({ name }) => name);
    expect(without).toEqual([...DIRECTORY_TABLES].sort());
  });

  test('give no privilege to svc_app, on no column', async () => {
    for (const name of DIRECTORY_TABLES) {
      const { rows } = await owner.query<{ any: boolean }>(
        `SELECT has_table_privilege('svc_app', $1, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
           OR has_any_column_privilege('svc_app', $1, 'SELECT, INSERT, UPDATE, REFERENCES') AS any`,
        [name],
      );
      expect({ name, any: rows[0]?.any }).toEqual({ name, any: false });
    }
  });

  test('are reached by functions with a fixed search path that PUBLIC may not call', async () => {
    const { rows } = await owner.query<{ name: string; definer: boolean; config: string[] | null; open: boolean }>(
      `SELECT p.proname AS name, p.prosecdef AS definer, p.proconfig AS config,
         EXISTS (SELECT 1 FROM aclexplode(COALESCE(p.proacl, acldefault('f', p.proowner))) g WHERE g.grantee = 0) AS open
       FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND (p.prosecdef OR p.proname LIKE 'directory\\_%')`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(row).toEqual({ name: row.name, definer: true, config: ['search_path=public, pg_temp'], open: false });
    }
  });
});

test('nothing else holds rows: no view, no foreign table, no materialised view', async () => {
  const { rows } = await owner.query(
    `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind NOT IN ('r', 'p', 'i', 'I', 'S', 't', 'c')`,
  );
  expect(rows).toEqual([]);
});

test('svc_app owns nothing, makes nothing and is bound by row-level security', async () => {
  const { rows } = await owner.query(
    `SELECT r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb AS powerful,
       has_schema_privilege('svc_app', 'public', 'CREATE') OR has_database_privilege('svc_app', current_database(), 'CREATE, TEMP') AS makes,
       EXISTS (SELECT 1 FROM pg_class WHERE relowner = r.oid) AS owns,
       pg_has_role('svc_app', 'svc_owner', 'MEMBER') AS member
     FROM pg_roles r WHERE rolname = 'svc_app'`,
  );
  expect(rows).toEqual([{ powerful: false, makes: false, owns: false, member: false }]);
});

describe('with rows of two tenants', () => {
  beforeAll(fillWithTwoTenants, 60_000);

  const privilege = async (name: string, what: string): Promise<boolean> =>
    (await owner.query<{ ok: boolean }>(`SELECT has_table_privilege('svc_app', $1, $2) AS ok`, [name, what])).rows[0]?.ok ===
    true;

  test('one sees, changes and removes nothing of the other', async () => {
    for (const table of tenantTables()) {
      const { name } = table;
      if (!(await privilege(name, 'SELECT'))) continue;
      const seen = await database.relational.withTenantSql(
        b,
        async (sql) => (await sql.query(`SELECT tenant_id FROM ${name}`)).rows,
      );
      expect(seen, name).toEqual([{ tenant_id: b }]);
      for (const [what, sql] of [
        ['UPDATE', `UPDATE ${name} SET tenant_id = tenant_id WHERE tenant_id = '${a}'`],
        ['DELETE', `DELETE FROM ${name} WHERE tenant_id = '${a}'`],
      ] as const) {
        if (!(await privilege(name, what))) continue;
        const changed = await database.relational.withTenantSql(b, async (client) => (await client.query(sql)).rowCount);
        expect(changed, `${what} ${name}`).toBe(0);
      }
    }
  });

  test('a row with the id of the other is refused', async () => {
    for (const table of tenantTables()) {
      const refused = await codeOf(database.relational.withTenantSql(b, async (sql) => await sql.query(insertInto(table, a))));
      expect(refused, table.name).toBe('42501');
    }
  });

  test('a connection that never had a tenant gets an error, one whose transaction is over sees nothing', async () => {
    const app = new pg.Client({ connectionString: database.appUrl });
    await app.connect();
    for (const { name } of tenantTables()) {
      if (await privilege(name, 'SELECT')) expect(await codeOf(app.query(`SELECT 1 FROM ${name}`)), name).toBe('42704');
    }
    await app.query(`BEGIN; SELECT set_config('app.tenant_id', '${a}', true); COMMIT`);
    for (const { name } of tenantTables()) {
      if (await privilege(name, 'SELECT')) expect((await app.query(`SELECT 1 FROM ${name}`)).rowCount, name).toBe(0);
    }
    await app.end();
  });
});
