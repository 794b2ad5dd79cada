import { request } from 'node:https';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestBrowser } from '../../sign-in/test-browser.ts';
import { adminOf, call, join, startTestServer, type TestServer } from '../../sign-in/test-server.ts';

let near: TestServer;
let far: TestServer;
let blocker: pg.Client;
let count = 0;
let admin: TestBrowser;
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
  admin = await adminOf(near, `revoke-${count}`);
  blocker = new pg.Client({ connectionString: near.database.ownerUrl });
  await blocker.connect();
});
afterEach(async () => await blocker.end());

/** From now on GET /v1/members waits: it reads this table, and nothing that decides about access does. */
const block = async () => {
  await blocker.query('BEGIN');
  await blocker.query('LOCK TABLE access_links IN ACCESS EXCLUSIVE MODE');
};

interface Waiting {
  /** Of the answer; 0 when it was cut. */
  status: Promise<number>;
  received: () => string;
  sinceMs: () => number;
}

/** A request that waits at the table, sent to a replica with this credential. */
async function ask(to: TestServer, path: string, headers: Record<string, string>): Promise<Waiting> {
  const began = Date.now();
  let text = '';
  const status = new Promise<number>((resolve) => {
    const outgoing = request(`${to.here}${path}`, { ca: to.ca, headers, agent: false }, (answer) => {
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
      });
      answer.on('end', () => resolve(answer.statusCode ?? 0));
      answer.on('error', () => resolve(0));
    });
    outgoing.on('error', () => resolve(0));
    outgoing.end();
  });
  const waits = async () =>
    (await blocker.query("SELECT 1 FROM pg_locks WHERE relation = 'access_links'::regclass AND NOT granted")).rowCount;
  await expect.poll(waits, { timeout: 10_000 }).toBeGreaterThan(0);
  return { status, received: () => text, sinceMs: () => Date.now() - began };
}

const cookieOf = (browser: TestBrowser): Record<string, string> => {
  const cookie = browser.cookie(near.identity.cookieName);
  return { cookie: `${near.identity.cookieName}=${cookie?.value ?? ''}`, host: new URL(near.publicUrl).host };
};
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const mint = async () =>
  (await call<{ id: string; secret: string }>(admin, 'identity.tokens.mint', { name: 'ci', roles: ['admin'] })).data;
const second = async () => {
  const { url } = (await call<{ url: string }>(admin, 'identity.members.invite', { roles: ['admin'] })).data;
  const browser = near.browser();
  await join(browser, url, { email: `second@revoke-${count}.test` });
  const { account } = JSON.parse((await browser.ask('/v1/me')).body) as { account: { id: string } };
  return { browser, id: account.id };
};

// Every replica hears of it by the same notification: what is bounded here is a few milliseconds in truth.
const AT_ONCE_MS = 2000;

test.each([
  ['the same replica', () => near],
  ['another replica', () => far],
])('a waiting request on %s ends with its token, session, roles or membership', async (_where, replica) => {
  const token = await mint();
  const { browser, id } = await second();
  const sessionId = async (whose: TestBrowser) => {
    const listed = JSON.parse((await whose.ask('/v1/sessions')).body) as { items: { id: string; current: boolean }[] };
    return listed.items.find(({ current }) => current)?.id ?? '';
  };
  const own = await sessionId(browser);
  const cookie = cookieOf(browser);
  const kept = await mint();
  await block();
  const stays = await ask(replica(), '/v1/members', bearer(kept.secret));

  const expectEnd = async (waiting: Waiting, revoke: () => Promise<{ status: number }>, code = 'unauthorized') => {
    const before = Date.now();
    expect((await revoke()).status).toBeLessThan(300);
    expect(await waiting.status).toBe(code === 'forbidden' ? 403 : 401);
    expect(Date.now() - before).toBeLessThan(AT_ONCE_MS);
    expect(JSON.parse(waiting.received())).toMatchObject({ code });
  };
  await expectEnd(await ask(replica(), '/v1/members', bearer(token.secret)), () =>
    admin.ask(`/v1/tokens/${token.id}`, { method: 'DELETE' }),
  );
  await expectEnd(
    await ask(replica(), '/v1/members', cookie),
    () => admin.ask(`/v1/members/${id}/roles`, { method: 'PUT', json: { roles: ['viewer'] } }),
    'forbidden',
  );
  await admin.ask(`/v1/members/${id}/roles`, { method: 'PUT', json: { roles: ['admin'] } });
  await expectEnd(await ask(replica(), '/v1/members', cookie), () => browser.ask(`/v1/sessions/${own}`, { method: 'DELETE' }));

  await blocker.query('ROLLBACK');
  expect(await stays.status).toBe(200);
});

test('a membership that ends cuts an answer that has begun to stream', async () => {
  const { browser, id } = await second();
  await block();
  const path = `/trpc/identity.me,identity.members.list?batch=1&input=${encodeURIComponent('{"0":{},"1":{}}')}`;
  const waiting = await ask(far, path, { ...cookieOf(browser), 'trpc-accept': 'application/jsonl' });
  await expect.poll(waiting.received).toContain(`second@revoke-${count}.test`);
  const before = Date.now();
  expect((await admin.ask(`/v1/members/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect(await waiting.status).toBe(0);
  expect(Date.now() - before).toBeLessThan(AT_ONCE_MS);
});

test('a person who goes to another tenant is not taken for signed out', async () => {
  const other = `revoke-${count}-other`;
  const there = await adminOf(near, other);
  const { url } = (await call<{ url: string }>(there, 'identity.members.invite', { roles: ['viewer'] })).data;
  await join(near.browser(), url, { email: `admin@revoke-${count}.test` });
  const cookie = cookieOf(admin);
  await block();
  const waiting = await ask(far, '/v1/members', cookie);
  expect((await call(admin, 'identity.switchTenant', { tenant: other })).status).toBe(200);
  expect(await waiting.status).toBe(403);
});

test('a person who takes roles from themselves gets the answer to that', async () => {
  const { browser, id } = await second();
  const answer = await browser.ask(`/v1/members/${id}/roles`, { method: 'PUT', json: { roles: ['viewer'] } });
  expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { id, roles: ['viewer'] }]);
});
