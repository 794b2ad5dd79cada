import { PERMISSIONS } from '@svc/contracts/permissions';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createCallerFactory } from '#api';
import { createSealer, newSigningKey, signText } from '#crypto';
import { type Clock, type Ctx, parseTenantId, systemClock, type TenantId } from '#kernel';
import { createTenant, type TenantSql } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { type AppendAudit, createAppendAudit } from './append.ts';
import { createCheckpointSigner } from './checkpoint.ts';
import { createAudit } from './index.ts';
import { pruneTrail, startRetention } from './retention.ts';

const DAY_MS = 86_400_000;
const log = pino({ level: 'silent' });
const sealer = createSealer(Buffer.alloc(32, 1));

let database: TestDatabase;
let owner: pg.Client;
let tenant: TenantId;
let count = 0;

beforeAll(async () => {
  database = await createTestDatabase({ poolSize: 8 });
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.close();
});
beforeEach(async () => {
  count += 1;
  tenant = parseTenantId(`tenant-${count}`);
  await createTenant(database.relational, { id: tenant, name: tenant });
});

const auditWith = (key = 1) =>
  createAudit({
    relational: database.relational,
    sealer: createSealer(Buffer.alloc(32, key)),
    clock: systemClock,
    nameActors: async () => new Map(),
    retentionDays: 400,
    dataDir: '/nonexistent',
    log,
  });
const verify = (key?: number) => auditWith(key).verify(tenant, { maxEntries: 1_000_000 });

const depsWith = (change: { clock?: Clock; appendAudit?: AppendAudit } = {}) => ({
  relational: database.relational,
  signer: createCheckpointSigner(database.relational, sealer),
  appendAudit: createAppendAudit(systemClock),
  clock: systemClock,
  retentionDays: 400,
  log,
  ...change,
});
const prune = () => pruneTrail(depsWith(), tenant);

/** One entry for each age in days, in this order. */
async function writeAged(...ages: number[]): Promise<void> {
  for (const age of ages) {
    const append = createAppendAudit({ now: () => Date.now() - Math.round(age * DAY_MS) });
    const entry = { actor: { kind: 'account' as const, id: 'ann' }, action: 'thing.change', detail: { age } };
    await database.relational.withTenantSql(tenant, (sql) => append(sql, entry));
  }
}

/** As the owner of the tables, row security set to this tenant. */
async function asOwner(statement: string, values: unknown[] = []): Promise<void> {
  await owner.query('BEGIN');
  await owner.query("SELECT set_config('app.tenant_id', $1, true)", [tenant]);
  const { rowCount } = await owner.query(statement, values);
  await owner.query('COMMIT');
  expect(rowCount).toBeGreaterThan(0);
}

const aDayLater = () => asOwner(`UPDATE audit_checkpoints SET created_at = created_at - interval '1 day'`);

const seqs = async (): Promise<number[]> =>
  await database.relational.withTenantSql(tenant, async (sql) => {
    const { rows } = await sql.query<{ seq: string }>('SELECT seq FROM audit_entries ORDER BY seq');
    return rows.map(({ seq }) => Number(seq));
  });

test('entries past their retention go behind a signed checkpoint, which proves the rest and is itself in the trail', async () => {
  await writeAged(405, 403, 401, 399, 1);
  expect(await prune()).toBe(3);
  expect(await seqs()).toEqual([4, 5, 6]);
  expect(await verify()).toMatchObject({ ok: true, checked: 3, headSeq: 6n, checkpoint: { seq: 3n, entries: 3n } });
  const ctx: Ctx = { principal: { kind: 'account', id: 'a', tenant, permissions: new Set(PERMISSIONS) }, requestId: 'r' };
  const caller = createCallerFactory(auditWith().procedures)({ requestId: 'r', ctx });
  const { checkpoint } = await caller.verify({});
  expect(checkpoint).toMatchObject({ seq: '3', signed_at: expect.stringMatching(/^20/) });
  expect((await caller.list({ limit: 1 })).items).toMatchObject([
    { action: 'audit.prune', actor: { kind: 'system', id: 'audit-retention' }, detail: { entries: 3, up_to: '3' } },
  ]);
  expect((await caller.verify({ cursor: Buffer.from(`1:${'0'.repeat(64)}`).toString('base64url') })).ok).toBe(true);
});

test('nothing goes that is not past its retention', async () => {
  await writeAged(399, 10);
  expect(await prune()).toBe(0);
  expect(await verify()).toMatchObject({ ok: true, checked: 2, checkpoint: undefined });
});

test('a week of the trail goes a day, however old all of it seems to be', async () => {
  await writeAged(4000, 3996, 3994, 3992, 3980, 500);
  expect(await prune()).toBe(3);
  expect(await prune()).toBe(0);
  await aDayLater();
  expect(await prune()).toBe(1);
  await aDayLater();
  expect(await prune()).toBe(1);
  expect(await seqs()).toEqual([6, 7, 8, 9]);
  expect(await verify()).toMatchObject({ ok: true, checked: 4, checkpoint: { seq: 5n, entries: 1n } });
});

test('a server whose clock is ahead of the database removes nothing', async () => {
  await writeAged(300, 200, 1);
  const ahead = { now: () => Date.now() + 3650 * DAY_MS };
  await expect(pruneTrail(depsWith({ clock: ahead }), tenant)).rejects.toThrow(/clocks of server and database/);
  expect(await verify()).toMatchObject({ ok: true, checked: 3, checkpoint: undefined });
});

test('an entry of a wrong clock neither holds the others up nor takes younger ones along', async () => {
  await writeAged(410, -3000, 408, 20_000, 5);
  expect(await prune()).toBe(4);
  expect(await verify()).toMatchObject({ ok: true, checkpoint: { seq: 4n } });
  await writeAged(20_000, 1);
  await aDayLater();
  expect(await prune()).toBe(0);
});

test('two at once remove once', async () => {
  await writeAged(405, 404, 1);
  const removed = await Promise.all([prune(), prune(), prune()]);
  expect(removed.sort()).toEqual([0, 0, 2]);
  expect(await verify()).toMatchObject({ ok: true, checked: 2, checkpoint: { seq: 2n } });
});

test('what another removes under the walk is not taken for tampering', async () => {
  await writeAged(405, 404, 1);
  let questions = 0;
  const relational = {
    ...database.relational,
    async withTenantSql<T>(of: TenantId, ask: (sql: TenantSql) => Promise<T>): Promise<T> {
      // The fourth reads entries, of which the first three have said how far they go.
      if (++questions === 4) expect(await prune()).toBe(2);
      return database.relational.withTenantSql(of, ask);
    },
  };
  expect(await pruneTrail({ ...depsWith(), relational }, tenant)).toBe(0);
  expect(await verify()).toMatchObject({ ok: true, checked: 2, checkpoint: { seq: 2n } });
});

test('a removal that ends half-way has removed nothing, and the next one does', async () => {
  await writeAged(405, 404, 1);
  const stopped: AppendAudit = async (sql) => {
    // The connection dies as with kill -9, after the entries went and before the commit.
    await sql.query('SELECT pg_terminate_backend(pg_backend_pid())');
  };
  await expect(pruneTrail(depsWith({ appendAudit: stopped }), tenant)).rejects.toThrow();
  expect(await seqs()).toEqual([1, 2, 3]);
  expect(await verify()).toMatchObject({ ok: true, checkpoint: undefined });
  expect(await prune()).toBe(2);
});

test('a trail that was tampered with is left as it is', async () => {
  await writeAged(405, 404, 403, 1);
  await asOwner(`UPDATE audit_entries SET body = replace(body, '"age":404', '"age":304') WHERE seq = 2`);
  await expect(prune()).rejects.toThrow('Nothing was removed from the audit trail: Entry 2 was changed after it was written.');
  expect(await seqs()).toEqual([1, 2, 3, 4]);
});

test('a changed, forged or moved checkpoint is named, and nothing is removed behind it', async () => {
  await writeAged(405, 404, 403, 1);
  await prune();
  const fault = 'The checkpoint after entry 3 was not signed by this server.';
  await asOwner('UPDATE audit_checkpoints SET at_ms = at_ms + 1');
  expect(await verify()).toMatchObject({ ok: false, broken: { seq: 3n, reason: fault } });
  await asOwner('UPDATE audit_checkpoints SET at_ms = at_ms - 1');
  expect(await verify()).toMatchObject({ ok: true });
  await asOwner('UPDATE audit_checkpoints SET signature = $1', [signText(newSigningKey(), 'anything')]);
  expect(await verify()).toMatchObject({ ok: false, broken: { reason: fault } });
  await aDayLater();
  await expect(prune()).rejects.toThrow(fault);
});

test('a checkpoint of another tenant does not stand in', async () => {
  await writeAged(405, 1);
  await prune();
  const of = tenant;
  const kept = await database.relational.withTenantSql(
    of,
    async (sql) => (await sql.query('SELECT * FROM audit_checkpoints')).rows[0],
  );
  tenant = parseTenantId(`tenant-${count}-b`);
  await writeAged(405, 1);
  await asOwner(
    'INSERT INTO audit_checkpoints (tenant_id, seq, hash, entries, at_ms, signature) VALUES ($1, $2, $3, $4, $5, $6)',
    [tenant, kept.seq, kept.hash, kept.entries, kept.at_ms, kept.signature],
  );
  expect(await verify()).toMatchObject({
    ok: false,
    broken: { reason: expect.stringContaining('was not signed by this server') },
  });
});

test('entries that went without a checkpoint, or beyond it, are named', async () => {
  await writeAged(405, 404, 403, 10, 9, 8);
  await prune();
  await asOwner('DELETE FROM audit_entries WHERE seq <= 5');
  expect(await verify()).toMatchObject({
    ok: false,
    broken: { seq: 4n, reason: 'Entries 4 to 5 are missing, and no checkpoint accounts for that.' },
  });
  await asOwner('DELETE FROM audit_checkpoints');
  expect(await verify()).toMatchObject({
    ok: false,
    broken: { seq: 1n, reason: 'Entries 1 to 5 are missing, and no checkpoint accounts for that.' },
  });
});

test('an entry put back before the checkpoint is named', async () => {
  await writeAged(405, 1);
  await prune();
  await asOwner(
    `INSERT INTO audit_entries (tenant_id, id, body) SELECT tenant_id, x.id, replace(body, e.id::text, x.id::text)
     FROM audit_entries e, (SELECT gen_random_uuid() AS id) x WHERE seq = 2`,
  );
  await asOwner('UPDATE audit_entries SET seq = 1 WHERE seq = 4');
  await asOwner(
    'UPDATE audit_heads SET seq = 3, hash = (SELECT e.hash FROM audit_entries e WHERE e.seq = 3 AND e.tenant_id = audit_heads.tenant_id)',
  );
  expect(await verify()).toMatchObject({
    ok: false,
    broken: { reason: expect.stringContaining('1 entries stand outside the chain') },
  });
});

test('without the envelope key nobody can say that a checkpoint is ours', async () => {
  await writeAged(405, 1);
  await prune();
  expect(await verify(2)).toMatchObject({
    ok: false,
    broken: { reason: expect.stringMatching(/cannot be checked\. Sealed by another envelope key/) },
  });
});

test('the serving role can remove only what the database itself takes for old, a week at a time', async () => {
  await writeAged(300, 299, 292, 80);
  const remove = (seq: number, atMs = Date.now()) =>
    database.relational.withTenantSql(tenant, async (sql) => {
      const { rows } = await sql.query<{ hash: Buffer }>('SELECT hash FROM audit_entries WHERE seq = $1', [seq]);
      await sql.query('SELECT * FROM audit_remove_prefix($1, $2, $3, $4)', [seq, rows[0]?.hash, atMs, Buffer.alloc(64)]);
    });
  await expect(remove(4)).rejects.toThrow(/younger than 90 days/);
  await expect(remove(3)).rejects.toThrow(/more than a week/);
  await expect(remove(2, Date.now() + DAY_MS)).rejects.toThrow(/five minutes apart/);
  await expect(
    database.relational.withTenantSql(tenant, (sql) =>
      sql.query('INSERT INTO audit_checkpoints (tenant_id, seq, hash, entries, at_ms, signature) VALUES ($1, 1, $2, 1, 1, $2)', [
        tenant,
        Buffer.alloc(32),
      ]),
    ),
  ).rejects.toThrow(/permission denied/);
  await remove(2);
  await expect(remove(3)).rejects.toThrow(/less than 20 hours ago/);
  expect(await seqs()).toEqual([3, 4]);
});

test('the export holds the checkpoint with its key, then the entries that remain', async () => {
  await writeAged(405, 1);
  await prune();
  const tables: Record<string, Record<string, unknown>[]> = {};
  for await (const { table, rows } of auditWith().data.exportRows(tenant)) tables[table] = [...(tables[table] ?? []), ...rows];
  expect(tables.audit_checkpoints).toMatchObject([{ seq: '1', entries: '1', public_key: expect.stringMatching(/^MFkw/) }]);
  expect(tables.audit_entries?.map(({ seq }) => seq)).toEqual(['2', '3']);
});

test('of several members one looks at every tenant, and none of them stops at another', async () => {
  await writeAged(405, 1);
  await asOwner(`UPDATE audit_entries SET body = replace(body, '"age":405', '"age":1') WHERE seq = 1`);
  tenant = parseTenantId(`tenant-${count}-later`);
  await createTenant(database.relational, { id: tenant, name: tenant });
  await writeAged(405, 1);
  const members = [1, 2].map(() => startRetention({ ...depsWith(), firstMs: 0 }));
  await expect.poll(seqs).toEqual([2, 3]);
  await Promise.all(members.map((member) => member.close()));
  const { rows } = await owner.query('SELECT 1 FROM leases');
  expect(rows).toEqual([]);
});
