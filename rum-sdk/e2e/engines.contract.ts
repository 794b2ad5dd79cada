import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildScript } from '../compile.js';
import { openTestSite, type TestSite, writeDocument } from './test-site.ts';

/** What the tests need of a browser that a program drives. */
export interface Driver {
  readonly navigate: (url: string) => Promise<void>;
  readonly back: () => Promise<void>;
  readonly evaluate: (expression: string) => Promise<unknown>;
  /** By the browser's own input, as a person's hand. */
  readonly click: (selector: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What an engine cannot tell, or cannot in the version that is there. */
export interface Engine {
  readonly browser: 'firefox' | 'safari';
  readonly missing: string | undefined;
  readonly start: () => Promise<Driver>;
}

/** A driven browser says so to pages, and the SDK heeds it; here it stands for a person's. */
const AS_PERSON = `<script>Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false })</script>`;
const BODY = `<script>const block = (ms) => { const from = performance.now(); while (performance.now() - from < ms); };</script>
  <button id="slow" onclick="block(200)">slow</button><div id="box"></div><p>text</p>
  <img src="/picture/300" width="600" height="400" alt=""><img src="/status/404" alt="">`;

export function describeEngine(name: string, { browser, missing, start }: Engine): void {
  if (missing) process.stderr.write(`SKIPPED: the browser SDK in ${name}: ${missing}\n`);

  describe.skipIf(missing)(`the browser SDK in ${name}`, () => {
    let site: TestSite;
    let driver: Driver;

    beforeAll(async () => {
      site = await openTestSite({ rum: await buildScript() });
      site.serve('/shop/7', { html: writeDocument({ head: AS_PERSON, body: BODY }), delayMs: 60 });
      site.serve('/driven', { html: writeDocument({ body: BODY }) });
      site.serve('/bye', { html: '<!doctype html><title>bye</title>bye' });
      driver = await start();
    });

    afterAll(async () => {
      await driver?.close();
      await site?.close();
    });

    beforeEach(async () => {
      await driver.navigate(`${site.origin}/bye`);
      await sleep(200);
      site.forget();
    });

    const knows = async (expression: string): Promise<boolean> => (await driver.evaluate(`Boolean(${expression})`)) === true;
    const PAINTED = `performance.getEntriesByType('paint').some(({ name }) => name === 'first-contentful-paint')`;
    /** The first page of a cold browser is painted late. */
    const open = async (path = '/shop/7'): Promise<void> => {
      await driver.navigate(`${site.origin}${path}?secret=1#there`);
      for (let waitedMs = 0; waitedMs < 10_000 && !(await knows(PAINTED)); waitedMs += 250) await sleep(250);
      await sleep(250);
    };
    const leave = async (): Promise<void> => {
      await driver.navigate(`${site.origin}/bye`);
      await sleep(500);
    };
    const observes = (type: string): Promise<boolean> => knows(`PerformanceObserver.supportedEntryTypes.includes('${type}')`);

    it('sends one beacon of what this engine can tell, and leaves out what it cannot', async () => {
      await open();
      await driver.evaluate('svcRUM.consent()');
      await driver.click('#slow');
      await sleep(300);
      await driver.evaluate(`(setTimeout(() => { throw new Error('mine') }), fetch('/status/503').then(() => 1))`);
      await sleep(300);
      const told: Record<string, boolean> = {
        ttfb_ms: true,
        fcp_ms: await observes('paint'),
        lcp_ms: await observes('largest-contentful-paint'),
        inp_ms: await knows(`window.PerformanceEventTiming && 'interactionId' in PerformanceEventTiming.prototype`),
        load_ms: true,
        cls: await observes('layout-shift'),
      };
      const tellsStatus = await knows(`'responseStatus' in PerformanceResourceTiming.prototype`);
      await leave();
      const [beacon, ...others] = await site.waitForBeacons(1);
      expect(others).toEqual([]);
      expect(beacon).toMatchObject({ v: 1, consent: true, host: '127.0.0.1', page: '/shop/7', browser, errors: 1 });
      expect(beacon?.failed_requests).toBe(tellsStatus ? 2 : 0);
      const expected = Object.keys(told).filter((vital) => told[vital]);
      process.stderr.write(`${name} tells ${expected.join(', ')}: ${JSON.stringify(beacon?.vitals)}\n`);
      expect(Object.keys(beacon?.vitals ?? {})).toEqual(expected);
      expect(beacon?.vitals.ttfb_ms).toBeGreaterThanOrEqual(50);
      if (told.lcp_ms) expect(beacon?.vitals.lcp_ms).toBeGreaterThanOrEqual(300);
      if (told.inp_ms) expect(beacon?.vitals.inp_ms).toBeGreaterThanOrEqual(190);
    });

    it('sends as plain text, without preflight, cookie, referrer, query and fragment', async () => {
      await open();
      await driver.evaluate('svcRUM.consent()');
      await leave();
      await site.waitForBeacons(1);
      const [beacon] = site.beacons;
      expect(beacon?.headers['content-type']).toBe('text/plain;charset=UTF-8');
      expect([beacon?.headers.cookie, beacon?.headers.referer]).toEqual([undefined, undefined]);
      expect(beacon?.headers.origin).toBe(site.origin);
      expect(site.preflights()).toBe(0);
      expect(beacon?.text).not.toMatch(/secret|there|title/);
    });

    it('sends nothing without consent, behind its withdrawal, and where a program drives the browser', async () => {
      await open();
      await leave();
      await open();
      await driver.evaluate('(svcRUM.consent(), svcRUM.withdraw())');
      await leave();
      await open('/driven');
      await driver.evaluate('svcRUM.consent()');
      await leave();
      expect(site.beacons).toEqual([]);
    });

    it('sends a return from the back-forward cache as a view of its own, where the engine keeps the page', async () => {
      await open();
      await driver.evaluate('svcRUM.consent()');
      await driver.evaluate(`addEventListener('pageshow', (event) => { window.isRestored = event.persisted }) ?? 1`);
      await leave();
      await site.waitForBeacons(1);
      site.forget();
      await driver.back();
      await sleep(500);
      const isRestored = await knows('window.isRestored');
      await leave();
      await sleep(500);
      process.stderr.write(`${name} ${isRestored ? 'restores the page' : 'loads the page anew'}\n`);
      expect(site.beacons.map(({ body }) => [body.page, body.vitals.ttfb_ms])).toEqual(isRestored ? [['/shop/7', 0]] : []);
    });
  });
}
