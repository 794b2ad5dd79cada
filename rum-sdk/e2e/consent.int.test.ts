import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { buildScript } from '../compile.js';
import { chromiumUnavailable, consent, launchChromium, leave, settle, useChromium, withdraw } from './test-chromium.ts';
import { writeDocument } from './test-site.ts';

const missing = chromiumUnavailable();
if (missing) process.stderr.write(`SKIPPED: the browser SDK in Chromium: ${missing}\n`);

/** Counts each use of a door by which a page keeps, hears, waits or sends. */
const WATCH_DOORS = `<script>
  window.doors = [];
  const watch = (owner, name) => {
    const real = owner[name];
    owner[name] = function (...args) {
      doors.push(name);
      return new.target ? Reflect.construct(real, args, real) : real.apply(this, args);
    };
  };
  for (const name of ['fetch', 'setTimeout', 'setInterval', 'requestAnimationFrame', 'requestIdleCallback', 'queueMicrotask',
    'PerformanceObserver', 'MutationObserver', 'IntersectionObserver', 'ReportingObserver', 'XMLHttpRequest', 'WebSocket',
    'EventSource', 'Image', 'Worker', 'BroadcastChannel', 'postMessage']) watch(window, name);
  watch(EventTarget.prototype, 'addEventListener');
  watch(Navigator.prototype, 'sendBeacon');
  for (const name of ['getItem', 'setItem']) watch(Storage.prototype, name);
  watch(IDBFactory.prototype, 'open');
  watch(History.prototype, 'pushState');
  for (const name of ['mark', 'measure', 'getEntriesByType', 'getEntries']) watch(Performance.prototype, name);
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
  Object.defineProperty(document, 'cookie', {
    get: () => (doors.push('cookie'), cookie.get.call(document)),
    set: (text) => (doors.push('cookie'), cookie.set.call(document, text)),
  });
</script>`;

describe.skipIf(missing)('the consent of a visitor, in Chromium', () => {
  const stage = useChromium(async () => ({ rum: await buildScript() }));
  beforeEach(() => stage.site.serve('/shop', { html: writeDocument({ body: '<button id="buy">buy</button>' }) }));

  const open = async (path = '/shop'): Promise<Page> => {
    const page = await stage.context.newPage();
    await page.goto(`${stage.site.origin}${path}`);
    await settle(page);
    return page;
  };

  it('is waited for without an observer, listener, timer, request or storage', async () => {
    stage.site.serve('/watched', { html: writeDocument({ head: WATCH_DOORS, body: '<button id="buy">buy</button>' }) });
    const page = await stage.context.newPage();
    await page.goto(`${stage.site.origin}/watched`);
    await sleep(300);
    const before = await page.evaluate('doors.splice(0).join()');
    await page.click('#buy');
    await page.evaluate('history.replaceState(0, "", "/other")');
    expect(before).toBe('');
    expect(await page.evaluate('Object.keys(svcRUM).join()')).toBe('consent,withdraw');
    expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie].join()')).toBe(
      '0,0,session=secret',
    );
    await leave(page, stage.site);
    expect(stage.site.beacons).toEqual([]);
    expect(stage.site.requests.filter((one) => !/bye|watched|rum\.js|favicon/.test(one))).toEqual([]);
  });

  it('watches the same doors after it, so that the test before tells something', async () => {
    stage.site.serve('/watched', { html: writeDocument({ head: WATCH_DOORS }) });
    const page = await open('/watched');
    await page.evaluate('doors.length = 0');
    await consent(page);
    const used = String(await page.evaluate('doors.join()'));
    expect(used).toContain('PerformanceObserver');
    expect(used).toContain('addEventListener');
    expect(used).not.toMatch(/setItem|cookie|fetch|sendBeacon|setTimeout|setInterval/);
  });

  it('lets one beacon go when the page is left, and no second one', async () => {
    const page = await open();
    await consent(page);
    await consent(page);
    await leave(page, stage.site);
    expect(stage.site.beacons.map(({ body }) => [body.v, body.consent, body.key, body.host, body.page, body.browser])).toEqual([
      [1, true, 'app-key', '127.0.0.1', '/shop', 'chrome'],
    ]);
  });

  it('is taken back at once: nothing is sent, and nothing listens any more', async () => {
    const page = await open();
    await page.evaluate(`
      window.gone = [];
      const { disconnect } = PerformanceObserver.prototype;
      PerformanceObserver.prototype.disconnect = function () { gone.push('observer'); return disconnect.call(this); };
    `);
    await consent(page);
    await page.click('#buy');
    await withdraw(page);
    expect(await page.evaluate('gone.join()')).toBe('observer');
    await leave(page, stage.site);
    expect(stage.site.beacons).toEqual([]);
  });

  it('is taken back while a beacon is on its way: that one arrives, and nothing behind it', async () => {
    stage.site.answer = { status: 202, delayMs: 1000 };
    const page = await open();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await consent(page);
    await hide(page);
    await withdraw(page);
    await page.click('#buy', { force: true });
    await leave(page, stage.site);
    await stage.site.waitForBeacons(2);
    expect(stage.site.beacons).toHaveLength(1);
    expect(errors).toEqual([]);
  });

  it('is given again for the same view, which is sent once', async () => {
    const page = await open();
    await consent(page);
    await withdraw(page);
    await consent(page);
    await leave(page, stage.site);
    expect(stage.site.beacons.map(({ body }) => body.page)).toEqual(['/shop']);
    expect(stage.site.beacons[0]?.body.vitals.fcp_ms).toBeGreaterThan(0);
  });

  it('is not taken for a view that was sent before it was taken back', async () => {
    const page = await open();
    await consent(page);
    await hide(page);
    await withdraw(page);
    await consent(page);
    await leave(page, stage.site);
    expect(stage.site.beacons).toHaveLength(1);
  });

  it.each([
    ['Do Not Track', `Object.defineProperty(Navigator.prototype, 'doNotTrack', { get: () => '1' })`],
    ['Global Privacy Control', `Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => true })`],
    ['a program that drives the browser', `Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => true })`],
  ])('never arms under %s, whatever the page calls', async (_, script) => {
    await stage.context.addInitScript(script);
    const page = await open();
    for (let i = 0; i < 3; i++) await consent(page);
    await page.click('#buy');
    await leave(page, stage.site);
    expect(stage.site.beacons).toEqual([]);
  });

  it('never arms in a browser as Playwright starts it', async () => {
    const robot = await launchChromium({ asRobot: true });
    try {
      const page = await robot.newPage();
      await page.goto(`${stage.site.origin}/shop`);
      await consent(page);
      await leave(page, stage.site);
    } finally {
      await robot.close();
    }
    expect(stage.site.beacons).toEqual([]);
  });

  it('never arms without an endpoint', async () => {
    stage.site.serve('/nowhere', { html: writeDocument({ endpoint: '' }) });
    const page = await open('/nowhere');
    await consent(page);
    await leave(page, stage.site);
    expect(stage.site.requests.filter((one) => one.startsWith('POST'))).toEqual([]);
  });

  /** As another tab in front: the page stays. */
  async function hide(page: Page): Promise<void> {
    await page.evaluate(`
      Object.defineProperty(document, 'hidden', { get: () => true, configurable: true });
      Object.defineProperty(document, 'visibilityState', { get: () => 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    `);
    await sleep(50);
  }
});
