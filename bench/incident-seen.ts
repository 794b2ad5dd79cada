import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type APIRequestContext, type Page, chromium as playwright } from '@playwright/test';
import { chromium } from '../e2e/env.ts';
import { newInstallation, removeInstallation, startServer, stopServer, svc } from '../e2e/faults/server-process.ts';

/**
 * From the third failing run of a test to its incident in a browser that shows the list: the built server with its built-in runner and its
 * stores, sites on loopback that are broken one after the other, and a Chromium that nobody touches.
 */
const { values } = parseArgs({
  options: { sites: { type: 'string', default: '30' }, boundMs: { type: 'string', default: '3000' } },
});
const sites = Number(values.sites);
const RUNS_IN_A_ROW = 3;
const LIMIT_MS = 60_000;
const PASSWORD = 'a long password of the bench';

const nameOf = (site: number): string => `Site ${site}`;

/** Every site on one port, each a host of its own; knows when the n-th failing answer of each was given. */
async function startSites() {
  const broken = new Set<number>();
  const failedAt = new Map<number, number[]>();
  const server = createServer((request, answer) => {
    const site = Number(request.url?.slice(1));
    const isBroken = broken.has(site);
    answer.writeHead(isBroken ? 503 : 200);
    answer.end(isBroken ? 'closed' : 'open');
    if (!isBroken) return;
    const failed = failedAt.get(site) ?? [];
    failedAt.set(site, failed);
    failed.push(Date.now());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    target: (site: number) => `http://site${site}.localhost:${port}/${site}`,
    break: (site: number) => void broken.add(site),
    failedAt: (site: number) => failedAt.get(site)?.[RUNS_IN_A_ROW - 1],
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function signIn(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel('E-mail').fill('bench@acme.test');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Password once more').fill(PASSWORD);
  await page.getByRole('button', { name: /sign in/i }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}

async function makeTests(request: APIRequestContext, url: string, target: (site: number) => string): Promise<void> {
  for (let site = 0; site < sites; site += 1) {
    const data = { name: nameOf(site), type: 'http', target: target(site), interval_seconds: 1, failing_after: RUNS_IN_A_ROW };
    const made = await request.post(`${url}/v1/tests`, { data, headers: { origin: url } });
    if (made.status() !== 201) throw new Error(`a test was not made: ${made.status()} ${await made.text()}`);
  }
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await sleep(500)) {
    const { counts } = (await (await request.get(`${url}/v1/tests`)).json()) as { counts: { passing: number } };
    if (counts.passing === sites) return;
  }
  throw new Error('the tests do not all pass');
}

/** Notes in the page when each name first stands in it; as text, since a page's own types are not this program's. */
const WATCH = `globalThis.seen = {};
new MutationObserver(() => {
  for (const link of document.querySelectorAll('main td a')) {
    const name = /^Site \\d+/.exec(link.textContent)?.[0];
    if (name) globalThis.seen[name] ??= Date.now();
  }
}).observe(document.body, { childList: true, subtree: true, characterData: true });`;

async function watch(page: Page): Promise<(site: number) => Promise<number>> {
  await page.evaluate(WATCH);
  return async (site) => {
    const found = await page.waitForFunction(
      (name) => (globalThis as unknown as { seen: Record<string, number> }).seen[name],
      nameOf(site),
      { timeout: LIMIT_MS, polling: 50 },
    );
    return (await found.jsonValue()) as number;
  };
}

async function measure(page: Page, url: string): Promise<number[]> {
  const at = await startSites();
  try {
    await makeTests(page.request, url, at.target);
    await page.goto(`${url}/incidents`);
    await page.getByRole('heading', { level: 1, name: 'No incident is open.' }).waitFor();
    const seenAt = await watch(page);
    const tookMs: number[] = [];
    for (let site = 0; site < sites; site += 1) {
      // Not in step with the runs, nor with what asks for them.
      await sleep(Math.random() * 1500);
      at.break(site);
      const seen = await seenAt(site);
      tookMs.push(seen - (at.failedAt(site) ?? Number.NaN));
    }
    return tookMs.sort((a, b) => a - b);
  } finally {
    at.stop();
  }
}

const installation = await newInstallation({ SVC_TARGETS_ALLOW: '127.0.0.1' });
const server = await startServer(installation);
const browser = await playwright.launch({ ...(chromium && { executablePath: chromium }), args: ['--no-sandbox'] });
try {
  await svc(installation, ['tenant', 'create', 'acme']);
  const link = (await svc(installation, ['admin-link', '--tenant', 'acme'])).split('\n')[0] ?? '';
  const page = await browser.newPage({ ignoreHTTPSErrors: true });
  await signIn(page, link);
  const tookMs = await measure(page, server.url);
  const quantile = (part: number): number => tookMs[Math.min(tookMs.length - 1, Math.floor(part * tookMs.length))] ?? Number.NaN;
  const words = [`p50 ${quantile(0.5)} ms`, `p95 ${quantile(0.95)} ms`, `slowest ${tookMs.at(-1)} ms`, `fastest ${tookMs[0]} ms`];
  process.stdout.write(`third failing run to the incident in a browser, ${tookMs.length} incidents: ${words.join(', ')}\n`);
  process.exitCode = quantile(0.95) < Number(values.boundMs) ? 0 : 1;
} finally {
  await browser.close();
  await stopServer(server);
  removeInstallation(installation);
}
