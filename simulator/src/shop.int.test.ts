import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { RefusedError } from './shop/otlp/post.ts';
import { runShop, type Sent, type ShopOptions } from './shop/run-shop.ts';
import { freePort, startTestingServer, type TestingServer } from './testing-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-shop-'));
let server: TestingServer;
let ca: string;
let apiToken: string;
let options: ShopOptions;

beforeAll(async () => {
  const port = await freePort();
  server = await startTestingServer({ env: { SVC_OTLP_HTTP_ADDR: `127.0.0.1:${port}` } });
  await server.svc('tenant', 'create', 'demo', '--name', 'Fennmark', '--simulated');
  const tenant = ['--tenant', 'demo'];
  const [token, viewer] = await Promise.all([
    server.svc('otlp-token', 'create', ...tenant),
    server.svc('token', 'create', ...tenant, '--role', 'viewer', '--expires', '1h'),
  ]);
  apiToken = viewer;
  ca = readFileSync(join(server.dataDir, 'tls', 'ca.crt'), 'utf8');
  const state = join(folder, 'shop.json');
  options = { endpoint: `https://localhost:${port}`, token, ca, hours: 1.5, live: false, seed: 3, state };
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: answers are read as an API client would.
function get(path: string): Promise<any> {
  return new Promise((resolve, reject) => {
    const call = request(`${server.url}${path}`, { ca, headers: { authorization: `Bearer ${apiToken}` } }, (answer) => {
      text(answer).then((body) => {
        if (answer.statusCode === 200) resolve(JSON.parse(body));
        else reject(new Error(`${path}: ${answer.statusCode} ${body}`));
      }, reject);
    });
    call.once('error', reject);
    call.end();
  });
}

async function run(): Promise<Sent> {
  let sent: Sent | undefined;
  const trouble: string[] = [];
  const report = {
    backfilling() {},
    complete: (summary: Sent) => {
      sent = summary;
    },
    trouble: (message: string) => trouble.push(message),
  };
  await runShop(options, report, AbortSignal.timeout(60_000));
  expect(trouble).toEqual([]);
  return sent as Sent;
}

const WINDOW = new URLSearchParams({ from: new Date(Date.now() - 2 * 3_600_000).toISOString() });

it('delivers the past of the shop, in which the slow provider and its logs are found', async () => {
  const sent = await run();
  expect(sent.spans).toBeGreaterThan(5000);
  const wanted = `/v1/otlp/traces?${WINDOW}&service=payment&min_ms=1500&sort=duration&limit=200`;
  let found = await get(wanted);
  for (const limit = Date.now() + 10_000; found.items.length < 10 && Date.now() < limit; found = await get(wanted))
    await sleep(100);
  expect(found.items.length).toBeGreaterThan(10);
  const [slowest] = found.items;
  const trace = await get(`/v1/otlp/traces/${slowest.trace_id}`);
  const services = new Set(trace.spans.map(({ service }: { service: string }) => service));
  for (const service of ['web', 'checkout', 'cart', 'inventory', 'payment']) expect(services).toContain(service);
  // Stored apart from the spans.
  await vi.waitFor(
    async () => {
      const logs = await get(`/v1/otlp/logs?${WINDOW}&trace_id=${slowest.trace_id}`);
      expect(logs.items.some(({ body }: { body: string }) => body.includes('payment provider'))).toBe(true);
    },
    { timeout: 10_000, interval: 100 },
  );
});

it('goes on where it was, so that nothing is sent a second time', async () => {
  const again = await run();
  expect(again.spans).toBeLessThan(2000);
});

it('ends with the reason when its token is not taken', async () => {
  const report = { backfilling() {}, complete() {}, trouble() {} };
  const wrong = { ...options, token: 'not-a-token', state: undefined };
  await expect(runShop(wrong, report, AbortSignal.timeout(30_000))).rejects.toThrow(RefusedError);
  await expect(runShop(wrong, report, AbortSignal.timeout(30_000))).rejects.toThrow(/401/);
});
