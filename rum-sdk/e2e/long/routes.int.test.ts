import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { buildScript } from '../../compile.js';
import { chromiumUnavailable, consent, leave, settle, useChromium, withdraw } from '../test-chromium.ts';
import { writeDocument } from '../test-site.ts';

const missing = chromiumUnavailable();
if (missing) process.stderr.write(`SKIPPED: views of single-page applications: ${missing}\n`);

const BODY = `<script>const block = (ms) => { const from = performance.now(); while (performance.now() - from < ms); };</script>
  <button id="go" onclick="history.pushState(0, '', '/app/two?q=secret#x'); block(150); box.style.height = '100px'">go</button>
  <button id="slow" onclick="block(800)">slow</button><div id="box"></div><p>text</p>`;

describe.skipIf(missing)('an application of one page, in Chromium', () => {
  const stage = useChromium(async () => ({ rum: await buildScript() }));
  beforeEach(() => stage.site.serve('/app/one', { html: writeDocument({ attributes: 'data-spa', body: BODY }) }));

  const open = async (): Promise<Page> => {
    const page = await stage.context.newPage();
    await page.goto(`${stage.site.origin}/app/one`);
    await settle(page);
    await consent(page);
    return page;
  };

  it('tells each route as a view of its own, whose first interaction is the one that led to it', async () => {
    const page = await open();
    await page.click('#slow');
    await settle(page);
    await page.click('#go');
    await settle(page);
    await leave(page, stage.site);
    const [landing, route] = await stage.site.waitForBeacons(2);
    expect(landing?.page).toBe('/app/one');
    expect(landing?.vitals.inp_ms).toBeGreaterThanOrEqual(800);
    expect(landing?.vitals.lcp_ms).toBeGreaterThan(0);
    expect(route?.page).toBe('/app/two');
    expect(Object.keys(route?.vitals ?? {})).toEqual(['inp_ms', 'cls']);
    expect(route?.vitals.inp_ms).toBeGreaterThanOrEqual(150);
    expect(route?.vitals.inp_ms).toBeLessThan(800);
  });

  it('makes no view of a change of the query or the fragment, nor of the same path', async () => {
    const page = await open();
    await page.evaluate(`history.pushState(0, '', '?a=1'); location.hash = 'there'; history.replaceState(0, '', '/app/one')`);
    await leave(page, stage.site);
    expect((await stage.site.waitForBeacons(1)).map((one) => one.page)).toEqual(['/app/one']);
  });

  it('tells the way back through its routes, too', async () => {
    const page = await open();
    await page.click('#go');
    await settle(page);
    await page.goBack();
    await settle(page);
    await leave(page, stage.site);
    expect((await stage.site.waitForBeacons(3)).map((one) => one.page)).toEqual(['/app/one', '/app/two', '/app/one']);
  });

  it('sends nothing of a route that begins after the consent was taken back', async () => {
    const page = await open();
    await withdraw(page);
    await page.click('#go');
    await settle(page);
    await leave(page, stage.site);
    await sleep(200);
    expect(stage.site.beacons).toEqual([]);
  });
});
