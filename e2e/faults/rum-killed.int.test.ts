import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { METRICS_TOKEN, OTLP_TENANT } from './otlp-senders.ts';
import { waitUntilStored, withStore } from './otlp-stored.ts';
import {
  cleanUp,
  findLeftovers,
  type Installation,
  newInstallation,
  type RunningServer,
  startServer,
  stopServer,
} from './server-process.ts';

const KEY = 'app_killed_0123456789';
const LANES = 16;
/** Each lane, before the server is killed. */
const BEFORE = 60;

let installation: Installation;
let server: RunningServer;
beforeAll(async () => {
  installation = await newInstallation({
    SVC_RUM_APPS: `${KEY}=${OTLP_TENANT}/shop`,
    SVC_RUM_RATE_PER_MIN: '0',
    SVC_METRICS_TOKEN: METRICS_TOKEN,
  });
});
afterAll(async () => {
  await stopServer(server);
  await cleanUp(installation);
});

/** The number of a beacon is its LCP: nothing else of it could tell it from another one. */
function send(agent: Agent, number: number): Promise<number> {
  const beacon = { v: 1, key: KEY, consent: true, host: 'shop.example', page: '/', vitals: { lcp_ms: number } };
  const to = { host: '127.0.0.1', servername: 'localhost', port: installation.http, path: '/ingest/rum', method: 'POST' };
  return new Promise((resolve) => {
    const headers = { host: `localhost:${installation.http}`, 'content-type': 'text/plain' };
    const call = request({ ...to, agent, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
      answer.once('error', () => resolve(0));
    });
    // Nobody sends a beacon twice.
    call.once('error', () => resolve(0));
    call.end(JSON.stringify(beacon));
  });
}

test('kill -9 while beacons flow: each one that was acknowledged is stored once, and no other one more than once', async () => {
  server = await startServer(installation);
  const ca = readFileSync(join(installation.dataDir, 'tls', 'ca.crt'));
  const agent = new Agent({ keepAlive: true, maxSockets: LANES, ca });
  const acknowledged = new Set<number>();
  let sent = 0;
  let isOver = false;
  const lane = async (): Promise<void> => {
    while (!isOver) {
      const number = ++sent;
      const status = await send(agent, number);
      if (status === 202) acknowledged.add(number);
      else await sleep(20);
    }
  };
  const lanes = Array.from({ length: LANES }, lane);
  try {
    await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(LANES * BEFORE), { timeout: 60_000 });
    await sleep(Math.random() * 200);
    server.child.kill('SIGKILL');
    expect(await server.exited).toBe('SIGKILL');
    const before = acknowledged.size;
    server = await startServer(installation);
    await vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(before + LANES * BEFORE), { timeout: 60_000 });
  } finally {
    isOver = true;
    await Promise.all(lanes);
    agent.destroy();
  }
  await waitUntilStored(installation, { topic: 'svc.rum.events', least: 1 });
  expect(await stopServer(server)).toBe(0);
  expect(findLeftovers(installation)).toEqual([]);
  await withStore(installation, async (read) => {
    const stored = await read<{ number: number; views: number }>(
      `SELECT toUInt32(lcp) AS number, toUInt32(uniqExact(result_id)) AS views FROM rum_views WHERE tenant_id = {tenant:String} GROUP BY number`,
    );
    const views = new Map(stored.map((one) => [one.number, one.views]));
    expect([...acknowledged].filter((number) => !views.has(number))).toEqual([]);
    expect(stored.filter((one) => one.views !== 1)).toEqual([]);
  });
});
