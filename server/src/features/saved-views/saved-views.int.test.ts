import { ROLE_PERMISSIONS, type Role } from '@svc/contracts/permissions';
import type { ViewPage } from '@svc/contracts/saved-views/saved-view';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createCallerFactory } from '#api';
import { type AuditEntry, type Principal, parseTenantId, type TenantId } from '#kernel';
import { createTenant, type TenantSql } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { createSavedViews } from './index.ts';

const ACME = parseTenantId('acme');
const OTHER = parseTenantId('other');
const NO_SUCH = '01890000-0000-7000-8000-000000000000';

let database: TestDatabase;
let slice: ReturnType<typeof createSavedViews>;
const trail: AuditEntry[] = [];

async function admit(sql: TenantSql, tenant: TenantId, people: readonly string[]): Promise<void> {
  await sql.query("SELECT directory_upsert_account(p, 'test', p, '', false, '', now()) FROM unnest($1::text[]) AS p", [people]);
  const text = 'INSERT INTO members (tenant_id, account_id, created_at) SELECT $1, p, now() FROM unnest($2::text[]) AS p';
  await sql.query(text, [tenant, people]);
}

beforeAll(async () => {
  database = await createTestDatabase();
  for (const id of [ACME, OTHER]) await createTenant(database.relational, { id, name: id });
  const appendAudit = async (_sql: unknown, entry: AuditEntry) => void trail.push(entry);
  slice = createSavedViews({ relational: database.relational, appendAudit, clock: { now: Date.now } });
});
afterAll(async () => await database?.close());
beforeEach(async () => {
  for (const tenant of [ACME, OTHER])
    await database.relational.withTenantSql(tenant, async (sql) => {
      await sql.query('DELETE FROM members');
      await admit(sql, tenant, ['ann', 'ben', 'eve']);
    });
  trail.length = 0;
});

const as = (
  id: string,
  role: Role,
  { tenant = ACME, kind = 'account' }: { tenant?: TenantId; kind?: Principal['kind'] } = {},
) => {
  const principal = { kind, id, tenant, permissions: new Set(ROLE_PERMISSIONS[role]) };
  return createCallerFactory(slice.procedures)({ requestId: 'r', ctx: { requestId: 'r', principal } });
};
const view = (name: string, more: { page?: ViewPage; search?: string; shared?: boolean } = {}) => ({
  ...{ page: 'fleet' as const, name, search: 'verdict=local_network' },
  ...more,
});
const names = async (caller: ReturnType<typeof as>, page: ViewPage = 'fleet') =>
  (await caller.list({ page })).items.map(({ name }) => name);
const refusal = (code: string) => ({ cause: { code } });

test('a private view is its owner’s alone, and its trail is empty', async () => {
  const made = await as('ann', 'viewer').create(view('mine'));
  expect(made).toMatchObject({ name: 'mine', shared: false, is_mine: true, is_default: false });
  expect(await names(as('ann', 'viewer'))).toEqual(['mine']);
  expect(await names(as('ann', 'viewer'), 'logs')).toEqual([]);
  expect(await names(as('ben', 'admin'))).toEqual([]);
  for (const call of [
    () => as('ben', 'admin').update({ id: made.id, name: 'taken' }),
    () => as('ben', 'admin').remove({ id: made.id }),
    () => as('ben', 'admin').setDefault({ page: 'fleet', id: made.id }),
  ])
    await expect(call()).rejects.toMatchObject(refusal('not_found'));
  await as('ann', 'viewer').update({ id: made.id, name: 'renamed', search: '' });
  expect((await as('ann', 'viewer').list({ page: 'fleet' })).items).toMatchObject([{ name: 'renamed', search: '' }]);
  await as('ann', 'viewer').remove({ id: made.id });
  expect(trail).toEqual([]);
});

test('a shared view is seen by all who read the page, changed by its owner, deleted by its owner or an admin', async () => {
  const made = await as('ann', 'it_admin').create(view('ours', { shared: true }));
  expect((await as('ben', 'viewer').list({ page: 'fleet' })).items).toMatchObject([{ name: 'ours', is_mine: false }]);
  await expect(as('ben', 'admin').update({ id: made.id, name: 'theirs' })).rejects.toMatchObject(refusal('forbidden'));
  await expect(as('ben', 'it_admin').remove({ id: made.id })).rejects.toMatchObject(refusal('forbidden'));
  await as('ann', 'it_admin').update({ id: made.id, search: 'site=Porto' });
  await as('ben', 'viewer').setDefault({ page: 'fleet', id: made.id });
  await as('eve', 'admin').remove({ id: made.id });
  expect(await names(as('ben', 'viewer'))).toEqual([]);
  const object = { type: 'saved_view', id: made.id };
  expect(trail).toEqual([
    { actor: { kind: 'account', id: 'ann' }, action: 'saved_view.share', object, detail: { page: 'fleet' } },
    { actor: { kind: 'account', id: 'ann' }, action: 'saved_view.change', object, detail: { page: 'fleet' } },
    { actor: { kind: 'account', id: 'eve' }, action: 'saved_view.delete', object, detail: { page: 'fleet' } },
  ]);
});

test('a lesser role shares nothing, reads no view of a page that it may not open, and takes back what it shared before', async () => {
  await expect(as('ann', 'viewer').create(view('x', { shared: true }))).rejects.toMatchObject(refusal('forbidden'));
  await expect(as('ann', 'operator').create(view('x', { shared: true }))).rejects.toMatchObject(refusal('forbidden'));
  await as('ann', 'operator').create(view('errors', { page: 'logs', shared: true }));
  const { id } = await as('ann', 'it_admin').create(view('devices', { shared: true }));
  await expect(as('ben', 'auditor').list({ page: 'fleet' })).rejects.toMatchObject(refusal('forbidden'));
  await expect(as('ben', 'auditor').create(view('x'))).rejects.toMatchObject(refusal('forbidden'));
  await expect(as('ann', 'viewer').update({ id, name: 'renamed' })).rejects.toMatchObject(refusal('forbidden'));
  await as('ben', 'viewer').setDefault({ page: 'fleet', id });
  await as('ann', 'viewer').update({ id, shared: false });
  expect(trail.at(-1)?.action).toBe('saved_view.unshare');
  expect(await names(as('ben', 'viewer'))).toEqual([]);
  await as('ann', 'it_admin').update({ id, shared: true });
  // What was taken back is nobody's default any more, though it is shared again.
  expect((await as('ben', 'viewer').list({ page: 'fleet' })).items).toMatchObject([{ is_default: false }]);
});

test('an API token reads what is shared and owns nothing', async () => {
  const { id } = await as('ann', 'it_admin').create(view('ours', { shared: true }));
  const token = as(NO_SUCH, 'admin', { kind: 'api_token' });
  expect(await token.list({ page: 'fleet' })).toMatchObject({ items: [{ id }], may_save: false, may_share: false });
  for (const call of [() => token.create(view('x')), () => token.remove({ id }), () => token.setDefault({ page: 'fleet', id })])
    await expect(call()).rejects.toMatchObject(refusal('forbidden'));
});

test('another tenant neither sees nor touches a view, whatever id it knows', async () => {
  const { id } = await as('ann', 'it_admin').create(view('ours', { shared: true }));
  const stranger = as('ann', 'admin', { tenant: OTHER });
  expect(await names(stranger)).toEqual([]);
  for (const call of [
    () => stranger.update({ id, name: 'x' }),
    () => stranger.remove({ id }),
    () => stranger.setDefault({ page: 'fleet', id }),
  ])
    await expect(call()).rejects.toMatchObject(refusal('not_found'));
  expect(await names(as('ann', 'viewer'))).toEqual(['ours']);
  for await (const { rows } of slice.data.exportRows(OTHER)) expect(rows).toEqual([]);
});

test('the same name twice is refused, whatever its case, among one’s own and among the shared ones', async () => {
  await as('ann', 'it_admin').create(view('Slow', { shared: true }));
  await expect(as('ann', 'it_admin').create(view('sLOW'))).rejects.toMatchObject(refusal('conflict'));
  await expect(as('ben', 'it_admin').create(view('slow', { shared: true }))).rejects.toMatchObject(refusal('conflict'));
  const { id } = await as('ben', 'it_admin').create(view('slow'));
  await expect(as('ben', 'it_admin').update({ id, shared: true })).rejects.toMatchObject(refusal('conflict'));
  await as('ann', 'it_admin').create(view('Slow', { page: 'logs' }));
  const twice = await Promise.allSettled([1, 2].map(() => as('eve', 'viewer').create(view('both'))));
  expect(twice.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('one default for each person and page, and only of that page', async () => {
  const [first, second] = [await as('ann', 'viewer').create(view('a')), await as('ann', 'viewer').create(view('b'))];
  await expect(as('ann', 'viewer').setDefault({ page: 'logs', id: first.id })).rejects.toMatchObject(refusal('not_found'));
  const defaults = async () => (await as('ann', 'viewer').list({ page: 'fleet' })).items.filter((one) => one.is_default);
  await as('ann', 'viewer').setDefault({ page: 'fleet', id: first.id });
  await as('ann', 'viewer').setDefault({ page: 'fleet', id: second.id });
  expect(await defaults()).toMatchObject([{ name: 'b' }]);
  expect(await as('ann', 'viewer').update({ id: second.id, name: 'c' })).toMatchObject({ is_default: true });
  await as('ann', 'viewer').setDefault({ page: 'fleet', id: null });
  expect(await defaults()).toEqual([]);
});

test('10,000 views of a tenant leave a list at its bound, and nobody saves or shares beyond theirs, however many at once', async () => {
  await database.relational.withTenantSql(ACME, async (sql) => {
    await admit(
      sql,
      ACME,
      Array.from({ length: 200 }, (_, n) => `p${n + 1}`),
    );
    await sql.query(
      `INSERT INTO saved_views (tenant_id, id, owner, page, name, search, shared, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'p' || p, 'fleet', 'view ' || p || ' ' || n, '', n = 1 AND p < 200, now(), now()
       FROM generate_series(1, 200) p, generate_series(1, 50) n`,
      [ACME],
    );
  });
  const asked = await Promise.allSettled(Array.from({ length: 60 }, (_, n) => as('ann', 'it_admin').create(view(`own ${n}`))));
  expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
  const { items } = await as('ann', 'it_admin').list({ page: 'fleet' });
  expect(items).toHaveLength(199 + 50);
  const own = items.filter(({ is_mine: isMine }) => isMine).slice(0, 4);
  const shared = await Promise.allSettled(own.map(({ id }) => as('ann', 'it_admin').update({ id, shared: true })));
  expect(shared.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await expect(as('ann', 'it_admin').create(view('one more', { page: 'logs' }))).resolves.toBeDefined();
});

test('what one person saved goes when they leave the tenant, with everybody’s default that points there', async () => {
  const { id } = await as('ann', 'it_admin').create(view('ours', { shared: true, search: 'owner=ann' }));
  await as('ann', 'it_admin').create(view('mine'));
  await as('ben', 'viewer').setDefault({ page: 'fleet', id });
  await as('ben', 'viewer').create(view('kept'));
  const exported = new Map<string, object[]>();
  for await (const { table, rows } of slice.data.exportRows(ACME)) exported.set(table, rows);
  expect(exported.get('saved_views')).toHaveLength(3);
  expect(exported.get('saved_view_defaults')).toEqual([{ account_id: 'ben', page: 'fleet', view_id: id }]);
  await database.relational.withTenantSql(ACME, (sql) => sql.query("DELETE FROM members WHERE account_id = 'ann'"));
  expect(await names(as('ben', 'viewer'))).toEqual(['kept']);
  await expect(as('ann', 'viewer').create(view('late'))).rejects.toMatchObject(refusal('forbidden'));
  for await (const { table } of slice.data.exportRows(ACME)) expect(table).toBe('saved_views');
});

test.each([
  ['a question mark', '?a=b'],
  ['another address', 'a=b#there'],
  ['a line break', 'a=b\nc'],
  ['more than 8,192 characters', 'a'.repeat(8193)],
])('a search with %s is refused; what the page does not know is its own business', async (_words, search) => {
  await expect(as('ann', 'viewer').create(view('x', { search }))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await expect(as('ann', 'viewer').create(view('x', { search: 'verdict=of+an+earlier+release&gone=1' }))).resolves.toBeDefined();
});
