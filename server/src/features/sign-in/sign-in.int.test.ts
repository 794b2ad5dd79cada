import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { formAction, type TestBrowser } from './test-browser.ts';
import { adminOf, CHEAP_ITERATIONS, call, join, PASSWORD, signIn, startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => await server.close());

// All tests share one address, which has 10 attempts a minute: each begins in a minute of its own.
let startMs = 0;
const goTo = (minutes: number) => {
  server.time.offsetMs = startMs + minutes * 60_000;
};
beforeEach(() => {
  startMs += 12 * 3_600_000;
  goTo(0);
});

interface Me {
  account: { id: string; email: string; name: string };
  tenant: { id: string; simulated: boolean };
  roles: string[];
  permissions: string[];
}

test('the first start prints a link that makes whoever opens it the admin, through the ordinary sign-in, and works once', async () => {
  const welcome = await server.identity.welcome();
  const url = welcome?.claimUrl ?? '';
  expect(url).toMatch(`${server.publicUrl}/auth/claim?token=`);
  const browser = server.browser();
  const landed = await join(browser, url, { email: 'Ann@X.test', name: 'Ann <b>' });
  expect(landed).toMatchObject({ status: 200, body: 'the console', url: `${server.publicUrl}/` });

  const me = await call<Me>(browser, 'identity.me');
  expect(me.data).toMatchObject({
    account: { email: 'ann@x.test', name: 'Ann <b>' },
    tenant: { id: 'default', simulated: false },
    roles: ['admin'],
  });
  expect(me.data.permissions).toContain('member.write');
  expect(server.audited.map(({ action }) => action)).toEqual(['tenant.create', 'claim.create', 'member.join', 'session.start']);

  const again = await server.browser().open(url);
  expect(again.status).toBe(410);
  expect(again.body).toContain('This link was used or has expired.');
  expect(again.body).toContain('npm run svc -- admin-link');
  expect(await server.identity.welcome()).toBeUndefined();
});

test('the session cookie is HttpOnly, Secure, Lax, of this host alone, and only its hash is stored', async () => {
  const browser = await adminOf(server, 'cookie-flags');
  const cookie = browser.cookie('__Host-svc_session');
  expect(cookie?.attributes).toMatch(/Path=\/; HttpOnly; Secure; SameSite=Lax/);
  expect(cookie?.attributes).not.toMatch(/domain/i);
  expect([...browser.jar.keys()].join()).not.toContain('svc_flow');
  const found = await server.identity.resolveRequest({ headers: { cookie: 'x' }, method: 'GET' } as never, {} as never);
  expect(found).toBeUndefined();
});

test('two tabs that use one link at the same time make one admin', async () => {
  const { url } = await server.identity.createClaimLink(parseTenantId('default'));
  const token = new URL(url).searchParams.get('token') ?? '';
  const tabs = [server.browser(), server.browser()];
  // Both have the form before either sends it, and each is still at its password when the other comes.
  server.passwords.iterations = undefined;
  const actions = await Promise.all(tabs.map(async (tab) => formAction(await tab.open(url))));
  const send = (tab: TestBrowser, at: number) => {
    const form = { token, email: `tab-${at}@x.test`, name: '', password: PASSWORD, again: PASSWORD };
    return tab.open(actions[at] ?? '', { method: 'POST', form });
  };
  const answers = await Promise.all(tabs.map(send));
  server.passwords.iterations = CHEAP_ITERATIONS;
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 410]);
});

test('of many claim links that nobody uses, the newest few stay open', async () => {
  const tenant = parseTenantId('unclaimed');
  await server.identity.ensureTenant(tenant, { name: 'Unclaimed', simulated: false });
  const links: string[] = [];
  for (let n = 0; n < 7; n += 1) links.push((await server.identity.createClaimLink(tenant)).url);
  const states: number[] = [];
  for (const url of links) states.push((await server.browser().open(url)).status);
  expect(states).toEqual([410, 410, 200, 200, 200, 200, 200]);
});

test('a link that has expired does not open, and a new one voids nothing that was used', async () => {
  const { url } = await server.identity.createClaimLink(parseTenantId('default'));
  goTo(25 * 60);
  const answer = await server.browser().open(url);
  expect(answer.status).toBe(410);
});

test('a claim link is the way back in after a lost password, and ends the sessions of before', async () => {
  const before = await adminOf(server, 'lost');
  const { url } = await server.identity.createClaimLink(parseTenantId('lost'));
  const after = server.browser();
  expect((await join(after, url, { email: 'admin@lost.test', password: 'another long one' })).status).toBe(200);
  expect((await call(before, 'identity.me')).status).toBe(401);
  expect((await call<Me>(after, 'identity.me')).data.account.name).toBe('Admin of lost');
  expect((await signIn(server.browser(), { email: 'admin@lost.test' })).status).toBe(401);
});

test('signing in by password lands where the person wanted to go, and never elsewhere', async () => {
  await adminOf(server, 'land');
  const person = { email: 'admin@land.test' };
  expect((await signIn(server.browser(), person, '/auth/login?return_to=/?a=1')).url).toBe(`${server.publicUrl}/?a=1`);
  expect((await signIn(server.browser(), person, '/auth/login?return_to=//evil.test/')).url).toBe(`${server.publicUrl}/`);
});

test('a wrong password and an unknown person get the same answer', async () => {
  await adminOf(server, 'same');
  const wrong = await signIn(server.browser(), { email: 'admin@same.test', password: 'wrong wrong wrong' });
  const unknown = await signIn(server.browser(), { email: 'nobody@same.test', password: 'wrong wrong wrong' });
  expect([wrong.status, unknown.status]).toEqual([401, 401]);
  const strip = (body: string) => body.replace(/interaction\/[\w-]+/g, '').replace(/\w+@same\.test/g, '');
  expect(strip(wrong.body)).toBe(strip(unknown.body));
});

test('an answer of the identity provider works once, and only with its own state', async () => {
  await adminOf(server, 'replay');
  const browser = server.browser();
  const page = await browser.open('/auth/login');
  let step = await browser.ask(formAction(page), { method: 'POST', form: { email: 'admin@replay.test', password: PASSWORD } });
  while (!String(step.headers.location).includes('/auth/callback')) step = await browser.ask(String(step.headers.location));
  const callback = new URL(String(step.headers.location), server.publicUrl);

  const thief = server.browser();
  expect((await thief.ask(callback.href)).status).toBe(400);
  expect((await thief.ask('/auth/login')).status).toBe(302);
  // A sign-in of its own under way changes nothing, nor does its cookie under the name of this one.
  expect((await thief.ask(callback.href)).status).toBe(400);
  const isFlow = ([name]: [string, unknown]) => name.startsWith('__Host-svc_flow');
  const [own, wanted] = [[...thief.jar].find(isFlow), [...browser.jar].find(isFlow)];
  if (!own || !wanted) throw new Error('no sign-in is under way');
  thief.jar.set(wanted[0], own[1]);
  expect((await thief.ask(callback.href)).status).toBe(401);
  expect(thief.cookie('__Host-svc_session')).toBeUndefined();

  const forged = new URL(callback);
  forged.searchParams.set('state', 'x'.repeat(43));
  expect((await browser.ask(forged.href)).status).toBe(400);
  // With its own state and another code it is used up.
  const guessed = new URL(callback);
  guessed.searchParams.set('code', 'x'.repeat(43));
  expect((await browser.ask(guessed.href)).status).toBe(401);
  expect((await browser.ask(callback.href)).status).toBe(400);
  expect(browser.cookie('__Host-svc_session')).toBeUndefined();
});

test('what the identity provider remembers of a browser signs nobody in', async () => {
  const browser = await adminOf(server, 'remembered');
  goTo(2);
  await signIn(browser, { email: 'admin@remembered.test' });
  const kept = [...browser.jar].filter(([name]) => name.includes('issuer_session'));
  expect(kept.length).toBeGreaterThan(0);
  const begun = await browser.ask('/auth/login');
  // The cookies that a new sign-in clears, and its address without the word that asks for the password.
  for (const [name, cookie] of kept) browser.jar.set(name, cookie);
  const address = new URL(String(begun.headers.location));
  address.searchParams.delete('prompt');
  const page = await browser.open(address.href);
  expect([page.status, page.body.includes('name="password"')]).toEqual([200, true]);
});

test('a form is small and has few fields, whoever sends it', async () => {
  const browser = server.browser();
  const action = formAction(await browser.open('/auth/login'));
  const send = async (form: Record<string, string>) => (await browser.ask(action, { method: 'POST', form })).status;
  expect(await send({ email: 'ann@x.test', password: 'x'.repeat(4097) })).toBe(400);
  expect(await send({ email: 'x'.repeat(20_000), password: 'x' })).toBe(413);
  expect(await send(Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`f${n}`, 'x'])))).toBe(400);
  // Long input that is no address and no password of ours is refused like any other.
  expect(await send({ email: `${'x'.repeat(4000)}@x.test`, password: 'x'.repeat(4000) })).toBe(401);
});

test('a form that another site sends is refused before anything is looked at', async () => {
  const browser = server.browser();
  const page = await browser.open('/auth/login');
  const elsewhere: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': '', origin: 'https://evil.test' },
    { 'sec-fetch-site': '' },
  ];
  for (const headers of elsewhere) {
    const form = { email: 'ann@x.test', password: PASSWORD };
    expect((await browser.ask(formAction(page), { method: 'POST', form, headers })).status).toBe(403);
    expect((await browser.ask('/auth/logout', { method: 'POST', headers })).status).toBe(403);
    expect((await browser.ask('/auth/claim', { method: 'POST', form: { token: 'x' }, headers })).status).toBe(403);
  }
});

test('signing out ends the session on the server, and signing in again asks for the password', async () => {
  const browser = await adminOf(server, 'out');
  const kept = browser.cookie('__Host-svc_session')?.value;
  const name = server.identity.cookieName;
  const page = await browser.open('/auth/logout', { method: 'POST' });
  expect(page.url).toBe(`${server.publicUrl}/auth/signed-out`);
  expect((await browser.ask('/v1/me', { headers: { cookie: `${name}=${kept}` } })).status).toBe(401);
  expect((await browser.open('/auth/login')).body).toContain('name="password"');
  expect(server.audited.at(-1)).toMatchObject({ tenant: 'out', action: 'session.end' });
});

test('a session ends after 30 minutes without a request, and after 8 hours with them', async () => {
  const idle = await adminOf(server, 'idle');
  goTo(31);
  expect((await call(idle, 'identity.me')).status).toBe(401);
  goTo(0);
  const busy = await adminOf(server, 'busy');
  for (let minutes = 20; minutes < 480; minutes += 20) {
    goTo(minutes);
    expect((await call(busy, 'identity.me')).status).toBe(200);
  }
  goTo(481);
  expect((await call(busy, 'identity.me')).status).toBe(401);
});

test('pages of the sign-in run no script, load nothing from elsewhere, are not stored and not framed', async () => {
  const page = await server.browser().open('/auth/login');
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(page.headers['cache-control']).toBe('no-store');
  expect(page.headers['strict-transport-security']).toMatch('max-age=31536000');
  expect(page.body).not.toMatch(/<script|<style| style=| on\w+=|http:\/\//);
  const style = await server.browser().ask('/auth/assets/auth.css');
  expect(style.headers['content-type']).toMatch('text/css');
});

test('a page opened by another name says where the server answers', async () => {
  const page = await server.browser().ask('/auth/login', { headers: { host: 'box.lan:8443' } });
  expect(page.status).toBe(421);
  expect(page.body).toContain(`${server.publicUrl}/auth/login`);
  expect(page.body).toContain('SVC_PUBLIC_URL=https://box.lan:8443');
});

test('a weak password is refused with its reason, and the link stays open', async () => {
  const { url } = await server.identity.createClaimLink(parseTenantId('default'));
  const browser = server.browser();
  const weak = await join(browser, url, { email: 'weak@x.test', password: 'short' });
  expect(weak.status).toBe(422);
  expect(weak.body).toContain('at least 12');
  expect((await join(browser, url, { email: 'weak@x.test' })).status).toBe(200);
});

test('the eleventh attempt of an address within a minute waits', async () => {
  const browser = server.browser();
  const page = await browser.open('/auth/login');
  const attempt = () =>
    browser.ask(formAction(page), { method: 'POST', form: { email: 'ann@x.test', password: 'wrong wrong wrong' } });
  for (let n = 0; n < 10; n += 1) expect((await attempt()).status).toBe(401);
  const refused = await attempt();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(refused.body).toContain('Too many attempts.');
  goTo(2);
  expect((await attempt()).status).toBe(401);
});
