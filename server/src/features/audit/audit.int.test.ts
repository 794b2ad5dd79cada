import { PERMISSIONS } from '@svc/contracts/permissions';
import { measureFairShare, repeatAtOnce } from '@svc/testkit/fair-share';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createCallerFactory } from '#api';
import { createSealer } from '#crypto';
import { type Ctx, parseTenantId, systemClock, type TenantId } from '#kernel';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { createAudit } from './index.ts';

let database: TestDatabase;
let owner: pg.Client;
let tenant: TenantId;
let audit: ReturnType<typeof makeAudit>;
let count = 0;

const makeAudit = () =>
  createAudit({
    relational: database.relational,
    sealer: createSealer(Buffer.alloc(32, 1)),
    clock: systemClock,
    nameActors: async () => new Map([['ann', 'Ann B.']]),
    retentionDays: 400,
    dataDir: '/nonexistent',
    log: pino({ level: 'silent' }),
  });

beforeAll(async () => {
  database = await createTestDatabase({ poolSize: 8 });
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  audit = makeAudit();
});
afterAll(async () => {
  await owner.end();
  await database.close();
});
beforeEach(() => {
  count += 1;
  tenant = parseTenantId(`tenant-${count}`);
});

const append = (n: number, actor = 'ann') =>
  database.relational.withTenantSql(tenant, (sql) =>
    audit.appendAudit(sql, {
      actor: { kind: 'account', id: actor },
      action: 'thing.change',
      object: { type: 'thing', id: `t${n}` },
      detail: { n },
    }),
  );

const appendSome = async (entries: number) => {
  for (let n = 1; n <= entries; n++) await append(n);
};

const verify = () => audit.verify(tenant, { maxEntries: 1_000_000 });

/** The owner of the tables is the adversary here: row security off, any statement. */
const tamper = async (statement: string) => {
  await owner.query('BEGIN');
  await owner.query("SELECT set_config('app.tenant_id', $1, true)", [tenant]);
  const { rowCount } = await owner.query(statement);
  await owner.query('COMMIT');
  expect(rowCount).toBeGreaterThan(0);
};

const caller = (permissions: readonly string[] = PERMISSIONS) => {
  const ctx: Ctx = {
    principal: {
      kind: 'account',
      id: 'ann',
      tenant,
      permissions: new Set(PERMISSIONS.filter((one) => permissions.includes(one))),
    },
    requestId: 'r1',
  };
  return createCallerFactory(audit.procedures)({ requestId: 'r1', ctx });
};

test('entries of many transactions at once make one sound chain without a deadlock', async () => {
  await Promise.all(Array.from({ length: 100 }, (_, n) => append(n)));
  expect(await verify()).toMatchObject({ ok: true, checked: 100, headSeq: 100n, next: undefined });
});

test('transactions that write their entry before and after taking the same lock do not deadlock over the chain', async () => {
  const entry = { actor: { kind: 'system' as const, id: 'test' }, action: 'thing.change' };
  const run = (entryFirst: boolean) =>
    database.relational.withTenantSql(tenant, async (sql) => {
      if (entryFirst) await audit.appendAudit(sql, entry);
      await sql.query('SELECT pg_advisory_xact_lock(4711)');
      if (!entryFirst) await audit.appendAudit(sql, entry);
    });
  await Promise.all(Array.from({ length: 40 }, (_, n) => run(n % 2 === 0)));
  expect(await verify()).toMatchObject({ ok: true, checked: 40 });
});

test('an entry goes with its transaction when that rolls back, and leaves no gap', async () => {
  await append(1);
  await expect(
    database.relational.withTenantSql(tenant, async (sql) => {
      await audit.appendAudit(sql, { actor: { kind: 'account', id: 'ann' }, action: 'thing.change' });
      throw new Error('changed my mind');
    }),
  ).rejects.toThrow('changed my mind');
  await append(2);
  expect(await verify()).toMatchObject({ ok: true, checked: 2, headSeq: 2n });
});

test('a changed row is named', async () => {
  await appendSome(5);
  await tamper(`UPDATE audit_entries SET body = replace(body, '"n":3', '"n":4') WHERE seq = 3`);
  expect(await verify()).toMatchObject({ ok: false, broken: { seq: 3n, reason: 'Entry 3 was changed after it was written.' } });
});

test('a removed row is named, also the last one and all of them', async () => {
  await appendSome(4);
  await tamper('DELETE FROM audit_entries WHERE seq = 4');
  expect(await verify()).toMatchObject({ ok: false, broken: { seq: 4n, reason: 'Entry 4 is missing.' } });
  await tamper('DELETE FROM audit_entries WHERE seq = 2');
  expect(await verify()).toMatchObject({ ok: false, broken: { seq: 2n } });
  await tamper('DELETE FROM audit_entries');
  expect(await verify()).toMatchObject({ ok: false, broken: { seq: 1n } });
});

test('two rows that changed places are named', async () => {
  await appendSome(4);
  await tamper('UPDATE audit_entries SET seq = CASE seq WHEN 2 THEN -3 ELSE -2 END WHERE seq IN (2, 3)');
  await tamper('UPDATE audit_entries SET seq = -seq WHERE seq < 0');
  expect(await verify()).toMatchObject({
    ok: false,
    broken: { seq: 2n, reason: 'Entry 2 does not follow the entry before it.' },
  });
});

test('a chain whose head was turned back still shows the entries past it', async () => {
  await appendSome(3);
  await tamper(
    'UPDATE audit_heads SET seq = 2, hash = (SELECT hash FROM audit_entries e WHERE e.seq = 2 AND e.tenant_id = audit_heads.tenant_id)',
  );
  expect(await verify()).toMatchObject({
    ok: false,
    broken: { seq: 3n, reason: '1 entries stand outside the chain, which ends at 2.' },
  });
});

test('the serving role can neither change nor remove an entry, nor choose its place', async () => {
  await append(1);
  const attempt = (statement: string) => database.relational.withTenantSql(tenant, async (sql) => await sql.query(statement));
  await expect(attempt(`UPDATE audit_entries SET body = body`)).rejects.toThrow(/permission denied/);
  await expect(attempt('DELETE FROM audit_entries')).rejects.toThrow(/permission denied/);
  await expect(attempt('TRUNCATE audit_entries')).rejects.toThrow(/permission denied/);
  await expect(attempt('UPDATE audit_heads SET seq = 0')).rejects.toThrow(/permission denied/);
  await expect(attempt(`INSERT INTO audit_entries (id, body, seq) VALUES (gen_random_uuid(), '{}', 7)`)).rejects.toThrow(
    /permission denied/,
  );
  await expect(
    attempt(
      `INSERT INTO audit_entries (tenant_id, id, body) VALUES ('other', '00000000-0000-7000-8000-000000000000', '{"tenant_id":"other","id":"00000000-0000-7000-8000-000000000000"}')`,
    ),
  ).rejects.toThrow(/row-level security/);
});

test('the trail is read newest first, page by page, filtered, with the names of its actors', async () => {
  await appendSome(5);
  await append(6, 'bob');
  const first = await caller().list({ limit: 4 });
  expect(first.items.map((item) => item.seq)).toEqual(['6', '5', '4', '3']);
  expect(first.items[0]?.actor).toEqual({ kind: 'account', id: 'bob', name: null });
  expect(first.items[1]).toMatchObject({
    actor: { name: 'Ann B.' },
    action: 'thing.change',
    object: { type: 'thing', id: 't5' },
    detail: { n: 5 },
  });
  const second = await caller().list({ limit: 4, cursor: first.next_cursor ?? '' });
  expect(second.items.map((item) => item.seq)).toEqual(['2', '1']);
  expect(second.next_cursor).toBeNull();
  expect((await caller().list({ actor: 'bob' })).items).toHaveLength(1);
  expect((await caller().list({ action: 'thing' })).items).toHaveLength(6);
  expect((await caller().list({ action: 'thin' })).items).toHaveLength(0);
  expect((await caller().list({ to: '2020-01-01T00:00:00Z' })).items).toHaveLength(0);
  await expect(caller().list({ cursor: 'what?' })).rejects.toThrow('Invalid cursor');
});

test('a page of heavy entries ends at 8 MiB, and the next goes on there', async () => {
  const detail = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`k${n}`, 'x'.repeat(1900)]));
  await database.relational.withTenantSql(tenant, async (sql) => {
    for (let n = 0; n < 600; n += 1)
      await audit.appendAudit(sql, { actor: { kind: 'account', id: 'ann' }, action: 'thing.change', detail });
  });
  const first = await caller().list({ limit: 1000 });
  expect(JSON.stringify(first).length).toBeLessThan(9 * 1024 * 1024);
  const second = await caller().list({ limit: 1000, cursor: first.next_cursor ?? '' });
  expect(first.items.length + second.items.length).toBe(600);
  expect([second.next_cursor, new Set([...first.items, ...second.items].map(({ id }) => id)).size]).toEqual([null, 600]);
});

test('nobody without audit.read sees the trail, and another tenant sees nothing of it', async () => {
  await append(1);
  await expect(caller(['agent.read']).list({})).rejects.toThrow('audit.read');
  await expect(caller(['agent.read']).verify({})).rejects.toThrow('audit.read');
  tenant = parseTenantId('somebody-else');
  expect((await caller().list({})).items).toEqual([]);
  expect(await caller().verify({})).toEqual({
    ok: true,
    complete: true,
    checked: 0,
    head_seq: '0',
    checkpoint: null,
    remembered: null,
    broken: null,
    next_cursor: null,
  });
});

test('pages of another tenant come in time while one has its long trail verified, 20 times at once', async () => {
  const quiet = parseTenantId('quiet');
  await database.relational.withTenantSql(tenant, async (sql) => {
    for (let n = 1; n <= 3000; n++)
      await audit.appendAudit(sql, { actor: { kind: 'account', id: 'ann' }, action: 'thing.change', detail: { n } });
  });
  let verified = 0;
  const measured = await measureFairShare({
    quiet: async () =>
      void (await database.relational.withTenantSql(quiet, (sql) => sql.query('SELECT count(*) FROM audit_entries'))),
    loud: async (signal) =>
      void (await repeatAtOnce(20, signal, () =>
        caller()
          .verify({})
          .then(({ checked }) => (verified += checked)),
      )),
  });
  expect(verified, 'the loud tenant is served too').toBeGreaterThan(0);
  expect(measured.beside.p95, JSON.stringify(measured)).toBeLessThanOrEqual(measured.boundMs);
});
