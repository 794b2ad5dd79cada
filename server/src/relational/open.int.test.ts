import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AppError, parseTenantId } from '#kernel';
import { createTenant, findTenant, listTenants, releaseLease, takeLease } from './directory.ts';
import { openRelational } from './open.ts';
import { isUniqueViolation } from './pool.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase;
let owner: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase({ poolSize: 3 });
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await owner.query(`CREATE TABLE notes (tenant_id text NOT NULL, id int NOT NULL, PRIMARY KEY (tenant_id, id));
    ALTER TABLE notes ENABLE ROW LEVEL SECURITY; ALTER TABLE notes FORCE ROW LEVEL SECURITY;
    CREATE POLICY tenant_isolation ON notes USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
    GRANT SELECT, INSERT, UPDATE, DELETE ON notes TO svc_app`);
}, 60_000);
afterAll(async () => {
  await owner.end();
  await database.close();
});

const a = parseTenantId('tenant-a');
const b = parseTenantId('tenant-b');

describe('one transaction in one tenant', () => {
  test('the tenant is set inside of both doors', async () => {
    const sql = `SELECT current_setting('app.tenant_id') AS t`;
    expect(await database.relational.withTenantSql(a, async (client) => (await client.query(sql)).rows)).toEqual([{ t: a }]);
    expect(await database.relational.withTenant(a, async (db) => await db.$queryRawUnsafe(sql))).toEqual([{ t: a }]);
  });

  test('a failing unit of work leaves nothing, and its error comes out as it was', async () => {
    const failure = new AppError('conflict', 'no');
    for (const id of [1, 2]) {
      const work =
        id === 1
          ? database.relational.withTenantSql(a, async (sql) => {
              await sql.query('INSERT INTO notes VALUES ($1, $2)', [a, id]);
              throw failure;
            })
          : database.relational.withTenant(a, async (db) => {
              await db.$executeRaw`INSERT INTO notes VALUES (${a}, ${id})`;
              throw failure;
            });
      await expect(work).rejects.toBe(failure);
    }
    expect((await owner.query("SELECT set_config('app.tenant_id', 'tenant-a', false)")).rowCount).toBe(1);
    expect((await owner.query('SELECT * FROM notes')).rows).toEqual([]);
  });

  test('many at once, more than there are connections, each sees its own tenant', async () => {
    const seen = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const tenant = parseTenantId(`t-${index}`);
        const rows = await database.relational.withTenantSql(tenant, async (sql) => {
          await sql.query('INSERT INTO notes VALUES ($1, 1)', [tenant]);
          return (await sql.query('SELECT tenant_id FROM notes')).rows;
        });
        return rows.length === 1 && rows[0].tenant_id === tenant;
      }),
    );
    expect(seen).toEqual(Array(40).fill(true));
  });

  test('a duplicate key is recognised by its constraint', async () => {
    const insert = async () =>
      await database.relational.withTenantSql(b, async (sql) => await sql.query('INSERT INTO notes VALUES ($1, 9)', [b]));
    await insert();
    const error = await insert().catch((one: unknown) => one);
    expect([isUniqueViolation(error), isUniqueViolation(error, 'notes_pkey'), isUniqueViolation(error, 'other')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('a duplicate key of a model is recognised by its constraint too', async () => {
    const create = async () =>
      await database.relational.withTenant(b, async (db) => {
        await db.agentPolicy.create({ data: { tenantId: b, version: 1, policy: {}, createdBy: 'somebody' } });
      });
    await create();
    const error = await create().catch((one: unknown) => one);
    const constraints = [undefined, 'agent_policies_pkey', 'other'];
    expect(constraints.map((constraint) => isUniqueViolation(error, constraint))).toEqual([true, true, false]);
  });

  test('a bound of the database that is reached is unavailable through both doors', async () => {
    const slow = [
      database.relational.withTenantSql(b, async (sql) => {
        await sql.query('SET LOCAL statement_timeout = 50');
        await sql.query('SELECT pg_sleep(5)');
      }),
      database.relational.withTenant(b, async (db) => {
        await db.$executeRaw`SET LOCAL statement_timeout = 50`;
        await db.$queryRaw`SELECT 1 FROM pg_sleep(5)`;
      }),
    ];
    for (const work of slow) await expect(work).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('what is no tenant id never reaches SQL', async () => {
    const evil = "x', true); DROP TABLE notes; --" as typeof a;
    await expect(database.relational.withTenantSql(evil, async () => 1)).rejects.toMatchObject({ code: 'validation' });
    await expect(database.relational.withTenant(evil, async () => 1)).rejects.toMatchObject({ code: 'validation' });
    await expect(database.relational.directory('x(); DROP TABLE notes; --')).rejects.toThrow(/directory function/);
  });

  test('a connection that breaks inside is unavailable, and is not used again', async () => {
    const other = new pg.Client({ connectionString: database.appUrl });
    await other.connect();
    const work = database.relational.withTenantSql(a, async (sql) => {
      sql.on('error', () => {});
      const [row] = (await sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
      await other.query('SELECT pg_terminate_backend($1)', [row?.pid]);
      await sql.query('SELECT 1');
    });
    await expect(work).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
    await other.end();
    expect(await database.relational.health()).toEqual({ status: 'ok' });
  });
});

test('a connection that breaks inside a unit of work fails that unit and nothing else', async () => {
  const other = new pg.Client({ connectionString: database.appUrl });
  await other.connect();
  const broken = database.relational.withTenantSql(a, async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await other.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    // The FATAL arrives while nobody waits for an answer.
    await sleep(200);
    await client.query('SELECT 1');
  });
  await expect(broken).rejects.toMatchObject({ code: 'unavailable' });
  await other.end();
  expect(await database.relational.withTenantSql(a, async (client) => (await client.query('SELECT 1 AS one')).rows)).toEqual([
    { one: 1 },
  ]);
});

test('tenants are made once and found', async () => {
  expect(await createTenant(database.relational, { id: 'acme', name: 'Acme' })).toBe(true);
  expect(await createTenant(database.relational, { id: 'acme', name: 'Other' })).toBe(false);
  expect(await findTenant(database.relational, 'acme')).toMatchObject({ name: 'Acme', is_demo: false });
  expect(await findTenant(database.relational, 'nobody')).toBeUndefined();
  expect((await listTenants(database.relational)).map(({ id }) => id)).toEqual(['acme']);
});

test('a lease has one holder until it ends or is released', async () => {
  const take = async (holder: string, ttlMs = 60_000) => await takeLease(database.relational, { name: 'sweep', holder, ttlMs });
  const first = await Promise.all(['one', 'two', 'three'].map(async (holder) => ((await take(holder)) ? holder : '')));
  const winners = first.filter(Boolean);
  expect(winners).toHaveLength(1);
  const [winner = ''] = winners;
  expect([await take(winner, 30), await take('other')]).toEqual([true, false]);
  await sleep(60);
  expect([await take('other'), await take(winner)]).toEqual([true, false]);
  await releaseLease(database.relational, { name: 'sweep', holder: winner });
  expect(await take(winner)).toBe(false);
  await releaseLease(database.relational, { name: 'sweep', holder: 'other' });
  expect(await take(winner)).toBe(true);
});

test('notifications arrive; after a lost connection a listener is told to read again, and later ones arrive', async () => {
  const relational = await openRelational({ appUrl: database.appUrl, log: pino({ level: 'silent' }), poolSize: 2 });
  const payloads: string[] = [];
  const unlisten = await relational.listen('svc_test', (payload) => payloads.push(payload));
  await owner.query("SELECT pg_notify('svc_test', 'one')");
  await vi.waitFor(() => expect(payloads).toEqual(['one']));
  const app = new pg.Client({ connectionString: database.appUrl });
  await app.connect();
  await app.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc listen' AND datname = current_database()",
  );
  await vi.waitFor(() => expect(payloads).toEqual(['one', '']), 5000);
  await app.query("SELECT pg_notify('svc_test', 'two')");
  await vi.waitFor(() => expect(payloads).toEqual(['one', '', 'two']));
  await unlisten();
  await app.query("SELECT pg_notify('svc_test', 'three')");
  await sleep(50);
  expect(payloads).toHaveLength(3);
  await app.end();
  await relational.close();
});

test('a role that row-level security does not bind is refused, and an unreachable database is named', async () => {
  const log = pino({ level: 'silent' });
  await expect(openRelational({ appUrl: database.ownerUrl, log })).rejects.toThrow(/"svc_owner" is the owner/);
  await expect(openRelational({ appUrl: 'postgres://x:y@127.0.0.1:1/svc', log })).rejects.toMatchObject({ code: 'unavailable' });
  const wrong = new URL(database.appUrl);
  wrong.password = 'wrong';
  await expect(openRelational({ appUrl: wrong.toString(), log })).rejects.toMatchObject({ code: 'unavailable' });
});
