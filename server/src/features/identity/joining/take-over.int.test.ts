import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import type { TestBrowser } from '../../sign-in/test-browser.ts';
import { adminOf, call, join, PASSWORD, signIn, startTestServer, type TestServer } from '../../sign-in/test-server.ts';

let server: TestServer;
let owner: pg.Client;
let count = 0;
/** Tenants of the victim and of the attacker. */
let ours: string;
let theirs: string;
let victim: TestBrowser;
let attacker: TestBrowser;
let email: string;
beforeAll(async () => {
  server = await startTestServer({ trustedProxies: ['127.0.0.1'] });
  // What others do while a password is derived is what these are about.
  server.passwords.iterations = undefined;
});
afterAll(async () => await server.close());
beforeEach(async () => {
  count += 1;
  server.time.offsetMs += 12 * 3_600_000;
  [ours, theirs] = [`ours-${count}`, `theirs-${count}`];
  victim = await adminOf(server, ours);
  attacker = await adminOf(server, theirs);
  email = `admin@${ours}.test`;
  owner = new pg.Client({ connectionString: server.database.ownerUrl });
  await owner.connect();
});
afterEach(async () => await owner.end());

const claim = async (tenant: string) => (await server.identity.createClaimLink(parseTenantId(tenant))).url;
const invite = async (by: TestBrowser, to = '', roles = ['viewer']) =>
  (await call<{ url: string }>(by, 'identity.members.invite', { roles, email: to })).data.url;
const tenantsOf = async (address: string) =>
  (
    await owner.query<{ tenant_id: string }>(
      'SELECT tenant_id FROM account_tenants JOIN accounts ON id = account_id WHERE email = $1 ORDER BY 1',
      [address],
    )
  ).rows.map((row) => row.tenant_id);
const NEW = 'the attacker chose this';

/** A form sent as if by another address, so that attempts are not what is tested. */
const post = async (url: string, form: Record<string, string>, from = '192.0.2.1') => {
  const { pathname, searchParams } = new URL(url);
  const all = { token: searchParams.get('token') ?? '', ...form };
  return await server.browser().ask(pathname, { method: 'POST', form: all, headers: { 'x-forwarded-for': from } });
};
const trailOf = (tenant: string) => server.audited.filter((entry) => entry.tenant === tenant).map(({ action }) => action);
const removeFrom = async (by: TestBrowser, address: string) => {
  const { items } = (await call<{ items: { id: string; email: string }[] }>(by, 'identity.members.list')).data;
  const { id } = items.find((one) => one.email === address) ?? { id: '' };
  expect((await by.ask(`/v1/members/${id}`, { method: 'DELETE' })).status).toBe(204);
};
const canSignIn = async (password: string) => {
  server.time.offsetMs += 61_000;
  return (await signIn(server.browser(), { email, password })).status === 200;
};

test('a link of another tenant neither replaces the password of an account nor adds a membership without it', async () => {
  for (const url of [await claim(theirs), await invite(attacker, '', ['admin'])]) {
    const answer = await join(server.browser(), url, { email, password: NEW });
    expect(answer.status).toBe(422);
    expect(answer.body).toContain('There is an account');
    expect(await tenantsOf(email)).toEqual([ours]);
    expect(await canSignIn(NEW)).toBe(false);
    expect((await call(victim, 'identity.me')).status).toBe(200);
    expect((await join(server.browser(), url, { email, password: PASSWORD })).status).toBe(200);
    expect(await tenantsOf(email)).toEqual([ours, theirs]);
    await removeFrom(attacker, email);
  }
  expect(trailOf(ours)).toEqual(expect.arrayContaining(['member.join_elsewhere', 'member.join_elsewhere']));
  expect(trailOf(ours)).not.toContain('password.replace');
});

test('whoever makes many links for an account fills no trail of its other tenants', async () => {
  const elsewhere = () =>
    server.audited
      .filter(({ tenant, action }) => tenant === ours && action === 'member.join_elsewhere')
      .map(({ detail }) => detail);
  const joinAndLeave = async () => {
    server.time.offsetMs += 61_000;
    const url = await invite(attacker);
    expect((await join(server.browser(), url, { email, password: PASSWORD })).status).toBe(200);
    await removeFrom(attacker, email);
  };
  for (let turn = 0; turn < 14; turn += 1) await joinAndLeave();
  expect(elsewhere()).toEqual(Array.from({ length: 10 }, () => ({})));
  expect(trailOf(theirs).filter((action) => action === 'member.join')).toHaveLength(14 + 1);
  server.time.offsetMs += 3_600_000;
  attacker = server.browser();
  await signIn(attacker, { email: `admin@${theirs}.test` });
  await joinAndLeave();
  expect(elsewhere().slice(10)).toEqual([{ more_before: 4 }]);
});

test('an account uses a link by its own sign-in, begun on the page of the link and nowhere else', async () => {
  const url = await invite(attacker);
  const browser = server.browser();
  const next = /href="(\/auth\/login\?link=[^"]+)"/.exec((await browser.open(url)).body)?.[1] ?? '';
  for (const site of ['cross-site', 'same-site', 'none', ''])
    expect((await browser.ask(next, { headers: { 'sec-fetch-site': site } })).status).toBe(403);
  expect((await signIn(browser, { email }, next)).status).toBe(200);
  const me = (await call<{ tenant: { id: string }; account: { email: string } }>(browser, 'identity.me')).data;
  expect(me).toMatchObject({ tenant: { id: theirs }, account: { email } });
  expect((await server.browser().open(url)).status).toBe(410);
});

test('a link for one address is for no other account, whoever is signed in, and for every way to write it', async () => {
  const url = await invite(attacker, `bound@${theirs}.test`);
  const other = await join(server.browser(), url, { email, password: PASSWORD });
  expect([other.status, other.body.includes('only for')]).toEqual([422, true]);
  const signedIn = await signIn(server.browser(), { email }, `/auth/login?link=${new URL(url).searchParams.get('token')}`);
  expect(signedIn.status).toBe(403);
  expect(await tenantsOf(email)).toEqual([ours]);
  const wide = [...`BOUND@${theirs}.test`].map((letter) =>
    /[A-Z]/.test(letter) ? String.fromCodePoint(letter.charCodeAt(0) + 0xfee0) : letter,
  );
  const joined = await join(server.browser(), url, { email: `  ${wide.join('')} `, password: PASSWORD });
  expect(joined.status).toBe(200);
  expect(await tenantsOf(`bound@${theirs}.test`)).toEqual([theirs]);
  const disguised = await join(server.browser(), await invite(attacker), { email: `bound\u200b@${theirs}.test` });
  expect(disguised.status).toBe(422);
});

test.each([
  ['in other words', (n: number) => ({ email: `racer-${n}@${theirs}.test` })],
  ['all for one new account', () => ({ email: `racer@${theirs}.test` })],
  ['all for one account that proves itself', () => ({ email })],
])('twenty use one link at the same time, one joins: %s', async (_how, personOf) => {
  const url = await invite(attacker);
  const forms = Array.from({ length: 20 }, (_, n) => ({ name: '', password: PASSWORD, again: PASSWORD, ...personOf(n) }));
  const before = (await owner.query('SELECT 1 FROM account_tenants WHERE tenant_id = $1', [theirs])).rowCount ?? 0;
  const answers = await Promise.all(forms.map((form, n) => post(url, form, `198.51.100.${n + 1}`)));
  const statuses = answers.map(({ status }) => status).toSorted();
  expect(statuses.filter((status) => status === 303)).toHaveLength(1);
  // 429: of one account so many wait for their turn.
  expect(statuses.every((status) => [303, 410, 422, 429].includes(status))).toBe(true);
  expect((await owner.query('SELECT 1 FROM account_tenants WHERE tenant_id = $1', [theirs])).rowCount).toBe(before + 1);
  expect(
    (await owner.query("SELECT 1 FROM accounts WHERE email LIKE 'racer%' AND id NOT IN (SELECT account_id FROM account_tenants)"))
      .rowCount,
  ).toBe(0);
  expect((await post(url, forms[0] ?? {}, '198.51.100.99')).status).toBe(410);
});

test('a link that is used, expired or withdrawn says nothing of its tenant or of any account', async () => {
  const used = await invite(attacker);
  await join(server.browser(), used, { email: `once@${theirs}.test` });
  const usedClaim = await claim(theirs);
  await join(server.browser(), usedClaim, { email: `once-more@${theirs}.test` });
  const late = await claim(theirs);
  let attempts = 0;
  const answersOf = async (urls: readonly string[]): Promise<Set<string>> => {
    const bodies = new Set<string>();
    for (const url of urls) {
      for (const address of [email, 'nobody@x.test']) {
        const form = { email: address, name: '', password: PASSWORD, again: PASSWORD };
        attempts += 1;
        // A wrong link counts as an attempt too.
        const answer = await post(url, form, `192.0.2.${attempts}`);
        expect(answer.status).toBe(410);
        bodies.add(answer.body);
      }
    }
    return bodies;
  };
  server.time.offsetMs += 25 * 3_600_000;
  for (const kind of ['invite', 'claim']) {
    const none = `${server.publicUrl}/auth/${kind}?token=nothing`;
    // Whom to ask for a new link is told by the kind of link, and its address tells that already.
    const bodies = await answersOf([used, usedClaim, late, none].filter((url) => url.includes(`/auth/${kind}?`)));
    expect(bodies.size).toBe(1);
    expect([...bodies][0]).not.toContain(theirs);
  }
});

/** Makes the account a member of another tenant in a transaction that is still open. */
const beginJoining = async (tenant: string, address: string) => {
  await owner.query('BEGIN');
  await owner.query("SELECT set_config('app.tenant_id', $1, true)", [tenant]);
  await owner.query(
    'INSERT INTO members (tenant_id, account_id, created_at) SELECT $1, id, now() FROM accounts WHERE email = $2',
    [tenant, address],
  );
};
const waits = async () => {
  const watcher = new pg.Client({ connectionString: server.database.ownerUrl });
  await watcher.connect();
  const blocked = 'SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0';
  await expect.poll(async () => (await watcher.query(blocked)).rowCount, { timeout: 10_000 }).toBeGreaterThan(0);
  await watcher.end();
};

test('an account that joins another tenant between check and reset keeps its password', async () => {
  const address = `dora@${theirs}.test`;
  await join(server.browser(), await invite(attacker, address), { email: address });
  const { items } = (await call<{ items: { id: string; email: string }[] }>(attacker, 'identity.members.list')).data;
  const id = items.find((one) => one.email === address)?.id;
  const reset = (await call<{ url: string }>(attacker, 'identity.members.resetPassword', { id })).data.url;
  for (const [url, status] of [
    [reset, 410],
    [await claim(theirs), 422],
  ] as const) {
    await beginJoining(ours, address);
    const answer = post(url, { email: address, name: '', password: NEW, again: NEW });
    await waits();
    await owner.query('COMMIT');
    expect((await answer).status).toBe(status);
    await owner.query('BEGIN');
    await owner.query("SELECT set_config('app.tenant_id', $1, true)", [ours]);
    await owner.query('DELETE FROM members WHERE account_id = $1', [id]);
    await owner.query('COMMIT');
  }
  expect((await signIn(server.browser(), { email: address })).status).toBe(200);
});

test('a password that is replaced while its proof is under way proves nothing', async () => {
  const url = await invite(attacker);
  await owner.query('BEGIN');
  await owner.query('UPDATE accounts SET password_hash = $1 WHERE email = $2', ['pbkdf2-sha256$1$AAAA$AAAA', email]);
  const answer = post(url, { email, name: '', password: PASSWORD, again: PASSWORD });
  await waits();
  await owner.query('COMMIT');
  expect((await answer).status).toBe(422);
  expect(await tenantsOf(email)).toEqual([ours]);
});

test('a sign-in that was under way when the password was replaced ends without a session', async () => {
  const browser = server.browser();
  const page = await browser.open('/auth/login');
  const action = /<form[^>]* action="([^"]+)"/.exec(page.body)?.[1] ?? '';
  let step = await browser.ask(action, { method: 'POST', form: { email, password: PASSWORD } });
  while (!String(step.headers.location).includes('/auth/callback')) step = await browser.ask(String(step.headers.location));
  server.time.offsetMs += 1000;
  expect((await join(server.browser(), await claim(ours), { email, password: NEW })).status).toBe(200);
  expect((await browser.ask(String(step.headers.location))).status).toBe(401);
  expect(browser.cookie('__Host-svc_session')).toBeUndefined();
});

test('the operator sets the password of an account in several tenants: each trail tells of it, each session learns why it ended', async () => {
  await join(server.browser(), await invite(attacker), { email, password: PASSWORD });
  const made = await server.identity.createPasswordLink(parseTenantId(ours), email);
  expect(made.tenants).toEqual([ours, theirs]);
  for (const tenant of [ours, theirs]) expect(trailOf(tenant).at(-1)).toBe('member.reset_password');
  const browser = server.browser();
  expect((await join(browser, made.url, { email: '', password: NEW })).status).toBe(200);
  for (const tenant of [ours, theirs]) expect(trailOf(tenant)).toContain('password.replace');
  const detailsOf = (action: string) => server.audited.filter((entry) => entry.action === action).map(({ detail }) => detail);
  const sent = detailsOf('member.reset_password').at(-1);
  expect(sent).toEqual({ link: expect.any(String), expires_at: expect.any(String) });
  expect(detailsOf('password.replace').slice(-2)).toEqual(Array(2).fill({ by: 'claim', link: sent?.link }));
  expect((await call(victim, 'identity.me')).status).toBe(401);
  expect((await victim.open('/auth/login')).body).toMatch(/Your password was changed on \d+ \w+ 20\d\d at \d\d:\d\d UTC/);
  expect((await server.browser().open('/auth/login')).body).not.toContain('Your password was changed');
  const sessions = (await call<{ items: { current: boolean }[] }>(browser, 'identity.sessions.list')).data.items;
  expect(sessions).toMatchObject([{ current: true }]);
  expect((await server.browser().open(made.url)).status).toBe(410);
  await expect(server.identity.createPasswordLink(parseTenantId(ours), 'nobody@x.test')).rejects.toThrow('no account');
});

test('open invitations of a tenant do not keep the operator from making a link for it', async () => {
  await owner.query('BEGIN');
  await owner.query("SELECT set_config('app.tenant_id', $1, true)", [theirs]);
  await owner.query(
    `INSERT INTO access_links (tenant_id, id, kind, roles, created_by, created_at, expires_at)
     SELECT $1, gen_random_uuid(), 'invite', '{viewer}', 'x', now(), now() + interval '9 years' FROM generate_series(1, 500)`,
    [theirs],
  );
  await owner.query('COMMIT');
  const refused = await call(attacker, 'identity.members.invite', { roles: ['viewer'] });
  expect(refused.error).toMatch('Too many open invitations');
  expect((await server.browser().open(await claim(theirs))).status).toBe(200);
});
