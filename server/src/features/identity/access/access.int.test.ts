import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import type { TestBrowser } from '../../sign-in/test-browser.ts';
import { adminOf, call, join, PASSWORD, startTestServer, type TestServer } from '../../sign-in/test-server.ts';

let server: TestServer;
let count = 0;
let tenant: string;
let admin: TestBrowser;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => await server.close());
beforeEach(async () => {
  count += 1;
  // Beyond the 10 attempts a minute of the one address all tests share.
  server.time.offsetMs += 12 * 3_600_000;
  tenant = `tenant-${count}`;
  admin = await adminOf(server, tenant);
});

interface Minted {
  id: string;
  secret: string;
}
interface People {
  items: { id: string; email: string; roles: string[]; is_me: boolean }[];
  invites: { id: string; kind: string; email: string }[];
}

const mint = async (roles: string[], more: object = {}) =>
  (await call<Minted>(admin, 'identity.tokens.mint', { name: 'ci', roles, ...more })).data;
const asToken = (secret: string, path: string, options: { method?: string; json?: unknown } = {}) =>
  server.browser().ask(path, { ...options, headers: { authorization: `Bearer ${secret}`, 'sec-fetch-site': '' } });
const people = async () => (await call<People>(admin, 'identity.members.list')).data;
const invite = async (roles: string[], email = '') =>
  (await call<{ id: string; url: string }>(admin, 'identity.members.invite', { roles, email })).data;
const joinAs = async (roles: string[], email: string) => {
  const browser = server.browser();
  await join(browser, (await invite(roles, email)).url, { email });
  return browser;
};

test('an API token acts in its tenant with its roles, over REST and tRPC, without a cookie', async () => {
  const { secret } = await mint(['viewer']);
  expect(secret).toMatch(/^svc_pat_[\w-]{43}$/);
  const rest = await asToken(secret, '/v1/whose');
  expect([rest.status, JSON.parse(rest.body)]).toEqual([200, { tenant, actor: 'api_token' }]);
  expect((await asToken(secret, '/trpc/things.whose?input=%7B%7D')).status).toBe(200);
  expect((await asToken(secret, '/v1/members')).status).toBe(403);
  expect((await asToken(secret, '/v1/sessions')).status).toBe(403);
  const listed = await call<{ items: { id: string; last_used_at: string | null }[] }>(admin, 'identity.tokens.list');
  expect(listed.data.items[0]?.last_used_at).not.toBeNull();
  expect(JSON.stringify(listed.data)).not.toContain(secret.slice(8));
  const id = listed.data.items[0]?.id ?? '';
  expect(JSON.parse((await asToken(secret, '/v1/me')).body)).toMatchObject({
    kind: 'api_token',
    account: { id, name: 'ci' },
    roles: ['viewer'],
  });
  expect((await server.identity.nameActors(parseTenantId(tenant), [id, 'svc'])).get(id)).toBe('ci');
  expect((await server.identity.nameActors(parseTenantId('elsewhere'), [id])).size).toBe(0);
});

test('the audit trail names whom an invitation was for, then who used it, and nobody of another tenant', async () => {
  const named = async (id: string, of = tenant) => (await server.identity.nameActors(parseTenantId(of), [id])).get(id);
  const email = `guest@${tenant}.test`;
  const open = await invite(['viewer'], email);
  const anybody = await invite(['viewer']);
  expect([await named(open.id), await named(anybody.id)]).toEqual([email, undefined]);
  await join(server.browser(), open.url, { email });
  await join(server.browser(), anybody.url, { email: `walk-in@${tenant}.test` });
  const walkIn = (await people()).items.find((one) => one.email === `walk-in@${tenant}.test`);
  expect(await named(anybody.id)).toBe(await named(walkIn?.id ?? ''));
  expect(await named(anybody.id)).toBeDefined();
  expect(await named(open.id, 'elsewhere')).toBeUndefined();
  // An account that is erased takes its name along, and the address that the invitation was for.
  const owner = new pg.Client({ connectionString: server.database.ownerUrl });
  await owner.connect();
  await owner.query("SELECT set_config('app.tenant_id', $1, false)", [tenant]);
  await owner.query('UPDATE access_links SET used_by = $2 WHERE id = $1', [open.id, 'an-erased-account']);
  await owner.end();
  expect(await named(open.id)).toBeUndefined();
});

test('an invitation that is used, withdrawn or unknown opens one page that names no tenant and no command', async () => {
  const used = await invite(['viewer']);
  await join(server.browser(), used.url, { email: `page@${tenant}.test` });
  const withdrawn = await invite(['viewer']);
  await call(admin, 'identity.members.revokeInvite', { id: withdrawn.id });
  const unknown = `${server.publicUrl}/auth/invite?token=${'x'.repeat(43)}`;
  const pages = [];
  for (const url of [used.url, withdrawn.url, unknown]) pages.push(await server.browser().open(url));
  expect(pages.map(({ status }) => status)).toEqual([410, 410, 410]);
  for (const { body } of pages) {
    expect(body).toContain('This link was used or has expired.');
    expect(body).toContain('Ask whoever invited you for a new one.');
    expect(body).not.toMatch(/tenant|svc --|default/i);
  }
});

test('the OpenAPI document names the cookie that this instance sets', async () => {
  const document = JSON.parse((await server.browser().ask('/v1/openapi.json')).body) as {
    components: { securitySchemes: { session: object } };
  };
  const [name = ''] = [...admin.jar.keys()].filter((key) => key.startsWith('__Host-svc_session'));
  expect(document.components.securitySchemes.session).toEqual({ type: 'apiKey', in: 'cookie', name: name.split(' ')[0] });
});

test('a revoked token fails on the very next request, an expired one from its hour on', async () => {
  const { id, secret } = await mint(['viewer']);
  expect((await asToken(secret, '/v1/whose')).status).toBe(200);
  expect((await admin.ask(`/v1/tokens/${id}`, { method: 'DELETE' })).status).toBe(204);
  const refused = await asToken(secret, '/v1/whose');
  expect([refused.status, JSON.parse(refused.body).code]).toEqual([401, 'unauthorized']);
  expect((await admin.ask(`/v1/tokens/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect(server.audited.filter(({ action, object }) => action === 'api_token.revoke' && object === id)).toHaveLength(1);

  const short = await mint(['viewer'], { expires_in_days: 1 });
  server.time.offsetMs += 23 * 3_600_000;
  expect((await asToken(short.secret, '/v1/whose')).status).toBe(200);
  server.time.offsetMs += 2 * 3_600_000;
  expect((await asToken(short.secret, '/v1/whose')).status).toBe(401);
});

test.each([
  ['empty', ''],
  ['not ours', 'x'],
  ['only the prefix', 'svc_pat_'],
  ['unknown', `svc_pat_${'A'.repeat(43)}`],
  ['of another kind', 'svc_enr_abc'],
  ['too long', `svc_pat_${'A'.repeat(5000)}`],
])('a wrong token is nobody, even beside a good cookie: %s', async (_what, secret) => {
  const answer = await admin.ask('/v1/me', { headers: { authorization: `Bearer ${secret}` } });
  expect(answer.status).toBe(401);
});

test('the token, session and link of one tenant reach nothing of another', async () => {
  const { id, secret } = await mint(['admin']);
  const open = await invite(['viewer']);
  const mine = await people();
  const stranger = await adminOf(server, `${tenant}-other`);
  expect((await call<People>(stranger, 'identity.members.list')).data.items.map((one) => one.email)).toEqual([
    `admin@${tenant}-other.test`,
  ]);
  expect((await call<{ items: unknown[] }>(stranger, 'identity.tokens.list')).data.items).toEqual([]);
  expect((await stranger.ask(`/v1/tokens/${id}`, { method: 'DELETE' })).status).toBe(404);
  expect((await stranger.ask(`/v1/members/${mine.items[0]?.id}`, { method: 'DELETE' })).status).toBe(404);
  expect((await stranger.ask(`/v1/members/${mine.items[0]?.id}/roles`, { method: 'PUT', json: { roles: [] } })).status).toBe(404);
  expect((await stranger.ask(`/v1/members/invites/${open.id}`, { method: 'DELETE' })).status).toBe(404);
  expect((await call(stranger, 'identity.switchTenant', { tenant })).status).toBe(403);
  expect(JSON.parse((await asToken(secret, '/v1/tenant')).body).id).toBe(tenant);
  expect((await asToken(secret, '/v1/members')).body).not.toContain('other');
});

test('a state change by cookie needs a page of ours; reading and bearer tokens do not', async () => {
  const { secret } = await mint(['admin']);
  const json = { name: 'x', roles: ['viewer'] };
  const crossSite = { 'sec-fetch-site': 'cross-site' };
  expect((await admin.ask('/v1/tokens', { method: 'POST', json, headers: crossSite })).status).toBe(403);
  expect((await admin.ask('/trpc/identity.tokens.mint', { method: 'POST', json, headers: crossSite })).status).toBe(403);
  expect(
    (await admin.ask('/v1/tokens', { method: 'POST', json, headers: { 'sec-fetch-site': '', origin: 'https://evil.test' } }))
      .status,
  ).toBe(403);
  expect(
    (await admin.ask('/v1/tokens', { method: 'POST', json, headers: { 'sec-fetch-site': '', origin: server.publicUrl } })).status,
  ).toBe(201);
  expect((await admin.ask('/v1/tokens', { headers: crossSite })).status).toBe(200);
  expect((await asToken(secret, '/v1/tokens', { method: 'POST', json })).status).toBe(201);
});

test('an invited person joins with the roles chosen, and a second time with the password they have', async () => {
  const browser = await joinAs(['viewer', 'auditor'], 'bob@x.test');
  const me = await call<{ roles: string[]; permissions: string[] }>(browser, 'identity.me');
  expect(me.data.roles).toEqual(['viewer', 'auditor']);
  expect((await browser.ask('/v1/members')).status).toBe(403);
  expect((await people()).items.map((one) => one.email)).toContain('bob@x.test');

  const other = await adminOf(server, `${tenant}-b`);
  const second = (await call<{ url: string }>(other, 'identity.members.invite', { roles: ['operator'] })).data.url;
  const wrong = await join(server.browser(), second, { email: 'bob@x.test', password: 'not his password' });
  expect(wrong.status).toBe(422);
  const both = server.browser();
  expect((await join(both, second, { email: 'bob@x.test', password: PASSWORD })).status).toBe(200);
  const there = await call<{ tenant: { id: string }; tenants: { id: string }[]; roles: string[] }>(both, 'identity.me');
  expect(there.data).toMatchObject({ tenant: { id: `${tenant}-b` }, roles: ['operator'] });
  expect(there.data.tenants.map(({ id }) => id)).toEqual([tenant, `${tenant}-b`]);
  expect((await call(both, 'identity.switchTenant', { tenant })).status).toBe(200);
  expect((await call<{ tenant: { id: string }; roles: string[] }>(both, 'identity.me')).data).toMatchObject({
    tenant: { id: tenant },
    roles: ['viewer', 'auditor'],
  });
});

test('an invitation that was withdrawn opens no more', async () => {
  const open = await invite(['viewer'], 'late@x.test');
  expect((await people()).invites).toMatchObject([{ id: open.id, kind: 'invite', email: 'late@x.test' }]);
  expect((await admin.ask(`/v1/members/invites/${open.id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await people()).invites).toEqual([]);
  expect((await server.browser().open(open.url)).status).toBe(410);
});

test('changed roles and a removed membership are felt by the very next request', async () => {
  const carl = await joinAs(['viewer'], `carl@${tenant}.test`);
  const id = (await people()).items.find((one) => one.email.startsWith('carl@'))?.id;
  expect((await carl.ask('/v1/whose')).status).toBe(200);
  expect((await call(admin, 'identity.members.setRoles', { id, roles: ['auditor'] })).status).toBe(200);
  expect((await carl.ask('/v1/whose')).status).toBe(403);
  expect((await call(admin, 'identity.members.remove', { id })).status).toBe(200);
  expect((await carl.ask('/v1/me')).status).toBe(401);
});

test('who lost the password gets a link of their own from an admin, unless another tenant has them too', async () => {
  const dora = await joinAs(['viewer'], `dora@${tenant}.test`);
  const id = (await people()).items.find((one) => one.email.startsWith('dora@'))?.id;
  const first = await call<{ url: string }>(admin, 'identity.members.resetPassword', { id });
  const { url } = (await call<{ url: string }>(admin, 'identity.members.resetPassword', { id })).data;
  expect((await server.browser().open(first.data.url)).status).toBe(410);
  expect((await call(dora, 'identity.members.resetPassword', { id })).status).toBe(403);

  const page = await server.browser().open(url);
  expect(page.body).toContain(`For dora@${tenant}.test`);
  const again = server.browser();
  // The e-mail in the form says somebody else: the link's account counts.
  const landed = await join(again, url, { email: `admin@${tenant}.test`, password: 'a quite new password' });
  expect(landed.status).toBe(200);
  expect((await call<{ account: { email: string }; roles: string[] }>(again, 'identity.me')).data).toMatchObject({
    account: { email: `dora@${tenant}.test` },
    roles: ['viewer'],
  });
  expect((await dora.ask('/v1/me')).status).toBe(401);
  expect((await admin.ask('/v1/me')).status).toBe(200);
  expect((await server.browser().open(url)).status).toBe(410);

  const open = (await call<{ url: string }>(admin, 'identity.members.resetPassword', { id })).data.url;
  const other = await adminOf(server, `${tenant}-d`);
  const joins = (await call<{ url: string }>(other, 'identity.members.invite', { roles: ['admin'] })).data.url;
  expect((await join(server.browser(), joins, { email: `dora@${tenant}.test`, password: 'a quite new password' })).status).toBe(
    200,
  );
  expect((await join(server.browser(), open, { email: '', password: 'the admin chose this' })).status).toBe(410);
  expect((await call(admin, 'identity.members.resetPassword', { id })).error).toMatch(
    /several tenants.* admin-link --tenant \S+ --account \S+@/,
  );
  expect((await call(admin, 'identity.members.resetPassword', { id: 'nobody' })).status).toBe(404);
});

test('the last admin can be neither demoted nor removed, also not by two at once', async () => {
  const me = (await people()).items.find((one) => one.is_me)?.id;
  expect((await call(admin, 'identity.members.setRoles', { id: me, roles: ['viewer'] })).error).toMatch('last admin');
  expect((await call(admin, 'identity.members.remove', { id: me })).error).toMatch('last admin');

  const second = await joinAs(['admin'], `second@${tenant}.test`);
  const other = (await people()).items.find((one) => one.email.startsWith('second@'))?.id;
  const both = await Promise.all([
    call(admin, 'identity.members.setRoles', { id: other, roles: [] }),
    call(second, 'identity.members.setRoles', { id: me, roles: [] }),
  ]);
  expect(both.map(({ status }) => status).toSorted()[0]).toBe(200);
  expect(both.map(({ status }) => status).toSorted()[1]).not.toBe(200);
});

test('a person sees their own sessions and ends one at once', async () => {
  const second = server.browser();
  const page = await second.open('/auth/login');
  const action = /action="([^"]+)"/.exec(page.body)?.[1] ?? '';
  await second.open(action, { method: 'POST', form: { email: `admin@${tenant}.test`, password: PASSWORD } });
  type Sessions = { items: { id: string; current: boolean; client: string }[] };
  const { items } = (await call<Sessions>(admin, 'identity.sessions.list')).data;
  expect(items.filter((one) => one.current)).toHaveLength(1);
  const other = items.find((one) => !one.current);
  expect((await call(admin, 'identity.sessions.revoke', { id: other?.id })).status).toBe(200);
  expect((await second.ask('/v1/me')).status).toBe(401);
  expect((await admin.ask('/v1/me')).status).toBe(200);
  expect((await call(admin, 'identity.sessions.revoke', { id: 'somebody-elses' })).status).toBe(404);
});

test('whoever does not hold a permission cannot hand it out', async () => {
  const { secret } = await mint(['admin']);
  expect((await asToken(secret, '/v1/tokens', { method: 'POST', json: { name: 'x', roles: ['root'] } })).status).toBe(400);
  expect((await asToken(secret, '/v1/tokens', { method: 'POST', json: { name: 'x', roles: [] } })).status).toBe(400);
  const viewer = await joinAs(['viewer'], `v@${tenant}.test`);
  expect((await call(viewer, 'identity.members.invite', { roles: ['viewer'] })).status).toBe(403);
});

test('every change left its audit entry in its own tenant', async () => {
  await mint(['viewer']);
  const open = await invite(['viewer']);
  await call(admin, 'identity.members.revokeInvite', { id: open.id });
  const actions = server.audited.filter((entry) => entry.tenant === tenant).map(({ action }) => action);
  expect(actions).toEqual([
    'tenant.create',
    'claim.create',
    'member.join',
    'session.start',
    'api_token.mint',
    'member.invite',
    'invite.revoke',
  ]);
});

test('no secret rests in the database, and the serving role reads no directory table', async () => {
  const { secret } = await mint(['viewer']);
  const { url } = await invite(['viewer']);
  const cookie = admin.cookie('__Host-svc_session')?.value ?? '';
  const secrets = [secret, cookie, new URL(url).searchParams.get('token') ?? '', PASSWORD];
  const owner = new pg.Client({ connectionString: server.database.ownerUrl });
  await owner.connect();
  await owner.query("SELECT set_config('app.tenant_id', $1, false)", [tenant]);
  const tables = [
    'accounts',
    'sessions',
    'credential_keys',
    'oidc_artifacts',
    'identity_keys',
    'api_tokens',
    'access_links',
    'members',
  ];
  for (const table of tables) {
    const { rows } = await owner.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t`);
    const text = rows.map(({ row }) => row).join('\n');
    for (const one of secrets) {
      expect(one.length).toBeGreaterThan(10);
      expect(text).not.toContain(one);
      expect(text).not.toContain(Buffer.from(one).toString('hex'));
    }
  }
  expect((await owner.query('SELECT 1 FROM sessions')).rowCount).toBeGreaterThan(0);
  await owner.end();
  for (const table of ['accounts', 'account_tenants', 'sessions', 'credential_keys', 'oidc_artifacts', 'identity_keys']) {
    const read = server.database.relational.withTenantSql(
      parseTenantId(tenant),
      async (sql) => await sql.query(`SELECT 1 FROM ${table}`),
    );
    await expect(read).rejects.toThrow(/permission denied/);
  }
});
