import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildScript } from '../../compile.js';
import { expectAgreement, readWebVitals, writeCompared } from '../test-agreement.ts';
import { chromiumUnavailable } from '../test-chromium.ts';
import { startPlainChromium } from '../test-remote.ts';
import { openTestSite, type TestSite } from '../test-site.ts';

const missing = chromiumUnavailable();
if (missing) process.stderr.write(`SKIPPED: pages in the background and prerendered ones: ${missing}\n`);

const AGREE = '<script>svcRUM.consent()</script>';
/** A page tells how it was at first, and goes when it was seen for a while. */
const TELL = `<script>
  const first = [document.visibilityState, Boolean(document.prerendering)].join();
  fetch('/seen-' + first.replace(',', '-'), { method: 'POST' });
  const go = () => setTimeout(() => { location.href = '/bye' }, 1200);
  if (document.prerendering) document.addEventListener('prerenderingchange', go, { once: true });
  else if (!document.hidden) go();
  else document.addEventListener('visibilitychange', go, { once: true });
</script>`;

describe.skipIf(missing)('a page that is not seen at first, in Chromium', () => {
  let site: TestSite;
  let chromium: Awaited<ReturnType<typeof startPlainChromium>>;

  beforeAll(async () => {
    chromium = await startPlainChromium();
  });

  afterAll(() => chromium?.end());

  beforeEach(async () => {
    await site?.close();
    site = await openTestSite({ rum: await buildScript(), 'web-vitals': readWebVitals() });
    site.serve('/bye', { html: '<!doctype html><title>bye</title>bye' });
    return () => site.close();
  });

  const open = async (path: string, background: boolean): Promise<string> => {
    const { targetId } = await chromium.call('Target.createTarget', { url: `${site.origin}${path}`, background });
    return String(targetId);
  };
  const waitFor = async (request: string): Promise<void> => {
    for (let waitedMs = 0; waitedMs < 10_000 && !site.requests.includes(request); waitedMs += 50) await sleep(50);
    expect(site.requests).toContain(request);
  };

  it('in the background and shown later: tells nothing of what was painted, as web-vitals', async () => {
    site.serve('/shop', { html: writeCompared({ body: `<p>text</p>${AGREE}${TELL}` }) });
    await open('/bye', false);
    const target = await open('/shop', true);
    await waitFor('POST /seen-hidden-false');
    await sleep(800);
    await chromium.call('Target.activateTarget', { targetId: target });
    await waitFor('GET /bye');
    const [beacon, ...others] = await site.waitForBeacons(1);
    expect(others).toEqual([]);
    expect(Object.keys(beacon?.vitals ?? {})).toEqual(['ttfb_ms']);
    expectAgreement(beacon, site.reports[0]);
  });

  it('in the background and closed there: sends nothing', async () => {
    site.serve('/shop', { html: writeCompared({ body: `<p>text</p>${AGREE}${TELL}`, attributes: 'data-spa' }) });
    await open('/bye', false);
    const target = await open('/shop', true);
    await waitFor('POST /seen-hidden-false');
    const attached = await chromium.call('Target.getTargets', {});
    expect(JSON.stringify(attached)).toContain(target);
    await sleep(500);
    await chromium.call('Target.closeTarget', { targetId: target });
    await sleep(500);
    expect(site.beacons).toEqual([]);
  });

  it('prerendered and then shown: counts from when it is shown, as web-vitals', async () => {
    const rules = '{"prerender":[{"source":"list","urls":["/shown"],"eagerness":"immediate"}]}';
    site.serve('/start', {
      html: `<!doctype html><title>start</title><script type="speculationrules">${rules}</script><h1>Start</h1>
        <script>setTimeout(() => { location.href = '/shown' }, 3000)</script>`,
    });
    site.serve('/shown', { html: writeCompared({ body: `<p>text</p>${AGREE}${TELL}` }), delayMs: 200 });
    await open('/start', false);
    await waitFor('POST /seen-hidden-true');
    await waitFor('GET /bye');
    const [beacon, ...others] = await site.waitForBeacons(1);
    expect(others).toEqual([]);
    expect(beacon?.page).toBe('/shown');
    expect(beacon?.vitals.ttfb_ms).toBe(0);
    expectAgreement(beacon, site.reports[0]);
  });
});
