import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserParams } from '@svc/contracts/tests/params/browser';
import type { Page, Response } from 'playwright-core';
import { checkBounds, checkCertificateDays, note } from '../synthetic/checks/assert.ts';
import { dial } from '../synthetic/connect/dial.ts';
import { secure } from '../synthetic/connect/secure.ts';
import { trustFor } from '../synthetic/connect/trust.ts';
import { isWanted } from '../synthetic/http/check-answer.ts';
import { hostOf } from '../synthetic/http/request-fields.ts';
import { type Run, startRun } from '../synthetic/run.ts';
import { cut, NotCapable, RunFailure } from '../synthetic/run-failure.ts';
import { CUT, cutUrl, isCutHeader } from '../synthetic/safety/redact.ts';
import { type Chromium, startChromium } from './chromium.ts';
import { type FilteringProxy, startFilteringProxy } from './filtering-proxy.ts';
import { openIsolatedWorld } from './isolated-world.ts';
import { authorityOfUrl, netFailure } from './net-failure.ts';
import { type PageWatch, watchPage } from './page-watch.ts';
import { takeScreenshot } from './screenshot.ts';
import { runSteps } from './steps.ts';
import { createTermination } from './terminate-tls.ts';
import { readVitals } from './web-vitals.ts';

/** Kept for the screenshot, the end of the processes and the report. */
const RESERVE_MS = 500;
/** After the load, for the largest paint to be there. */
const SETTLE_MS = 300;
/** How often a page that tells of no load is asked whether it is complete. */
const COMPLETE_MS = 500;

interface Browsing {
  readonly run: Run;
  readonly params: BrowserParams;
  readonly proxy: FilteringProxy;
  readonly chromium: Chromium;
  readonly page: Page;
  readonly watch: PageWatch;
}

const leftOf = (run: Run): number => Math.max(1, run.startedMs + run.timeoutMs - performance.now() - RESERVE_MS);

/**
 * Until the load event, or until the document says that it is complete: a file that a page begins to send while it loads makes Chromium
 * tell of no load.
 */
async function waitLoaded(page: Page, timeout: number): Promise<void> {
  let waiting = true;
  const loaded = page.waitForLoadState('load', { timeout }).finally(() => {
    waiting = false;
  });
  const complete = (async (): Promise<void> => {
    await sleep(COMPLETE_MS);
    if (!waiting) return;
    const world = await openIsolatedWorld(page);
    try {
      while (waiting && (await world.evaluate('document.readyState')) !== 'complete') await sleep(COMPLETE_MS);
    } finally {
      await world.close();
    }
  })();
  // Of the two, a failure is told by the first one alone.
  await Promise.race([loaded, complete.then(() => undefined).catch(() => loaded)]);
  loaded.catch(() => undefined);
}

/** Loads a page; undefined answer: the same page at another place of it. */
async function open({ run, proxy, page, watch }: Browsing, address: string, timeout: number): Promise<Response | null> {
  const url = URL.parse(address, page.url().startsWith('http') ? page.url() : undefined);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new RunFailure('step', 'it is no address of a web page');
  const endMs = performance.now() + timeout;
  try {
    const response = await page.goto(url.href, { waitUntil: 'commit', timeout });
    await waitLoaded(page, Math.max(1, endMs - performance.now()));
    return response;
  } catch (error) {
    if (run.signal.aborted) throw error;
    if (watch.hasCrashed()) throw new RunFailure('crashed', 'The page crashed while it was loaded.');
    const words = error instanceof Error ? error.message : '';
    if (/Timeout/.test(words)) throw new RunFailure('timeout', `The page was not loaded within ${Math.round(timeout) / 1000} s.`);
    throw netFailure(words, watch.failedNavigation()?.url() ?? url.href, proxy);
  }
}

/** What the browser and the proxy know of the first page's way here. */
async function tellLoad({ run, proxy }: Browsing, response: Response): Promise<void> {
  const request = response.request();
  const dialled = proxy.dialled(authorityOfUrl(request.url()));
  const url = new URL(request.url());
  run.address = dialled?.address;
  run.port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (dialled?.dnsMs !== undefined) run.phases.dns = dialled.dnsMs;
  if (dialled?.connectMs !== undefined) run.phases.connect = dialled.connectMs;
  const { secureConnectionStart, connectEnd, requestStart, responseStart } = request.timing();
  if (secureConnectionStart > 0) run.phases.tls = Math.max(0, connectEnd - secureConnectionStart);
  if (responseStart > 0) run.phases.first_byte = Math.max(0, responseStart - requestStart);
  const passed: string[] = [];
  for (let from = request.redirectedFrom(); from && passed.length < 20; from = from.redirectedFrom()) passed.unshift(from.url());
  run.figures.redirects = passed.length;
  const clean = (text: string, length: number): string => cut(run.redactor.redact(text), length);
  // Secrets go first: a cut could leave a part of one.
  const cleanUrl = (url: string): string => cut(cutUrl(run.redactor.redact(url)), 2048);
  if (passed.length > 0) run.evidence.redirects = [...passed.slice(1), request.url()].map(cleanUrl);
  run.figures.status = response.status();
  const fields = await response.headersArray().catch(() => []);
  const lines = fields.map(({ name, value }) => `${name}: ${isCutHeader(name) ? CUT : value}`);
  run.evidence.response_head = clean([`${response.status()} ${response.statusText()}`, ...lines].join('\n'), 8192);
}

/** The certificate, by a connection of its own: Chromium does not tell whether and why one holds. */
async function tellCertificate(run: Run, url: URL, params: BrowserParams): Promise<void> {
  if (url.protocol !== 'https:') return;
  const host = hostOf(url);
  const { onProgress: _, ...tools } = run.tools;
  const other = startRun(tools, { signal: run.signal, timeoutMs: run.timeoutMs });
  try {
    const context = trustFor(other, { ca_pem: params.tls.ca_pem }, host);
    const socket = await dial(other, { host, port: Number(url.port || 443), family: 0 });
    try {
      await secure(other, socket, { context, name: host, acceptInvalid: true });
    } finally {
      socket.destroy();
    }
  } catch (error) {
    if (run.signal.aborted || !(error instanceof RunFailure)) throw error;
  }
  run.certificate = other.certificate;
  const days = other.figures['certificate.days'];
  if (days !== undefined) run.figures['certificate.days'] = days;
}

function check(run: Run, { assertions }: BrowserParams): void {
  const { status, failed_requests_max, lcp_ms, cls } = assertions;
  const got = run.figures.status;
  note(run, {
    rule: 'status',
    wanted: status.join(' or '),
    got: String(got ?? 'none'),
    passed: got !== undefined && isWanted(got, status),
  });
  const failed = run.figures['requests.failed'] ?? 0;
  if (failed_requests_max !== undefined)
    note(run, {
      rule: 'failed_requests_max',
      wanted: `${failed_requests_max} failed requests or fewer`,
      got: String(failed),
      passed: failed <= failed_requests_max,
    });
  const vital = (rule: 'lcp_ms' | 'cls', most: number | undefined, unit: string): void => {
    if (most === undefined) return;
    const value = run.vitals?.[rule];
    const told = value === undefined ? 'not measured' : `${rule === 'cls' ? value.toFixed(3) : Math.round(value)}${unit}`;
    note(run, {
      rule,
      wanted: `${rule === 'cls' ? 'CLS' : 'LCP'} of ${most}${unit} or less`,
      got: told,
      passed: value !== undefined && value <= most,
    });
  };
  vital('lcp_ms', lcp_ms, ' ms');
  vital('cls', cls, '');
  checkCertificateDays(run, assertions.certificate_days);
}

async function tellVitals({ run, page }: Browsing): Promise<void> {
  const world = await openIsolatedWorld(page);
  try {
    await page.waitForTimeout(Math.min(SETTLE_MS, leftOf(run)));
    run.vitals = await readVitals(world);
    const { load_ms, ttfb_ms, lcp_ms, fcp_ms, cls } = run.vitals ?? {};
    if (load_ms !== undefined && ttfb_ms !== undefined) run.phases.transfer = Math.max(0, load_ms - ttfb_ms);
    const figures = { 'lcp.ms': lcp_ms, 'fcp.ms': fcp_ms, 'ttfb.ms': ttfb_ms, cls };
    for (const [key, value] of Object.entries(figures)) if (value !== undefined) run.figures[key] = value;
  } finally {
    await world.close();
  }
}

async function shoot({ run, page, params }: Browsing, failed: boolean): Promise<void> {
  if (params.screenshot === 'never' || (params.screenshot === 'on_failure' && !failed)) return;
  const world = await openIsolatedWorld(page);
  const shot = await takeScreenshot(world, params.viewport, run.redactor.values());
  if (shot !== undefined) run.evidence.screenshot = shot;
}

async function browse(browsing: Browsing, target: string): Promise<void> {
  const { run, params, page } = browsing;
  const startedMs = performance.now();
  const response = await open(browsing, target, leftOf(run));
  const loadedMs = performance.now();
  if (response) await tellLoad(browsing, response);
  await tellVitals(browsing);
  const stepsMs = performance.now();
  const openNext = async (url: string, timeout: number): Promise<void> => void (await open(browsing, url, timeout));
  await runSteps(run, params.steps, { page, open: openNext });
  // Without the start of the browser, and without the wait for the largest paint.
  run.totalMs = loadedMs - startedMs + (performance.now() - stepsMs);
}

async function judge(browsing: Browsing, target: string): Promise<void> {
  const { run, params } = browsing;
  await tellCertificate(
    run,
    URL.parse(browsing.page.url())?.protocol === 'https:' ? new URL(browsing.page.url()) : new URL(target),
    params,
  );
  check(run, params);
  checkBounds(run, { total_ms: params.assertions.total_ms });
}

export async function runBrowser(run: Run, target: string, params: BrowserParams): Promise<void> {
  const program = run.tools.chromium;
  if (program === undefined) throw new NotCapable('no_chromium', 'This runner has no Chromium.');
  const over = new AbortController();
  let given: RunFailure | undefined;
  const giveUp = (failure: RunFailure): void => {
    given ??= failure;
    over.abort(given);
  };
  const signal = AbortSignal.any([run.signal, over.signal]);
  const { viewport, tls } = params;
  run.acceptsInvalid = tls.accept_invalid;
  const host = hostOf(new URL(target));
  const termination =
    tls.ca_pem === undefined || tls.accept_invalid ? undefined : createTermination(trustFor(run, { ca_pem: tls.ca_pem }, host));
  const asked = new Set<string>();
  const proxy = await startFilteringProxy({ tools: run.tools, signal, giveUp, termination, isAsked: (name) => asked.has(name) });
  let chromium: Chromium | undefined;
  try {
    chromium = await startChromium({
      program,
      proxyPort: proxy.port,
      viewport,
      acceptInvalid: tls.accept_invalid || termination !== undefined,
      signal,
      giveUp,
    });
    const page = chromium.context.pages()[0] ?? (await chromium.context.newPage());
    chromium.context.on('request', (request) => asked.add(URL.parse(request.url())?.hostname ?? ''));
    const watch = watchPage(chromium.context, page, { run, proxy, giveUp });
    const browsing: Browsing = { run, params, proxy, chromium, page, watch };
    let failed = true;
    try {
      await browse(browsing, target);
      await judge(browsing, target);
      failed = run.assertions.some(({ passed }) => !passed);
    } catch (error) {
      if (watch.hasCrashed()) throw new RunFailure('crashed', 'The page crashed.');
      throw error;
    } finally {
      if (!signal.aborted && !watch.hasCrashed()) await shoot(browsing, failed).catch(() => undefined);
    }
  } catch (error) {
    throw given ?? error;
  } finally {
    await chromium?.close();
    proxy.close();
  }
}
