import { randomBytes } from 'node:crypto';
import { request } from 'node:https';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { formAction, type TestBrowser } from '../testing/test-browser.ts';
import { adminOf, PASSWORD, startTestServer, type TestServer } from '../testing/test-server.ts';

let replicas: [TestServer, TestServer];
let near: TestServer;
let browser: TestBrowser;
/** The sign-in form under way in `browser`; it takes any number of attempts. */
let form: URL;
let count = 0;
let victim: string;
beforeAll(async () => {
  near = await startTestServer({ trustedProxies: ['127.0.0.1'] });
  replicas = [near, await startTestServer({ beside: near, trustedProxies: ['127.0.0.1'] })];
});
afterAll(async () => {
  for (const server of replicas.toReversed()) await server.close();
});
beforeEach(async () => {
  near.time.offsetMs += 3_600_000;
  count += 1;
  await adminOf(near, `attempts-${count}`);
  victim = `admin@attempts-${count}.test`;
  near.time.offsetMs += 3_600_000;
  browser = near.browser();
  form = new URL(formAction(await browser.open('/auth/login')));
});

interface Attempt {
  /** Index of the replica that gets it. */
  at: number;
  from: string;
  email?: string;
  password?: string;
}

/** Posts the form to a replica as if a proxy passed it on; gives the status. */
function attempt({ at, from, email = victim, password = 'wrong wrong wrong' }: Attempt): Promise<number> {
  const to = replicas[at % 2] ?? near;
  const cookie = [...browser.jar].map(([name, { value }]) => `${name.split(' ')[0]}=${value}`).join('; ');
  const body = new URLSearchParams({ email, password }).toString();
  const headers = {
    cookie,
    host: form.host,
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
    'x-forwarded-for': from,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${to.here}${form.pathname}`, { method: 'POST', ca: to.ca, headers, agent: false }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const tallyOf = (statuses: readonly number[]) => ({
  wrong: statuses.filter((status) => status === 401).length,
  refused: statuses.filter((status) => status === 429).length,
});
const addresses = (length: number, block: string) => Array.from({ length }, (_, n) => `${block}.${n >> 8}.${n & 255}`);

test('of parallel attempts of one address, spread over two replicas, ten a minute are heard', async () => {
  const many = Array.from({ length: 24 }, (_, at) => attempt({ at, from: '192.0.2.7', email: `nobody-${at}@x.test` }));
  expect(tallyOf(await Promise.all(many))).toEqual({ wrong: 10, refused: 14 });
  expect(await attempt({ at: 1, from: '192.0.2.7' })).toBe(429);
  expect(await attempt({ at: 1, from: '192.0.2.8' })).toBe(401);
  near.time.offsetMs += 61_000;
  expect(await attempt({ at: 1, from: '192.0.2.7' })).toBe(401);
});

test('the addresses of one IPv6 network count as one', async () => {
  const many = Array.from({ length: 12 }, (_, at) => attempt({ at, from: `2001:db8::${at + 1}`, email: `nobody-${at}@x.test` }));
  expect(tallyOf(await Promise.all(many))).toEqual({ wrong: 10, refused: 2 });
  expect(await attempt({ at: 0, from: '2001:db8:0:1::1' })).toBe(401);
});

test('an account tried from many addresses gets one try a minute from each, and its owner is not shut out', async () => {
  const strangers = addresses(40, '198.51');
  const first = await Promise.all(strangers.map((from, at) => attempt({ at, from })));
  expect(tallyOf(first)).toEqual({ wrong: 40, refused: 0 });
  // Thirty were counted; ten came after that as the one try a minute of their address.
  const again = await Promise.all(strangers.map((from, at) => attempt({ at: at + 1, from })));
  expect(tallyOf(again)).toEqual({ wrong: 30, refused: 10 });
  expect(tallyOf(await Promise.all(strangers.map((from, at) => attempt({ at, from }))))).toEqual({ wrong: 0, refused: 40 });
  expect(await attempt({ at: 0, from: '198.51.0.1', email: 'somebody-else@x.test' })).toBe(401);

  // The owner, from an address of their own: a mistake costs a minute, the right password none.
  expect(await attempt({ at: 0, from: '203.0.113.9' })).toBe(401);
  expect(await attempt({ at: 1, from: '203.0.113.9', password: PASSWORD })).toBe(429);
  near.time.offsetMs += 61_000;
  await Promise.all(strangers.map((from, at) => attempt({ at, from })));
  expect(await attempt({ at: 1, from: '203.0.113.9', password: PASSWORD })).toBe(303);
});

test('the right password is not counted against its account', async () => {
  const from = addresses(35, '198.18');
  for (const [at, address] of from.entries()) {
    form = new URL(formAction(await browser.open('/auth/login')));
    expect(await attempt({ at, from: address, password: PASSWORD })).toBe(303);
  }
  for (const at of [0, 1, 2]) expect(await attempt({ at, from: '198.18.9.9' })).toBe(401);
});

test('the rows are bounded, and those that count no more go', async () => {
  const owner = new pg.Client({ connectionString: near.database.ownerUrl });
  await owner.connect();
  await owner.query('TRUNCATE sign_in_attempts');
  const rows = async () => Number((await owner.query('SELECT count(*) AS n FROM sign_in_attempts')).rows[0]?.n);
  const now = new Date(Date.now() + near.time.offsetMs);
  const insert =
    'INSERT INTO sign_in_attempts SELECT $1::bytea || int4send(n), ARRAY[$2::timestamptz], $2 FROM generate_series(1, $3) n';
  await owner.query(insert, [randomBytes(8), new Date(now.getTime() + 60_000), 300]);
  await owner.query(insert, [randomBytes(8), new Date(now.getTime() + 30_000), 300]);
  await owner.query(insert, [randomBytes(8), new Date(now.getTime() - 1), 300]);
  await Promise.all(replicas.map(({ database }) => database.relational.directory('trim_attempts', [now, 300])));
  expect(await rows()).toBe(300);
  const left = await owner.query('SELECT min(expires_at) AS first FROM sign_in_attempts');
  expect(left.rows[0].first.getTime()).toBe(now.getTime() + 60_000);
  await near.database.relational.directory('trim_attempts', [new Date(now.getTime() + 60_000), 300]);
  expect(await rows()).toBe(0);
  await owner.end();
});
