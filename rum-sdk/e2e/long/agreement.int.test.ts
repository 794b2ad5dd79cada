import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { buildScript } from '../../compile.js';
import { expectAgreement, readWebVitals, writeCompared } from '../test-agreement.ts';
import { chromiumUnavailable, consent, leave, settle, useChromium } from '../test-chromium.ts';

const missing = chromiumUnavailable();
if (missing) process.stderr.write(`SKIPPED: the browser SDK beside web-vitals: ${missing}\n`);

const BLOCK = 'const block = (ms) => { const from = performance.now(); while (performance.now() - from < ms); };';
const BUTTONS = `<script>${BLOCK}</script>
  <button id="quick" onclick="this.textContent = performance.now()">quick</button>
  <button id="fast" onclick="block(45)">fast</button>
  <button id="slow" onclick="block(200)">slow</button>
  <button id="slowest" onclick="block(400)">slowest</button>
  <input id="text"><div id="box"></div><p>Text that moves</p>`;

/** Shifts in three windows: bursts of less than a second between them, a pause, and one that is cut at five seconds. */
const SHIFTS = `<script>
  for (const at of [300, 700, 1300, 3000, 3500, 5200, 6000, 6900, 7600, 8400, 9200, 10000, 10800, 11600, 12400])
    setTimeout(() => {
      box.append(Object.assign(document.createElement('div'), { style: 'height:' + (20 + at / 50) + 'px' }));
    }, at);
</script>`;

describe.skipIf(missing)('the browser SDK beside web-vitals, in Chromium', () => {
  const stage = useChromium(async () => ({ rum: await buildScript(), 'web-vitals': readWebVitals() }));

  const open = async (body: string, attributes = ''): Promise<Page> => {
    stage.site.serve('/shop', { html: writeCompared({ body: BUTTONS + body, attributes }), delayMs: 40 });
    const page = await stage.context.newPage();
    await page.goto(`${stage.site.origin}/shop`);
    await settle(page);
    return page;
  };

  const finish = async (page: Page): Promise<void> => {
    await leave(page, stage.site);
    await stage.site.waitForBeacons(1);
    expect(stage.site.beacons).toHaveLength(1);
    expectAgreement(stage.site.beacons[0]?.body, stage.site.reports[0]);
  };

  it('agrees on a page with a slow image, with the consent before and behind it', async () => {
    for (const waitMs of [0, 1200]) {
      stage.site.forget();
      const page = await open('<img src="/picture/600" width="600" height="400" alt="">');
      await sleep(waitMs);
      await consent(page);
      await sleep(1300 - waitMs);
      await finish(page);
      expect(stage.site.beacons[0]?.body.vitals.lcp_ms).toBeGreaterThan(600);
    }
  });

  it('agrees on layout shifts in windows, with the consent in the midst of them', async () => {
    const page = await open(SHIFTS);
    await sleep(4000);
    await consent(page);
    await sleep(9500);
    await finish(page);
    expect(stage.site.beacons[0]?.body.vitals.cls).toBeGreaterThan(0.01);
  });

  it('agrees on no shifts, and leaves out those that an input explains', async () => {
    const page = await open(`<script>fast.addEventListener('click', () => { box.style.height = '200px' })</script>`);
    await consent(page);
    await page.click('#fast');
    await settle(page);
    await finish(page);
    expect(stage.site.beacons[0]?.body.vitals.cls).toBe(0);
  });

  it('agrees on the right one of many interactions', async () => {
    const page = await open('');
    await consent(page);
    for (let i = 0; i < 60; i++) await page.click(i === 10 ? '#slowest' : i === 20 ? '#slow' : '#fast');
    await page.keyboard.press('a');
    await settle(page);
    await sleep(1500);
    await finish(page);
    const inp = stage.site.beacons[0]?.body.vitals.inp_ms;
    expect(inp).toBeGreaterThanOrEqual(200);
    expect(inp).toBeLessThan(300);
  });

  it('agrees on the longest of a few interactions, and on quick ones', async () => {
    const page = await open('');
    await consent(page);
    for (const id of ['#quick', '#fast', '#slow', '#quick']) await page.click(id);
    await page.type('#text', 'some words');
    await settle(page);
    await sleep(1500);
    await finish(page);
    expect(stage.site.beacons[0]?.body.vitals.inp_ms).toBeGreaterThanOrEqual(200);
  });

  it('agrees on quick interactions alone', async () => {
    const page = await open('');
    await consent(page);
    for (let i = 0; i < 5; i++) await page.click('#quick');
    await settle(page);
    await sleep(1500);
    await finish(page);
  });

  it('agrees on a slow interaction from before the consent', async () => {
    const page = await open('');
    await page.click('#slow');
    await settle(page);
    await consent(page);
    await sleep(1500);
    await finish(page);
    expect(stage.site.beacons[0]?.body.vitals.inp_ms).toBeGreaterThanOrEqual(200);
  });

  it('agrees on a page with long tasks while it loads', async () => {
    const page = await open(`<script>block(300); setTimeout(() => block(250), 20)</script><p>below</p>`);
    await consent(page);
    await sleep(500);
    await finish(page);
  });

  it('agrees on a page that changes its route, which is one view by default', async () => {
    const page = await open('');
    await consent(page);
    await page.evaluate(
      `slow.addEventListener('click', () => { history.pushState(0, '', '/shop/next'); box.style.height = '300px' })`,
    );
    await page.click('#slow');
    await settle(page);
    await sleep(1500);
    await finish(page);
    expect(stage.site.beacons[0]?.body.page).toBe('/shop');
  });

  it('agrees on a return from the back-forward cache, a view of its own', async () => {
    const page = await open(SHIFTS);
    await page.evaluate(`addEventListener('pageshow', (event) => { window.isRestored = event.persisted })`);
    await consent(page);
    await sleep(1500);
    await finish(page);
    stage.site.forget();
    await page.goBack({ waitUntil: 'commit' });
    await sleep(600);
    expect(await page.evaluate('window.isRestored')).toBe(true);
    await page.click('#slow');
    await sleep(2500);
    await finish(page);
    expect(stage.site.beacons[0]?.body.vitals).toMatchObject({ ttfb_ms: 0 });
    expect(stage.site.beacons[0]?.body.vitals.load_ms).toBeUndefined();
  });

  it('has nothing of a landing view in what follows a return, when the consent was taken back and given again', async () => {
    const page = await open('');
    await consent(page);
    await page.click('#slowest');
    await settle(page);
    await finish(page);
    stage.site.forget();
    await page.goBack({ waitUntil: 'commit' });
    await sleep(600);
    await page.evaluate('svcRUM.withdraw(); svcRUM.consent()');
    await page.click('#fast');
    await settle(page);
    await sleep(300);
    await leave(page, stage.site);
    const [beacon] = await stage.site.waitForBeacons(1);
    expect(beacon?.vitals.inp_ms).toBeLessThan(200);
    expect(beacon?.vitals).toMatchObject({ ttfb_ms: 0 });
    expect(beacon?.vitals.lcp_ms).toBeUndefined();
  });
});
