import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { request } from 'node:https';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formAction, type TestBrowser } from '../../sign-in/test-browser.ts';
import { adminOf, CHEAP_ITERATIONS, PASSWORD, startTestServer, type TestServer } from '../../sign-in/test-server.ts';
import { PASSWORD_TURNS, type PasswordTurn } from './passwords.ts';

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

/** So many at once that their account's lane has room for all. */
async function attemptAll(attempts: readonly Attempt[]): Promise<number[]> {
  const statuses: number[] = [];
  for (let at = 0; at < attempts.length; at += 8)
    statuses.push(...(await Promise.all(attempts.slice(at, at + 8).map((one) => attempt(one)))));
  return statuses;
}

test('an account tried from many addresses gets one try a minute from each, and its owner is not shut out', async () => {
  const strangers = addresses(40, '198.51');
  expect(tallyOf(await attemptAll(strangers.map((from, at) => ({ at, from }))))).toEqual({ wrong: 40, refused: 0 });
  // Thirty were counted; ten came after that as the one try a minute of their address.
  const again = await attemptAll(strangers.map((from, at) => ({ at: at + 1, from })));
  expect(tallyOf(again)).toEqual({ wrong: 30, refused: 10 });
  const more = await Promise.all(strangers.map((from, at) => attempt({ at, from })));
  expect(tallyOf(more)).toEqual({ wrong: 0, refused: 40 });
  expect(await attempt({ at: 0, from: '198.51.0.1', email: 'somebody-else@x.test' })).toBe(401);

  // The owner, from an address of their own: a mistake costs a minute, the right password none.
  expect(await attempt({ at: 0, from: '203.0.113.9' })).toBe(401);
  expect(await attempt({ at: 1, from: '203.0.113.9', password: PASSWORD })).toBe(429);
  near.time.offsetMs += 61_000;
  await attemptAll(strangers.map((from, at) => ({ at, from })));
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

/** The turns at the derivations, as they come. */
function watchTurns() {
  const turns: PasswordTurn[] = [];
  const keep = (turn: unknown) => void turns.push(turn as PasswordTurn);
  subscribe(PASSWORD_TURNS, keep);
  const count = (event: PasswordTurn['event'], isOne: (turn: PasswordTurn) => boolean) =>
    turns.filter((turn) => turn.event === event && isOne(turn)).length;
  return { turns, count, stop: () => unsubscribe(PASSWORD_TURNS, keep) };
}

interface Beside {
  loud: (at: number) => Attempt;
  quiet: Attempt;
  quietSite: string;
}

/**
 * How many of the others were begun between the coming of a quiet sign-in and its turn, while at least three of them waited when it came. Asks
 * nothing of the machine's speed: a round in which it came too late to meet them shows nothing, and the next one begins.
 */
async function countBefore({ loud, quiet, quietSite }: Beside): Promise<number> {
  for (let round = 0; round < 10; round += 1) {
    near.time.offsetMs += 61_000;
    const { turns, count, stop } = watchTurns();
    const flood = Array.from({ length: 9 }, (_, at) => attempt(loud(at)));
    const isQuiet = ({ site }: PasswordTurn) => site === quietSite;
    const waiting = () => count('waits', () => true) - Math.max(0, count('starts', () => true) - 1);
    await expect.poll(() => count('starts', () => true), { timeout: 30_000, interval: 2 }).toBeGreaterThan(0);
    expect(await attempt(quiet)).toBe(quiet.password === undefined ? 401 : 303);
    expect(tallyOf(await Promise.all(flood)).wrong).toBe(9);
    expect(waiting()).toBeLessThanOrEqual(1);
    stop();
    const came = turns.findIndex(isQuiet);
    const began = turns.findIndex((turn) => isQuiet(turn) && turn.event === 'starts');
    const before = turns.slice(0, came);
    const stillToCome = 9 - before.filter(({ event }) => event === 'starts').length;
    if (stillToCome >= 3) return turns.slice(came, began).filter((turn) => !isQuiet(turn) && turn.event === 'starts').length;
  }
  throw new Error('the quiet sign-in met nobody');
}

/** On a machine with other things to do a round takes long. */
const PATIENT = { timeout: 180_000 };
const quiet = { at: 0, from: '203.0.113.5', email: 'somebody@quiet.test' };

// They wait for derivations that cost what they do in production.
describe('sign-ins that wait for their turn', PATIENT, () => {
  beforeAll(() => {
    near.passwords.iterations = undefined;
  });
  afterAll(() => {
    near.passwords.iterations = CHEAP_ITERATIONS;
  });

  test('beside wrong sign-ins of one address, that of another waits for one of them', async () => {
    const loud = (at: number) => ({ at: 0, from: '192.0.2.99', email: `nobody-${at}@x.test` });
    expect(await countBefore({ loud, quiet, quietSite: '203.0.113' })).toBeLessThanOrEqual(1);
  });

  test('beside wrong sign-ins of one account from many sites, that of another waits for one of them', async () => {
    const loud = (at: number) => ({ at: 0, from: `198.18.${at}.1` });
    expect(await countBefore({ loud, quiet, quietSite: '203.0.113' })).toBeLessThanOrEqual(1);
  });

  test('beside wrong sign-ins of many accounts from many sites, that of an account known from its site waits for one of them', async () => {
    expect(await attempt({ at: 0, from: '203.0.113.4', password: PASSWORD })).toBe(303);
    form = new URL(formAction(await browser.open('/auth/login')));
    const loud = (at: number) => ({ at: 0, from: `198.18.${at}.1`, email: `nobody-${at}@x.test` });
    const right = { at: 0, from: '203.0.113.5' };
    expect(await countBefore({ loud, quiet: right, quietSite: '203.0.113' })).toBeLessThanOrEqual(1);
  });

  test('of one account so many wait for their turn, and what is refused before it is no attempt', async () => {
    const owner = new pg.Client({ connectionString: near.database.ownerUrl });
    await owner.connect();
    await owner.query('TRUNCATE sign_in_attempts');
    const strangers = Array.from({ length: 30 }, (_, at) => ({ at: 0, from: `198.18.${at}.1` }));
    const { wrong, refused } = tallyOf(await Promise.all(strangers.map(attempt)));
    expect(wrong + refused).toBe(30);
    expect(refused).toBeGreaterThan(0);
    const { rows } = await owner.query('SELECT max(cardinality(attempts)) AS most FROM sign_in_attempts');
    await owner.end();
    expect(rows[0].most).toBe(wrong);
  });
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
