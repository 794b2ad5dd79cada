// One tenant's synthetic tests burn what CPU they can: the control plane answers, and another tenant's tests run.
import { createServer, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ACME, OTHER, openRunnerProduct } from './test-runner-product.ts';

/** Hard, and the body is as long as an expression may look at. */
const HARD = '(?:x[xy]{90}|y[xy]{91}|[xy]x[xy]{92})+\\d';
const BODY = Array.from({ length: 300_000 }, (_, i) => ((i * 7919) % 13 < 6 ? 'x' : 'y')).join('');
/** As many a second as may be of one host. */
const BURNING = 50;
const SECONDS = 10;

let opened: Awaited<ReturnType<typeof openRunnerProduct>>;
let site: Server;
beforeAll(async () => {
  opened = await openRunnerProduct();
  site = createServer((_, response) => response.end(BODY)).listen(0, '127.0.0.1');
  await new Promise((resolve) => site.once('listening', resolve));
}, 180_000);
afterAll(async () => {
  site?.closeAllConnections();
  site?.close();
  await opened?.close();
});

const askLivez = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const sinceMs = performance.now();
    const to = { host: '127.0.0.1', port: opened.ports.http, path: '/livez', rejectUnauthorized: false, agent: false };
    request(to, (response) => response.resume().once('end', () => resolve(performance.now() - sinceMs)))
      .once('error', reject)
      .end();
  });

/** How long `GET /livez` takes, sorted, milliseconds. */
async function watchLivez(seconds: number): Promise<number[]> {
  const taken: number[] = [];
  for (const endMs = performance.now() + seconds * 1000; performance.now() < endMs; await sleep(50)) taken.push(await askLivez());
  return taken.toSorted((a, b) => a - b);
}
const quantile = (sorted: readonly number[], q: number): number => sorted[Math.floor(q * (sorted.length - 1))] ?? 0;

it('delays neither GET /livez nor the tests of another tenant', async () => {
  const light = await opened.addTest(OTHER, { mode: 'any' });
  await vi.waitFor(async () => expect((await opened.resultsOf(OTHER, light)).length).toBeGreaterThan(1), 60_000);
  const before = await watchLivez(5);
  const target = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  const params = { assertions: { body_matches: HARD } };
  const burn = { type: 'http' as const, target, params, interval_seconds: 1, timeout_seconds: 30 };
  const tests = Array.from({ length: BURNING }, (_, n) => ({ ...burn, name: `burns ${n}` }));
  await opened.callerOf(ACME).tests.applyAll({ tests });
  await sleep(3000);
  const count = (await opened.resultsOf(OTHER, light)).length;
  const during = await watchLivez(SECONDS);
  const runs = await opened.resultsOf(OTHER, light);
  // A piece takes 200 ms of a core and dozens wait: in this process each request would wait for some. A busy machine is slow before, too.
  expect(quantile(during, 0.5)).toBeLessThan(5 * quantile(before, 0.5) + 100);
  expect(quantile(during, 0.99)).toBeLessThan(5 * quantile(before, 0.99) + 250);
  expect(runs.length - count).toBeGreaterThan(0.5 * SECONDS);
  expect(runs.every(({ success }) => success)).toBe(true);
  const text = 'SELECT result_id FROM results WHERE tenant_id = {tenant:String}';
  await vi.waitFor(async () => expect((await opened.telemetry.store.read(ACME, text, {})).length).toBeGreaterThan(3), 60_000);
}, 240_000);
