// Real users of the demo: its apps, and visitors that send beacons as browsers do, to the address that any page sends to.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { authorityOf, callServer } from './server.js';
import { STRETCH_MINUTES, stretchAt, visitBeacon } from './visits.js';

/** Hosts of tests of the demo: the shop's own page is always well, where one pays hurts by the clock. */
export const SHOP_HOST = 'shop.localhost';
const PAY_HOST = 'pay.localhost';

const APPS = [
  { name: 'shop', hosts: [SHOP_HOST, PAY_HOST], rate_per_min: 6000 },
  { name: 'careers', hosts: ['jobs.fennmark.example'] },
  // What the fleet's devices measure sessions to: what its users get stands on their pages too.
  { name: 'crm', hosts: ['crm.fennmark.example'] },
  // Nobody has pasted its snippet.
  { name: 'dealers', hosts: ['dealers.fennmark.example'] },
];

/** Visits a minute of each host; of careers too few for a verdict. */
const VISITS = [
  { app: 'shop', host: SHOP_HOST, aMinute: 14 },
  { app: 'shop', host: PAY_HOST, aMinute: 26 },
  { app: 'crm', host: 'crm.fennmark.example', aMinute: 8 },
  { app: 'careers', host: 'jobs.fennmark.example', aMinute: 0.6 },
];
const TICK_MS = 1000;
const MINUTE_MS = 60_000;
/** Of the past, in one request. */
const BATCH = 1000;
/** The test at the host that hurts by the clock asks every ten seconds; a verdict looks back a quarter of an hour. */
const RUNS_OF_WINDOW = 90;
const PAY_TEST = 'Checkout page';

/**
 * Those of the demo by name, of all that the tenant has: whoever tries it registers apps of their own, which nobody visits here.
 * @template {{ name: string }} App
 * @param {readonly App[]} items
 */
export const ownApps = (items) =>
  new Map(items.filter(({ name }) => APPS.some((app) => app.name === name)).map((app) => [app.name, app]));

/** Makes those that are missing; one that somebody changed stays as it is. Gives all of them by name. */
async function makeApps(at) {
  const read = async () => {
    const { status, body } = await callServer(at, { path: '/v1/rum/apps' });
    if (status !== 200) throw new Error(`The demo's apps could not be read: the server answered ${status}.`);
    return ownApps(body.items);
  };
  const there = await read();
  for (const app of APPS.filter(({ name }) => !there.has(name))) {
    const { status } = await callServer(at, { method: 'POST', path: '/v1/rum/apps', body: app });
    if (status !== 201) throw new Error(`The demo's app ${app.name} could not be made: the server answered ${status}.`);
  }
  return there.size === APPS.length ? there : await read();
}

/** One beacon, as a page hands it to its browser; lost where the server is away, as there. */
function sendBeacon({ server, ca, host }, beacon) {
  const headers = { 'content-type': 'text/plain;charset=UTF-8', origin: `https://${host}` };
  const call = request(new URL('/ingest/rum', server), { method: 'POST', ca, headers }, (answer) => answer.resume());
  call.on('error', () => {});
  call.end(JSON.stringify(beacon));
}

/** Visits between two times as they would have come, the earliest first. */
function* pastVisits(apps, { fromMs, toMs }) {
  const due = VISITS.map(() => 0);
  for (let minuteMs = fromMs; minuteMs < toMs; minuteMs += MINUTE_MS)
    for (const [index, { app, host, aMinute }] of VISITS.entries()) {
      const key = apps.get(app)?.keys[0]?.key;
      due[index] += aMinute;
      for (; key && due[index] >= 1; due[index] -= 1) {
        const atMs = Math.floor(minuteMs + Math.random() * MINUTE_MS);
        const hurt = host === PAY_HOST && stretchAt(atMs).usersHurt;
        yield { at: new Date(atMs).toISOString(), beacon: visitBeacon({ key, host, hurt }, Math.random) };
      }
    }
}

/** What the test of the checkout came to, by the same clock. */
function pastStretches({ fromMs, toMs }) {
  const lengthMs = STRETCH_MINUTES * MINUTE_MS;
  const stretches = [];
  for (let atMs = Math.floor(fromMs / lengthMs) * lengthMs; atMs < toMs; atMs += lengthMs) {
    const failed = stretchAt(atMs).testsFail ? RUNS_OF_WINDOW : 0;
    stretches.push({ from: new Date(atMs).toISOString(), host: PAY_HOST, passed: RUNS_OF_WINDOW - failed, failed });
  }
  return stretches;
}

/** Waits until what was given in can be read: it is judged out of the store. */
async function waitForViews(at, { fromMs, count }) {
  const from = new Date(fromMs).toISOString();
  for (let tries = 0; tries < 120; tries += 1) {
    const { body } = await callServer(at, { path: `/v1/rum/shop/${PAY_HOST}?figures=range&from=${from}` });
    if (body.errors?.views >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error("The demo's past visits were not stored in time.");
}

/**
 * The hours before the demo began, once: visits with their times, and the verdicts of them. Only the demo's own build of the server takes
 * them; with any other one the day begins now.
 * @param {{ server: string, dataDir: string, token: string }} at
 * @param {{ apps: Map<string, { keys: { key: string }[] }>, hours: number }} of
 */
export async function givePast(at, { apps, hours }) {
  const path = '/demo/rum/past';
  const before = await callServer(at, { path: `/v1/rum/shop/${PAY_HOST}` });
  const span = { fromMs: (Math.floor(Date.now() / MINUTE_MS) - hours * 60) * MINUTE_MS, toMs: Date.now() - 2 * MINUTE_MS };
  // A demo that is started again has its day already.
  if (before.body.history?.length > 0) return;
  const { status } = await callServer(at, { method: 'POST', path, body: { views: [] } });
  if (status === 404) return;
  let batch = [];
  let count = 0;
  const send = async () => {
    const answer = await callServer(at, { method: 'POST', path, body: { views: batch } });
    if (answer.status !== 202) throw new Error(`The demo's past visits were answered ${answer.status}.`);
    batch = [];
  };
  for (const visit of pastVisits(apps, span)) {
    batch.push(visit);
    if (visit.beacon.host === PAY_HOST) count += 1;
    if (batch.length === BATCH) await send();
  }
  await send();
  await waitForViews(at, { ...span, count });
  const tests = await callServer(at, { path: '/v1/tests' });
  const test = tests.body.items.map((item) => item.test).find(({ name }) => name === PAY_TEST);
  const [from, to] = [span.fromMs, span.toMs].map((ms) => new Date(ms).toISOString());
  const judge = {
    key: apps.get('shop').keys[0].key,
    from,
    to,
    test: { id: test.id, name: test.name },
    stretches: pastStretches(span),
  };
  await callServer(at, { method: 'POST', path, body: { views: [], judge } });
}

/**
 * Makes the apps and lets visitors come; gives the apps, the snippet of the shop and what ends it.
 * @param {{ server: string, dataDir: string, token: string }} at
 */
export async function startVisitors(at) {
  const apps = await makeApps(at);
  const ca = readFileSync(authorityOf(at.dataDir));
  const due = VISITS.map(() => 0);
  const timer = setInterval(() => {
    for (const [index, { app, host, aMinute }] of VISITS.entries()) {
      const key = apps.get(app)?.keys[0]?.key;
      due[index] += (aMinute * TICK_MS) / 60_000;
      for (; key && due[index] >= 1; due[index] -= 1) {
        const hurt = host === PAY_HOST && stretchAt(Date.now()).usersHurt;
        sendBeacon({ server: at.server, ca, host }, visitBeacon({ key, host, hurt }, Math.random));
      }
    }
  }, TICK_MS);
  return { snippet: apps.get('shop')?.snippet ?? '', apps, stop: () => clearInterval(timer) };
}
