import { request } from 'node:https';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import type { TestBrowser } from '../../sign-in/test-browser.ts';
import { adminOf, call, join, startTestServer, type TestServer } from '../../sign-in/test-server.ts';

let near: TestServer;
let far: TestServer;
let owner: pg.Client;
let count = 0;
let tenant: string;
let admin: TestBrowser;
let other: TestBrowser;
let otherId: string;
beforeAll(async () => {
  near = await startTestServer();
  far = await startTestServer({ beside: near });
});
afterAll(async () => {
  await far.close();
  await near.close();
});
beforeEach(async () => {
  count += 1;
  near.time.offsetMs += 12 * 3_600_000;
  tenant = `owners-${count}`;
  admin = await adminOf(near, tenant);
  const { url } = (await call<{ url: string }>(admin, 'identity.members.invite', { roles: ['admin'] })).data;
  other = near.browser();
  await join(other, url, { email: `other@${tenant}.test` });
  otherId = JSON.parse((await other.ask('/v1/me')).body).account.id;
  owner = new pg.Client({ connectionString: near.database.ownerUrl });
  await owner.connect();
  await owner.query("SELECT set_config('app.tenant_id', $1, false)", [tenant]);
});
afterEach(async () => await owner.end());

interface Minted {
  id: string;
  secret: string;
}

const mint = async (by: TestBrowser, roles = ['admin']) =>
  (await call<Minted>(by, 'identity.tokens.mint', { name: 'ci', roles })).data;
const headersOf = (secret: string) => ({ authorization: `Bearer ${secret}` });
const mintBy = async (secret: string): Promise<Minted> => {
  const headers = { ...headersOf(secret), 'sec-fetch-site': '' };
  const json = { name: 'made by a token', roles: ['admin'] };
  return JSON.parse((await near.browser().ask('/v1/tokens', { method: 'POST', json, headers })).body);
};
const ask = async (to: TestServer, secret: string, path = '/v1/members') => {
  const headers = { ...headersOf(secret), host: new URL(to.publicUrl).host };
  return await new Promise<number>((resolve, reject) => {
    const outgoing = request(`${to.here}${path}`, { ca: to.ca, headers, agent: false }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
      answer.on('error', () => resolve(0));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
};
const remove = async () => expect((await admin.ask(`/v1/members/${otherId}`, { method: 'DELETE' })).status).toBe(204);
const setRoles = async (roles: string[]) =>
  expect((await admin.ask(`/v1/members/${otherId}/roles`, { method: 'PUT', json: { roles } })).status).toBe(200);
const rejoin = async () => {
  const { url } = (await call<{ url: string }>(admin, 'identity.members.invite', { roles: ['admin'] })).data;
  expect((await join(near.browser(), url, { email: `other@${tenant}.test` })).status).toBe(200);
};

test('the tokens of a removed person end with the membership on every replica, those that they minted in turn too', async () => {
  const own = await mint(other);
  const child = await mintBy(own.secret);
  const grandchild = await mintBy(child.secret);
  const kept = await mint(admin);
  const system = await near.identity.mintToken(parseTenantId(tenant), { name: 'cli', roles: ['admin'], expiresAt: undefined });
  for (const { secret } of [own, child, grandchild]) expect(await ask(far, secret)).toBe(200);
  await remove();
  for (const { secret } of [own, child, grandchild]) for (const to of [near, far]) expect(await ask(to, secret)).toBe(401);
  for (const { secret } of [kept, system]) expect(await ask(far, secret)).toBe(200);
  const revoked = near.audited.filter(({ action, tenant: of }) => action === 'api_token.revoke' && of === tenant);
  expect(revoked.map(({ object }) => object).toSorted()).toEqual([own.id, child.id, grandchild.id].toSorted());
  await rejoin();
  expect(await ask(near, own.secret)).toBe(401);
});

test('what a token has open ends within a second of the removal or demotion of its person, on another replica too', async () => {
  for (const [take, status] of [
    [() => setRoles(['viewer']), 403],
    [() => remove(), 401],
  ] as const) {
    await setRoles(['admin']);
    const { secret } = await mint(other);
    await owner.query('BEGIN');
    await owner.query('LOCK TABLE access_links IN ACCESS EXCLUSIVE MODE');
    const open = [ask(near, secret), ask(far, secret)];
    const waits = "SELECT 1 FROM pg_locks WHERE relation = 'access_links'::regclass AND NOT granted";
    await expect.poll(async () => (await owner.query(waits)).rowCount, { timeout: 10_000 }).toBe(2);
    const before = Date.now();
    await take();
    expect(await Promise.all(open)).toEqual([status, status]);
    expect(Date.now() - before).toBeLessThan(2000);
    await owner.query('ROLLBACK');
  }
});

test('a token does no more than its person may: a demoted administrator has no administrator left', async () => {
  const { secret } = await mint(other);
  const child = await mintBy(secret);
  await setRoles(['viewer']);
  for (const one of [secret, child.secret]) {
    expect(await ask(far, one)).toBe(403);
    expect(await ask(far, one, '/v1/whose')).toBe(200);
    const me = JSON.parse((await near.browser().ask('/v1/me', { headers: headersOf(one) })).body);
    expect([me.roles, me.permissions.includes('member.write')]).toEqual([[], false]);
  }
  await setRoles([]);
  expect(await ask(near, secret, '/v1/whose')).toBe(403);
  await setRoles(['admin']);
  expect(await ask(near, secret)).toBe(200);
});

test('a token that a release before made counts for whoever made it', async () => {
  const own = await mint(other);
  const child = await mintBy(own.secret);
  const system = await near.identity.mintToken(parseTenantId(tenant), { name: 'cli', roles: ['admin'], expiresAt: undefined });
  await owner.query('UPDATE api_tokens SET acts_for = NULL');
  for (const { secret } of [own, child, system]) expect(await ask(near, secret)).toBe(200);
  // As a replica of the release before removes somebody: it revokes nothing.
  await owner.query('DELETE FROM members WHERE account_id = $1', [otherId]);
  expect(await Promise.all([own, child, system].map(({ secret }) => ask(near, secret)))).toEqual([401, 401, 200]);
});

test('a tenant has a thousand tokens that count, and another tenant’s are its own', async () => {
  const { id } = await mint(admin);
  await owner.query(
    `INSERT INTO api_tokens (tenant_id, id, name, roles, created_by, created_at, acts_for)
     SELECT t.tenant_id, gen_random_uuid(), 'many', t.roles, t.created_by, t.created_at, t.acts_for
     FROM api_tokens t, generate_series(1, 999) WHERE t.id = $1`,
    [id],
  );
  expect((await call(admin, 'identity.tokens.mint', { name: 'one more', roles: ['viewer'] })).status).toBe(409);
  const neighbour = await adminOf(near, `${tenant}-neighbour`);
  expect((await call(neighbour, 'identity.tokens.mint', { name: 'first', roles: ['viewer'] })).status).toBe(200);
  expect((await admin.ask(`/v1/tokens/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await call(admin, 'identity.tokens.mint', { name: 'one more', roles: ['viewer'] })).status).toBe(200);
});

test('a token is not minted beside the removal of its person', async () => {
  await owner.query('BEGIN');
  await owner.query('DELETE FROM members WHERE account_id = $1', [otherId]);
  const minting = call<Minted>(other, 'identity.tokens.mint', { name: 'late', roles: ['viewer'] });
  const waits = 'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0';
  await expect.poll(async () => (await owner.query(waits)).rowCount, { timeout: 10_000 }).toBe(1);
  await owner.query('COMMIT');
  expect((await minting).status).toBeGreaterThanOrEqual(401);
  expect((await owner.query("SELECT 1 FROM api_tokens WHERE name = 'late'")).rowCount).toBe(0);
});
