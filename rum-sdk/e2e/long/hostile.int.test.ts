import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { buildScript } from '../../compile.js';
import { chromiumUnavailable, consent, leave, useChromium } from '../test-chromium.ts';
import { writeDocument } from '../test-site.ts';

const missing = chromiumUnavailable();
if (missing) process.stderr.write(`SKIPPED: the browser SDK on hostile pages: ${missing}\n`);

/** What a page does before the SDK loads, or behind it. */
const TRICKS: Record<string, string> = {
  'replaces sendBeacon': 'navigator.sendBeacon = () => { throw new Error("no") }',
  'adds toJSON to arrays and strings': 'Array.prototype.toJSON = String.prototype.toJSON = () => ({ user_id: 7 })',
  'breaks the methods of Array.prototype': `for (const name of Object.getOwnPropertyNames(Array.prototype))
    if (typeof Array.prototype[name] === 'function' && name !== 'constructor')
      Array.prototype[name] = () => { throw new Error(name) }`,
  'adds to Array.prototype and Object.prototype': 'Array.prototype.last = Object.prototype.extra = function () {}',
  'freezes what it can': `for (const one of [Object, Array, Function, String, Number, Promise, AbortController, PerformanceObserver, Performance,
    Navigator, EventTarget]) Object.freeze(one.prototype);
    Object.freeze(navigator); Object.freeze(performance); Object.freeze(JSON)`,
  'throws in its listeners': `for (const type of ['visibilitychange', 'pagehide', 'pageshow', 'error'])
    for (const where of [window, document]) where.addEventListener(type, () => { throw new Error('listener') }, true)`,
  'stops events at the document': `for (const type of ['visibilitychange', 'pagehide'])
    document.addEventListener(type, (event) => event.stopImmediatePropagation(), true)`,
  'has names of its own': 'var self = 7, top2 = 8, name = "x", length = 3, status = 4, event = 5, origin = 6',
};

/** They would make another text of a beacon than the SDK wants: nothing the receiver takes is sent. */
const FORGERIES: Record<string, string> = {
  'replaces JSON': 'JSON.stringify = () => { throw new Error("no") }',
  'has no JSON': 'window.JSON = undefined',
  'adds toJSON to every object': 'Object.prototype.toJSON = () => ({ user_id: 7 })',
};

/** What the SDK has to hold out where it cannot tell all. */
const LACKS: Record<string, string> = {
  'has no PerformanceObserver': 'delete window.PerformanceObserver',
  'has an observer that throws': 'window.PerformanceObserver = class { constructor() { throw new Error("no") } }',
  'knows no type of entries': 'PerformanceObserver.prototype.observe = () => { throw new TypeError("no") }',
};

describe.skipIf(missing)('a page, in Chromium, that', () => {
  const stage = useChromium(async () => ({ rum: await buildScript() }));

  interface Told {
    readonly page: Page;
    /** Errors of the page, as it would see them. */
    readonly errors: string[];
  }

  const open = async (html: string): Promise<Told> => {
    stage.site.serve('/hostile', { html });
    const page = await stage.context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${stage.site.origin}/hostile`);
    // A picture is taken of what was painted.
    await page.screenshot();
    await sleep(100);
    return { page, errors };
  };

  const AGREE = '<script>svcRUM.consent()</script>';
  const wrote = (trick: string): string => `<script>${trick}</script>`;
  const isForeign = (name: string, error: string): boolean => name !== 'throws in its listeners' || error !== 'listener';

  it.each(Object.entries(TRICKS))('%s before the SDK loads: is told all the same', async (name, trick) => {
    const { page, errors } = await open(writeDocument({ head: wrote(trick), body: AGREE }));
    await leave(page, stage.site);
    const [beacon] = await stage.site.waitForBeacons(1);
    expect(beacon).toMatchObject({ v: 1, page: '/hostile', browser: 'chrome', vitals: { cls: 0 } });
    expect(beacon?.vitals.lcp_ms).toBeGreaterThan(0);
    expect(Object.keys(beacon ?? {})).toHaveLength(10);
    expect(errors.filter((error) => isForeign(name, error))).toEqual([]);
  });

  it.each(Object.entries(TRICKS))('%s behind the SDK: is told all the same', async (name, trick) => {
    const { page, errors } = await open(writeDocument({ body: AGREE + wrote(trick) }));
    await leave(page, stage.site);
    const [beacon] = await stage.site.waitForBeacons(1);
    expect(beacon).toMatchObject({ v: 1, page: '/hostile' });
    expect(beacon?.vitals.lcp_ms).toBeGreaterThan(0);
    expect(errors.filter((error) => isForeign(name, error))).toEqual([]);
  });

  it.each(Object.entries(FORGERIES))('%s: sends nothing that is a beacon, and sees no error', async (_, trick) => {
    const { page, errors } = await open(writeDocument({ body: AGREE + wrote(trick) }));
    await leave(page, stage.site);
    await sleep(300);
    expect(stage.site.beacons.filter(({ body }) => body.v === 1 || body.consent)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it.each(Object.entries(LACKS))('%s: is told what can be told, and the rest is absent', async (_, trick) => {
    const { page, errors } = await open(writeDocument({ head: `<script>${trick}</script>` }));
    await consent(page);
    await page.evaluate('setTimeout(() => { throw new Error("mine") })');
    await page.waitForTimeout(50);
    await leave(page, stage.site);
    const [beacon] = await stage.site.waitForBeacons(1);
    expect(Object.keys(beacon?.vitals ?? {})).toEqual(['ttfb_ms', 'load_ms']);
    expect(beacon?.errors).toBe(1);
    expect(errors).toEqual(['mine']);
  });

  it.each([
    ['throws', 'window.fetch = () => { throw new Error("no") }'],
    ['rejects', 'window.fetch = () => Promise.reject(new Error("no"))'],
    ['answers nothing', 'window.fetch = () => undefined'],
  ])('has a fetch that %s: sends nothing and sees no error', async (_, trick) => {
    const { page, errors } = await open(writeDocument({ head: `<script>${trick}</script>` }));
    await consent(page);
    await leave(page, stage.site);
    expect(stage.site.beacons).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('wraps fetch behind the SDK: does not see the beacon', async () => {
    const { page } = await open(
      writeDocument({
        body: '<script>const real = fetch; window.fetch = (...args) => { window.name += "wrapped"; return real(...args) }</script>',
      }),
    );
    await consent(page);
    await leave(page, stage.site);
    expect(await stage.site.waitForBeacons(1)).toHaveLength(1);
    expect(await page.evaluate('window.name')).toBe('');
  });

  it('has a svcRUM of its own: keeps it', async () => {
    const { page, errors } = await open(
      writeDocument({ head: '<script>window.svcRUM = Object.freeze({ consent() { return "mine" } })</script>' }),
    );
    expect(await page.evaluate('svcRUM.consent()')).toBe('mine');
    await leave(page, stage.site);
    expect([stage.site.beacons, errors]).toEqual([[], []]);
  });

  it('is left at once: is told as far as it came', async () => {
    stage.site.serve('/bye', { html: 'bye' });
    stage.site.serve('/hostile', {
      html: writeDocument({ body: '<script>svcRUM.consent(); location.href = "/bye"</script><img src="/picture/3000" alt="">' }),
    });
    const page = await stage.context.newPage();
    await page.goto(`${stage.site.origin}/hostile`, { waitUntil: 'commit' });
    await page.waitForURL('**/bye');
    const [beacon] = await stage.site.waitForBeacons(1);
    expect(beacon).toMatchObject({ page: '/hostile', errors: 0 });
    expect(beacon?.vitals.load_ms).toBeUndefined();
  });

  it('has numbers beyond every bound: sends none of them', async () => {
    const { page } = await open(writeDocument({}));
    await consent(page);
    await page.evaluate(`
      for (let i = 0; i < 10050; i++) dispatchEvent(new Event('error'));
      Object.defineProperty(PerformanceNavigationTiming.prototype, 'responseStart', { get: () => 1e9 });
      Object.defineProperty(PerformanceNavigationTiming.prototype, 'loadEventEnd', { get: () => NaN });
    `);
    await leave(page, stage.site);
    const [beacon] = await stage.site.waitForBeacons(1);
    expect(beacon?.errors).toBe(10_000);
    expect(Object.keys(beacon?.vitals ?? {})).toEqual(['fcp_ms', 'lcp_ms', 'cls']);
  });
});
