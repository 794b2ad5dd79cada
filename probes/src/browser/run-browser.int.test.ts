import type http from 'node:http';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createTargetGuard } from '../synthetic/safety/target-guard.ts';
import { createServers } from '../synthetic/testing/servers.ts';
import { memoryOf } from './process-group.ts';
import { hasChromium, leftBehind, ownProcesses, browse as run } from './testing/left-behind.ts';

const servers = createServers();
afterAll(() => servers.close());
/** A run leaves nothing behind, whatever became of it. */
afterEach(() => expect(leftBehind()).toEqual({ folders: [], processes: [] }));

const html =
  (body: string): http.RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<!doctype html><title>Shop</title>${body}`);

const SHOP = html(`<h1>Welcome to the shop</h1><img src="/missing.png" width=10 height=10>
  <form><label>Name <input id=name></label><label>Code <input id=code></label>
  <button type=button onclick="document.querySelector('#out').textContent = 'Hello ' + document.querySelector('#name').value; history.pushState(0, '', '/done?x=1')">Greet</button></form>
  <p id=out></p><script>console.error('a broken thing'); setTimeout(() => { throw new Error('thrown') }, 10);</script>`);
const shop: http.RequestListener = (request, response) =>
  request.url === '/missing.png' ? void response.writeHead(404).end() : SHOP(request, response);

describe.skipIf(!hasChromium)('a test in a browser', () => {
  it('tells phases, vitals, failed requests, errors of the page and what it looks like', async () => {
    const url = (await servers.http(shop)).replace('127.0.0.1', 'localhost');
    const measured = await run(url, {
      steps: [
        { do: 'expect_text', text: 'welcome to' },
        { do: 'expect_text', text: 'Welcome  to the' },
      ],
    });
    expect(measured).toMatchObject({
      success: false,
      fault: 'step',
      error: expect.stringContaining('Step 1, expect "welcome to": the page does not show it'),
    });
    const good = await run(url, {
      steps: [
        { do: 'expect_text', text: 'Welcome to the shop' },
        { do: 'fill', on: { label: 'Name' }, value: 'Ada' },
        { do: 'click', on: { role: 'button', name: 'Greet' } },
        { do: 'expect_text', text: 'Hello Ada', on: { css: '#out' } },
        { do: 'expect_url', matches: '/done\\?x=\\d$' },
        { do: 'press', key: 'Tab' },
        { do: 'wait', for: { text: 'Welcome' } },
      ],
      assertions: { failed_requests_max: 1, lcp_ms: 60_000, cls: 1 },
    });
    expect(good.error).toBeUndefined();
    expect(good).toMatchObject({
      success: true,
      address: '127.0.0.1',
      figures: { status: 200, 'requests.failed': 1, redirects: 0 },
      evidence: { failed_requests: [{ url: `${url}/missing.png`, error: 'HTTP 404' }] },
    });
    expect(good.evidence?.console_errors?.join()).toMatch(/a broken thing.*thrown/);
    expect(good.evidence?.steps).toHaveLength(7);
    expect(Object.keys(good.phases).toSorted()).toEqual(['connect', 'dns', 'first_byte', 'transfer']);
    expect(good.vitals).toMatchObject({
      fcp_ms: expect.any(Number),
      lcp_ms: expect.any(Number),
      cls: expect.any(Number),
      ttfb_ms: expect.any(Number),
    });
    expect(Buffer.from(good.evidence?.screenshot ?? '', 'base64').toString('latin1', 8, 12)).toBe('WEBP');
  });
});

describe.skipIf(!hasChromium)('a browser that may not go everywhere', () => {
  it('is kept from refused addresses, as a page, as a part of one and by a redirect', async () => {
    const guard = createTargetGuard({ allow: ['127.0.0.1'] });
    const inside = await servers.http((_request, response) => void response.end('secret of the inside'));
    const port = new URL(inside).port;
    const page = await servers.http((request, response) => {
      if (request.url === '/to') response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end();
      else
        html(
          `<h1>ok</h1><img src="http://127.0.0.2:${port}/x.png"><iframe src="http://[::ffff:127.0.0.2]:${port}/"></iframe><script>fetch('http://0.0.0.0:${port}/').catch(() => 0); new WebSocket('ws://127.0.0.3:${port}/');</script>`,
        )(request, response);
    });
    const parts = await run(page, { screenshot: 'never' }, { tools: { guard } });
    expect(parts).toMatchObject({ success: true });
    const failed = parts.evidence?.failed_requests ?? [];
    expect(failed.map(({ error }) => error).join()).toMatch(/loopback of the machine/);
    expect(failed.length).toBeGreaterThanOrEqual(3);
    const redirected = await run(`${page}/to`, {}, { tools: { guard } });
    expect(redirected).toMatchObject({ fault: 'target_refused', error: expect.stringContaining('169.254.169.254') });
    expect(await run('http://127.0.0.2:8099/', {}, { tools: { guard } })).toMatchObject({ fault: 'target_refused' });
    const step = await run(page, { steps: [{ do: 'open', url: 'file:///etc/passwd' }] }, { tools: { guard } });
    expect(step).toMatchObject({ fault: 'step', error: expect.stringContaining('no address of a web page') });
  });
});

describe.skipIf(!hasChromium)('a page that means no good', () => {
  it('opens windows, asks questions and sends files: it is counted, and the page is judged', async () => {
    const url = await servers.http((request, response) => {
      if (request.url === '/file')
        response
          .writeHead(200, { 'content-disposition': 'attachment; filename=x.bin', 'content-type': 'application/octet-stream' })
          .end('x'.repeat(1000));
      else
        html(`<h1>Still here</h1><a id=a href="/file">file</a><script>
          alert('one'); confirm('two'); for (let i = 0; i < 20; i++) open('/'); document.querySelector('#a').click();
          onbeforeunload = () => 'stay';</script>`)(request, response);
    });
    const measured = await run(url, { steps: [{ do: 'expect_text', text: 'Still here' }] });
    expect(measured).toMatchObject({ success: true, figures: { dialogs: 2 } });
    expect(measured.figures.popups ?? 0).toBeLessThan(3);
    expect(await run(`${url}/file`)).toMatchObject({ fault: 'protocol', error: expect.stringContaining('no page') });
  });

  it('allocates without end: it is ended', async () => {
    const heap = await servers.http(
      html('<script>const all = []; for (;;) all.push(new Array(100_000).fill(Math.random()));</script>'),
    );
    expect(await run(heap)).toMatchObject({ fault: 'crashed' });
    // Each allocation beyond the bound fails, and the page lives on.
    const buffers = await servers.http(
      html('<script>const all = []; setInterval(() => all.push(new Uint8Array(50_000_000).fill(7)), 5);</script>'),
    );
    let most = 0;
    const timer = setInterval(() => {
      most = Math.max(most, memoryOf(ownProcesses()));
    }, 100);
    const measured = await run(buffers, { screenshot: 'never', steps: [{ do: 'pause', ms: 3000 }] });
    clearInterval(timer);
    expect(measured.success ? measured.evidence?.console_errors?.join() : measured.fault).toMatch(/allocation failed|crashed/);
    expect(most / 1024 / 1024).toBeGreaterThan(300);
    expect(most / 1024 / 1024).toBeLessThan(2048);
  });

  it('asks without end, or never lets go: the run ends in time', async () => {
    const asking = await servers.http(html('<script>for (;;) alert(1);</script>'));
    expect(await run(asking)).toMatchObject({ fault: 'crashed', error: expect.stringContaining('questions') });
    const busy = await servers.http(html('<h1>busy</h1><script>for (;;);</script>'));
    const measured = await run(busy, {}, { seconds: 20 });
    expect(measured).toMatchObject({ fault: 'timeout' });
    expect(measured.total_ms).toBeLessThan(24_000);
  });
});
