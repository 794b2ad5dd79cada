import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createSealer } from '#crypto';
import { parseTenantId, systemClock, type TenantId } from '#kernel';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { createAudit } from './index.ts';

/** Somebody who owns the database and has no key of the server, against what servers remember of the trail. */
let database: TestDatabase;
let owner: pg.Client;
let tenant: TenantId;
let folder: string;
let logged: string[];
let server: ReturnType<typeof makeAudit>;
let count = 0;

const makeAudit = (dataDir = folder, key = 1) =>
  createAudit({
    relational: database.relational,
    sealer: createSealer(Buffer.alloc(32, key)),
    clock: systemClock,
    nameActors: async () => new Map(),
    retentionDays: 400,
    dataDir,
    log: pino({ level: 'info' }, { write: (line) => void logged.push(line) }),
  });

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
  logged = [];
  tenant = parseTenantId(`heads-${count}`);
  folder = mkdtempSync(join(tmpdir(), 'svc-heads-'));
  server = makeAudit();
  await server.start(() => false);
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const append = async (audit = server) =>
  await database.relational.withTenantSql(tenant, (sql) =>
    audit.appendAudit(sql, { actor: { kind: 'account', id: 'mallory' }, action: 'thing.change' }),
  );
const appendSome = async (entries: number, audit = server) => {
  for (let n = 0; n < entries; n += 1) await append(audit);
};
const verify = (audit = server) => audit.verify(tenant, { maxEntries: 1_000_000 });
/** Until a server remembers the trail up to this entry. */
const remembers = async (seq: bigint, audit = server) =>
  await vi.waitFor(async () => expect((await verify(audit)).remembered?.seq).toBe(seq), { timeout: 10_000, interval: 100 });

/** Deletes the entries past `seq` and sets the head back, so that what is left is sound in itself. */
async function cutAfter(seq: number): Promise<void> {
  await owner.query('BEGIN');
  await owner.query("SELECT set_config('app.tenant_id', $1, true)", [tenant]);
  await owner.query('DELETE FROM audit_entries WHERE seq > $1', [seq]);
  await owner.query('UPDATE audit_heads SET seq = $1, hash = (SELECT hash FROM audit_entries WHERE seq = $1)', [seq]);
  await owner.query('COMMIT');
}

test('a tail that was cut off, with its head set back, is named with the entry that is remembered', async () => {
  await appendSome(7);
  await remembers(7n);
  await cutAfter(4);
  // In itself what is left is whole: only what is remembered elsewhere tells.
  expect(await verify(makeAudit(join(folder, 'nowhere')))).toMatchObject({ ok: true, remembered: undefined });
  const found = await verify();
  expect(found).toMatchObject({ ok: false, headSeq: 4n, remembered: { seq: 7n }, broken: { seq: 5n } });
  expect(found.broken?.reason).toMatch(
    /^This server remembers entry 7 of 2\S+, and the trail ends at 4\. Its newest 3 entries were cut off, or .* restored .*--accept-head"\.$/,
  );
});

test('a trail that grew again after the cut is found too, and is never remembered in place of the old one', async () => {
  await appendSome(5);
  await remembers(5n);
  await cutAfter(3);
  await appendSome(4);
  await vi.waitFor(() => expect(logged.join('')).toContain('is not the one that this server remembers'), { timeout: 10_000 });
  await server.close();
  const later = makeAudit();
  const found = await verify(later);
  expect(found).toMatchObject({ ok: false, headSeq: 7n, remembered: { seq: 5n } });
  expect(found.broken?.reason).toContain('Entry 5 is not the one that this server remembers');
});

test('what is remembered outlives the process, and a command beside the server reads it', async () => {
  await appendSome(3);
  await server.close();
  expect(statSync(join(folder, 'audit-heads')).mode & 0o777).toBe(0o600);
  expect(await verify(makeAudit())).toMatchObject({ ok: true, remembered: { seq: 3n } });
  await cutAfter(2);
  expect(await verify(makeAudit())).toMatchObject({ ok: false, broken: { seq: 3n } });
});

test('each server of a fleet remembers for itself; one that remembers nothing says so', async () => {
  const other = makeAudit(mkdtempSync(join(folder, 'other-')));
  await other.start(() => false);
  await appendSome(2, other);
  await remembers(2n, other);
  expect(await verify(makeAudit(join(folder, 'nowhere')))).toMatchObject({ ok: true, remembered: undefined });
  await cutAfter(1);
  expect(await verify(other)).toMatchObject({ ok: false, remembered: { seq: 2n } });
  await other.close();
});

test('after a restore somebody accepts the end, which is audited, holds for the running server, and cannot be replayed', async () => {
  await appendSome(6);
  // A command reads the file, which the server writes after it has looked.
  const command = makeAudit();
  await remembers(6n, command);
  await cutAfter(4);
  expect(await command.acceptHead(tenant)).toEqual({ remembered: 6n, accepted: 4n });
  expect(await verify()).toMatchObject({ ok: true, headSeq: 5n });
  expect(await verify(makeAudit())).toMatchObject({ ok: true });
  const last = await database.relational.withTenantSql(tenant, async (sql) => {
    return (await sql.query<{ body: string }>('SELECT body FROM audit_entries WHERE seq = 5')).rows[0];
  });
  expect(JSON.parse(last?.body ?? '{}')).toMatchObject({
    action: 'audit.accept_head',
    detail: { accepted: '4', remembered: '6' },
  });
  expect(await command.acceptHead(tenant)).toBeUndefined();
  await appendSome(3);
  await remembers(8n);
  // The same end again: what was accepted once is older than what is remembered now.
  await cutAfter(4);
  expect(await verify()).toMatchObject({ ok: false, remembered: { seq: 8n } });
});

test('an end is not accepted of a trail that is broken in itself', async () => {
  await appendSome(5);
  await remembers(5n);
  await owner.query('BEGIN');
  await owner.query("SELECT set_config('app.tenant_id', $1, true)", [tenant]);
  await owner.query("UPDATE audit_entries SET body = replace(body, 'mallory', 'somebody') WHERE seq = 2");
  await owner.query('COMMIT');
  await cutAfter(4);
  await expect(makeAudit().acceptHead(tenant)).rejects.toMatchObject({ code: 'conflict' });
});

test('a file that this server did not seal is put aside and logged', async () => {
  await append();
  await remembers(1n);
  await server.close();
  writeFileSync(join(folder, 'audit-heads'), 'forged');
  server = makeAudit();
  await server.start(() => false);
  expect(logged.join('')).toContain('audit-heads.unreadable');
  expect(readFileSync(join(folder, 'audit-heads.unreadable'), 'utf8')).toBe('forged');
});
