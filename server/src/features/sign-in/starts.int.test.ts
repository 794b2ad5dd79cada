import { afterAll, beforeAll, expect, test } from 'vitest';
import { formAction } from './test-browser.ts';
import { adminOf, PASSWORD, startTestServer, type TestServer } from './test-server.ts';

const MOST = 30;
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ trustedProxies: ['127.0.0.1'], stepsPerMinute: MOST });
});
afterAll(() => server.close());

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

/** Signs in from there as a browser would; gives the status of the form's answer, or of the page that refused it. */
async function signInFrom(address: string, email: string): Promise<number> {
  const browser = server.browser();
  let page = await browser.ask('/auth/login', from(address));
  while (page.headers.location !== undefined)
    page = await browser.ask(new URL(String(page.headers.location), page.url).href, from(address));
  if (page.status !== 200) return page.status;
  let answer = await browser.ask(formAction(page), { ...from(address), method: 'POST', form: { email, password: PASSWORD } });
  const { status } = answer;
  while (answer.headers.location !== undefined && answer.headers.location !== '/')
    answer = await browser.ask(new URL(String(answer.headers.location), answer.url).href, from(address));
  return status;
}

test('sign-ins that begin from many addresses are bounded, and people of a site known before go on', async () => {
  await adminOf(server, 'starts');
  server.time.offsetMs += 3_600_000;
  const email = 'admin@starts.test';
  expect(await signInFrom('203.0.113.4', email)).toBe(303);
  server.time.offsetMs += 61_000;

  const begin = async (address: string) => (await server.browser().ask('/auth/login', from(address))).status;
  const statuses: number[] = [];
  for (let site = 0; site < 4 * MOST; site += 1) statuses.push(await begin(`198.18.${site}.1`));
  expect(statuses.filter((status) => status === 302).length).toBe(2 * MOST);
  // Not past /auth/login either.
  expect((await server.browser().ask('/auth/oidc/auth/?client_id=console', from('198.51.100.1'))).status).toBe(429);
  expect(await signInFrom('198.51.100.2', email)).toBe(429);
  expect(await signInFrom('203.0.113.9', email)).toBe(303);
});
