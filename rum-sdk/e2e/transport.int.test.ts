import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { buildModule, buildScript, version } from '../compile.js';
import { chromiumUnavailable, consent, leave, settle, useChromium } from './test-chromium.ts';
import { writeDocument } from './test-site.ts';

const missing = chromiumUnavailable();
if (missing) process.stderr.write(`SKIPPED: beacons out of Chromium: ${missing}\n`);

describe.skipIf(missing)('a beacon, in Chromium', () => {
  const stage = useChromium(async () => {
    const agree = 'addEventListener("DOMContentLoaded", () => svcRUM.consent())';
    return { rum: await buildScript(), 'rum-module': await buildModule(), agree };
  });

  const open = async (path: string): Promise<Page> => {
    const page = await stage.context.newPage();
    await page.goto(`${stage.site.origin}${path}`);
    await settle(page);
    return page;
  };

  it.each([
    ['another origin', 'OTHER/ingest/rum'],
    ['its own origin', '/ingest/rum'],
  ])('goes to %s as plain text, without preflight, cookie and referrer', async (_, endpoint) => {
    stage.site.serve('/shop/42', { html: writeDocument({ endpoint }) });
    const page = await open('/shop/42?token=secret#fragment');
    await consent(page);
    await leave(page, stage.site);
    const [beacon] = stage.site.beacons;
    expect(beacon?.headers['content-type']).toBe('text/plain;charset=UTF-8');
    expect(beacon?.headers.cookie).toBeUndefined();
    expect(beacon?.headers.referer).toBeUndefined();
    expect(beacon?.headers.origin).toBe(stage.site.origin);
    expect(stage.site.preflights()).toBe(0);
    expect(beacon?.text).not.toMatch(/secret|fragment|title|Mozilla/);
  });

  it('says of the address its path alone, and has the fields of the schema and no other', async () => {
    stage.site.serve('/shop/42', { html: writeDocument({}) });
    const page = await open('/shop/42?token=secret#fragment');
    await consent(page);
    await leave(page, stage.site);
    const [beacon] = await stage.site.waitForBeacons(1);
    expect(Object.keys(beacon ?? {})).toEqual([
      'v',
      'key',
      'consent',
      'host',
      'page',
      'browser',
      'vitals',
      'errors',
      'failed_requests',
      'sdk',
    ]);
    expect(beacon).toMatchObject({ page: '/shop/42', host: '127.0.0.1', errors: 0, failed_requests: 0, sdk: version });
    expect(Object.keys(beacon?.vitals ?? {})).toEqual(['ttfb_ms', 'fcp_ms', 'lcp_ms', 'load_ms', 'cls']);
  });

  it('escapes nothing wrongly: a path of quotes, controls and other scripts is JSON', async () => {
    const path = '/a%22b%5C/%00/é/日本?x';
    stage.site.serve(new URL(path, stage.site.origin).pathname, { html: writeDocument({}) });
    const page = await open(path);
    await consent(page);
    await leave(page, stage.site);
    expect((await stage.site.waitForBeacons(1)).map(({ page: said }) => said)).toEqual([
      '/a%22b%5C/%00/%C3%A9/%E6%97%A5%E6%9C%AC',
    ]);
  });

  it('keeps its origin where the page tells no referrers', async () => {
    stage.site.serve('/quiet', { html: writeDocument({}), headers: { 'referrer-policy': 'no-referrer' } });
    const page = await open('/quiet');
    await consent(page);
    await leave(page, stage.site);
    expect(stage.site.beacons.map(({ headers }) => headers.origin)).toEqual([stage.site.origin]);
  });

  it('goes out of an isolated page under a strict policy, from a script with its integrity', async () => {
    const integrity = `sha384-${createHash('sha384')
      .update(await buildScript())
      .digest('base64')}`;
    const script = `<script defer src="OTHER/rum.js" integrity="${integrity}" crossorigin="anonymous" data-key="k" data-endpoint="OTHER/ingest/rum"></script>`;
    stage.site.serve('/strict', {
      html: `<!doctype html><title>strict</title>${script}<script defer src="OTHER/agree.js" crossorigin="anonymous"></script><h1>Shop</h1>`,
      headers: {
        'content-security-policy':
          "default-src 'none'; script-src OTHER; connect-src OTHER; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
        'cross-origin-embedder-policy': 'require-corp',
        'cross-origin-opener-policy': 'same-origin',
      },
    });
    const page = await stage.context.newPage();
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    await page.goto(`${stage.site.origin}/strict`);
    await settle(page);
    expect(await page.evaluate('crossOriginIsolated')).toBe(true);
    await leave(page, stage.site);
    expect(stage.site.beacons.map(({ body }) => body.page)).toEqual(['/strict']);
    expect(said.filter((text) => /polic|trusted|integrity|blocked|refused/i.test(text))).toEqual([]);
  });

  it('that the policy forbids is no error of the page', async () => {
    stage.site.serve('/forbidden', { html: writeDocument({}), headers: { 'content-security-policy': "connect-src 'none'" } });
    const page = await stage.context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${stage.site.origin}/forbidden`);
    await consent(page);
    await leave(page, stage.site);
    expect(errors).toEqual([]);
    expect(stage.site.beacons).toEqual([]);
  });

  it('counts errors, unhandled rejections and requests that failed, and never itself', async () => {
    stage.site.answer = { status: 429, delayMs: 0 };
    stage.site.serve('/errors', { html: writeDocument({ attributes: 'data-spa', body: '<img src="/status/404" alt="">' }) });
    const page = await open('/errors');
    await consent(page);
    await page.evaluate(`(async () => {
      setTimeout(() => { throw new Error('one'); });
      Promise.reject(new Error('two'));
      await fetch('/status/503');
      await fetch('OTHER/status/500'.replace('OTHER', '${stage.site.other}'));
      await fetch('/status/204');
      document.body.append(Object.assign(new Image(), { src: '/status/410' }));
      await new Promise((done) => setTimeout(done, 300));
    })()`);
    await page.evaluate(`history.pushState(0, '', '/errors/next')`);
    await page.waitForTimeout(500);
    await leave(page, stage.site);
    expect((await stage.site.waitForBeacons(2)).map((one) => [one.page, one.errors, one.failed_requests])).toEqual([
      ['/errors', 2, 4],
      ['/errors/next', 0, 0],
    ]);
  });

  it('counts no icon that the browser asks for and the site does not have', async () => {
    stage.site.serve('/plain', { html: writeDocument({}) });
    const page = await open('/plain');
    await consent(page);
    const asked =
      'performance.getEntriesByType("resource").some(({ name, responseStatus }) => /favicon/.test(name) && responseStatus === 404)';
    await page.waitForFunction(asked);
    await leave(page, stage.site);
    expect((await stage.site.waitForBeacons(1))[0]?.failed_requests).toBe(0);
  });

  it('goes out of the module as out of the script', async () => {
    stage.site.serve('/module', {
      html: `<!doctype html><title>module</title><h1>Shop</h1><script type="module">
        import { createRum } from '/rum-module.mjs';
        window.rum = createRum({ key: 'k', endpoint: '/ingest/rum' });
        rum.consent();
      </script>`,
    });
    const page = await open('/module');
    expect(await page.evaluate('typeof svcRUM')).toBe('undefined');
    await leave(page, stage.site);
    expect((await stage.site.waitForBeacons(1))[0]).toMatchObject({ key: 'k', page: '/module', browser: 'chrome' });
  });

  it('is sent once where the script is included twice', async () => {
    stage.site.serve('/twice', {
      html: writeDocument({ head: '<script src="OTHER/rum.js" data-key="first" data-endpoint="/ingest/rum"></script>' }),
    });
    const page = await open('/twice');
    await consent(page);
    await leave(page, stage.site);
    expect((await stage.site.waitForBeacons(1)).map(({ key }) => key)).toEqual(['first']);
  });
});
