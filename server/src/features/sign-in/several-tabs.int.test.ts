import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { type Answer, formAction, type TestBrowser } from './test-browser.ts';
import { adminOf, call, PASSWORD, startTestServer, type TestServer } from './test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => await server.close());
// All tests share one address, which has 10 attempts a minute.
beforeEach(() => {
  server.time.offsetMs += 12 * 3_600_000;
});

const FLOW = '__Host-svc_flow';
const flowsOf = (browser: TestBrowser) => [...browser.jar].filter(([name]) => name.startsWith(FLOW));

/** A browser whose session ended an hour ago, as two tabs of it notice at the same time. */
async function expired(tenant: string): Promise<TestBrowser> {
  const browser = await adminOf(server, tenant);
  server.time.offsetMs += 3_600_000;
  expect((await call(browser, 'identity.me')).status).toBe(401);
  return browser;
}

const fill = async (browser: TestBrowser, page: Answer, tenant: string): Promise<Answer> =>
  await browser.open(formAction(page), { method: 'POST', form: { email: `admin@${tenant}.test`, password: PASSWORD } });

/** Fills the form and stops before the provider's answer reaches the server. */
async function toCallback(browser: TestBrowser, page: Answer, tenant: string): Promise<URL> {
  const form = { email: `admin@${tenant}.test`, password: PASSWORD };
  let step = await browser.ask(formAction(page), { method: 'POST', form });
  while (!String(step.headers.location).includes('/auth/callback')) step = await browser.ask(String(step.headers.location));
  return new URL(String(step.headers.location), server.publicUrl);
}

const here = (path: string) => `${server.publicUrl}${path}`;

test('each of two tabs lands where it was, whichever signs in first', async () => {
  const browser = await expired('tabs');
  const [audit, map] = await Promise.all(['/audit', '/map'].map((path) => browser.open(`/auth/login?return_to=${path}`)));
  expect((await fill(browser, audit as Answer, 'tabs')).url).toBe(here('/audit'));
  expect((await fill(browser, map as Answer, 'tabs')).url).toBe(here('/map'));
  expect((await call(browser, 'identity.me')).status).toBe(200);
  expect(flowsOf(browser)).toEqual([]);
});

test('two tabs may sign in as different people; the later one holds the browser', async () => {
  const browser = await expired('first-person');
  await adminOf(server, 'second-person');
  const one = await browser.open('/auth/login?return_to=/audit');
  const two = await browser.open('/auth/login?return_to=/map');
  expect((await fill(browser, one, 'first-person')).url).toBe(here('/audit'));
  expect((await fill(browser, two, 'second-person')).url).toBe(here('/map'));
  const { data } = await call<{ account: { email: string } }>(browser, 'identity.me');
  expect(data.account.email).toBe('admin@second-person.test');
});

test('a tab that comes late to a browser that is signed in again goes back to its page without a password', async () => {
  const browser = await expired('late');
  const waiting = await browser.open('/auth/login?return_to=/map');
  const audit = await browser.open('/auth/login?return_to=/audit');
  server.time.offsetMs += 1000;
  await fill(browser, audit, 'late');
  // Its form, loaded again.
  expect((await browser.open(waiting.url)).url).toBe(here('/map'));
  expect(flowsOf(browser)).toEqual([]);
  // One that only now asks for a sign-in.
  expect((await browser.open('/auth/login?return_to=/logs')).url).toBe(here('/logs'));
  for (const place of ['//evil.test/', '/\\evil.test', '/.//evil.test', 'https://evil.test/'])
    expect((await browser.ask(`/auth/login?return_to=${encodeURIComponent(place)}`)).headers.location).toBe('/');
});

test('who is signed in and asks for the sign-in page is asked for the password, and so is a form begun since', async () => {
  const browser = await adminOf(server, 'again');
  server.time.offsetMs += 1000;
  const page = await browser.open('/auth/login');
  expect(page.body).toContain('name="password"');
  expect((await browser.open(page.url)).body).toContain('name="password"');
  const other = await browser.open('/auth/login?return_to=/map&tenant=other');
  expect(other.body).toContain('name="password"');
});

test('a link to join is never skipped by the session of whoever is signed in', async () => {
  const browser = await adminOf(server, 'joins');
  const { url } = await server.identity.createClaimLink(parseTenantId('joins'));
  const link = new URL(url).searchParams.get('token');
  expect((await browser.open(`/auth/login?return_to=/map&link=${link}`)).body).toContain('name="password"');
});

test('an answer that was used, loaded again, leads a signed-in browser to the console and anybody else nowhere', async () => {
  const browser = await expired('used');
  const callback = await toCallback(browser, await browser.open('/auth/login?return_to=/map'), 'used');
  const copied = flowsOf(browser);
  expect((await browser.ask(callback.href)).headers.location).toBe('/map');
  const session = browser.cookie('__Host-svc_session')?.value;
  expect(await browser.ask(callback.href)).toMatchObject({ status: 303, headers: { location: '/' } });
  expect(browser.cookie('__Host-svc_session')?.value).toBe(session);
  // Even with the cookies of before it was used.
  const thief = server.browser();
  for (const [name, cookie] of copied) thief.jar.set(name, cookie);
  expect((await thief.ask(callback.href)).status).toBe(400);
  expect(thief.cookie('__Host-svc_session')).toBeUndefined();
});

test('of many sign-ins that one browser begins, the newest eight go on, and the cookies stay few and small', async () => {
  const browser = await expired('many');
  const pages: Answer[] = [];
  for (let n = 0; n < 12; n += 1) pages.push(await browser.open(`/auth/login?return_to=/p${n}`));
  const flows = flowsOf(browser);
  expect(flows).toHaveLength(8);
  for (const [, { value, attributes }] of flows) {
    expect(value.length).toBeLessThan(50);
    expect(attributes).toBe('Path=/; Max-Age=600; HttpOnly; Secure; SameSite=Lax');
  }
  const oldest = await fill(browser, pages[3] as Answer, 'many');
  expect([oldest.status, oldest.body.includes('/auth/login?return_to=')]).toEqual([400, true]);
  expect((await fill(browser, pages[4] as Answer, 'many')).url).toBe(here('/p4'));
});

test('a sign-in ends after ten minutes, whatever cookies are kept', async () => {
  const browser = await expired('slow');
  const callback = await toCallback(browser, await browser.open('/auth/login?return_to=/map'), 'slow');
  server.time.offsetMs += 601_000;
  expect((await browser.ask(callback.href)).status).toBe(400);
});
