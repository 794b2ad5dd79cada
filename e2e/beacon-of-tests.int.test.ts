import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { browse, hasChromium } from '@svc/probes/browser/testing/left-behind';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const releases = join(import.meta.dirname, '..', 'rum-sdk', 'releases');

/** A page that takes no refusal: it hides that a program drives the browser, and agrees for its visitor. */
const PAGE = `<!doctype html><title>Shop</title>
  <script>Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false })</script>
  <script src="/rum.js" data-key="k" data-endpoint="/ingest/rum"></script><script>svcRUM.consent()</script>
  <h1>Welcome</h1><p id="said"></p><script>said.textContent = 'control ' + navigator.globalPrivacyControl</script><a href="/next">next</a>`;

describe.skipIf(!hasChromium || !existsSync(releases))('a browser test of ours on a page with the browser SDK', () => {
  const requests: IncomingMessage[] = [];
  let origin = '';
  const server = createServer((request, response) => {
    requests.push(request);
    if (request.url === '/rum.js') {
      const newest = readdirSync(releases)
        .filter((name) => name.endsWith('.js'))
        .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
        .at(-1);
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(join(releases, newest ?? '')));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html' }).end(request.url === '/next' ? '<h1>Next</h1>' : PAGE);
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('says Global Privacy Control by header and by script, and leaves no beacon', async () => {
    const measured = await browse(`${origin}/shop`, {
      steps: [
        { do: 'expect_text', text: 'control true' },
        { do: 'click', on: { role: 'link', name: 'next' } },
        { do: 'expect_text', text: 'Next' },
        { do: 'wait', for: { text: 'Next' } },
      ],
    });
    expect(measured.error).toBeUndefined();
    expect(requests.map(({ method, url }) => `${method} ${url}`)).not.toContain('POST /ingest/rum');
    const pages = requests.filter(({ url }) => url === '/shop' || url === '/next' || url === '/rum.js');
    expect(pages.map(({ url, headers }) => [url, headers['sec-gpc']])).toEqual([
      ['/shop', '1'],
      ['/rum.js', '1'],
      ['/next', '1'],
    ]);
  });
});
