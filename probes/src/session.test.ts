import { X509Certificate } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { createCertificates, type LabCertificates } from '@svc/testkit/netlab/certificates';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureSession } from './session.ts';
import { readRoots, trustOf } from './trust.ts';

const servers: net.Server[] = [];
let certificates: LabCertificates;

async function listen(server: net.Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as net.AddressInfo).port;
}

const serve: http.RequestListener = (request, response) => {
  const url = new URL(request.url ?? '/', 'http://x');
  const status = Number(url.searchParams.get('status') ?? 200);
  const to = url.searchParams.get('to');
  if (to) response.writeHead(302, { location: to }).end();
  else if (url.pathname === '/cut') {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('x', () => response.destroy());
  } else if (url.pathname === '/endless') {
    response.write('x');
  } else
    setTimeout(
      () => response.writeHead(status).end('x'.repeat(Number(url.searchParams.get('bytes') ?? 10))),
      Number(url.searchParams.get('delay') ?? 0),
    );
};

let httpUrl = '';
let httpsUrl = '';
beforeAll(async () => {
  certificates = await createCertificates({ dns: ['localhost'], ip: ['127.0.0.1'] });
  httpUrl = `http://127.0.0.1:${await listen(http.createServer(serve))}`;
  httpsUrl = `https://127.0.0.1:${await listen(https.createServer({ cert: certificates.cert, key: certificates.key }, serve))}`;
});
afterAll(() => {
  for (const server of servers) {
    if ('closeAllConnections' in server && typeof server.closeAllConnections === 'function') server.closeAllConnections();
    server.close();
  }
});
const trusted = () => ({ trust: trustOf([certificates.ca]), timeoutMs: 5000 });

describe('a session', () => {
  it('has every phase over HTTPS', async () => {
    const session = await measureSession({ ...trusted(), url: `${httpsUrl}/?delay=40&bytes=500` });
    expect(session).toMatchObject({
      success: true,
      status: 200,
      dnsMs: null,
      redirects: 0,
      bytes: 500,
      family: 4,
      viaProxy: false,
      error: null,
      errorPhase: null,
    });
    expect(session.connectMs).toBeGreaterThan(0);
    expect(session.tlsMs).toBeGreaterThan(0);
    expect(session.ttfbMs).toBeGreaterThanOrEqual(39);
    expect(session.totalMs).toBeGreaterThanOrEqual((session.connectMs ?? 0) + (session.tlsMs ?? 0) + (session.ttfbMs ?? 0));
    expect(session.attempts).toEqual([{ family: 4, atMs: expect.any(Number) }]);
  });

  it('has no TLS over HTTP, and a DNS time where the host has a name', async () => {
    const session = await measureSession({ url: httpUrl.replace('127.0.0.1', 'localhost') });
    expect(session).toMatchObject({ success: true, tlsMs: null });
    expect(session.dnsMs).toBeGreaterThan(0);
  });

  it('adds its phases up over redirects, from HTTP to HTTPS too', async () => {
    const session = await measureSession({ ...trusted(), url: `${httpUrl}/?to=${encodeURIComponent(`${httpsUrl}/?to=/end`)}` });
    expect(session).toMatchObject({ success: true, redirects: 2, status: 200 });
    expect(session.tlsMs).toBeGreaterThan(0);
  });

  it('stops reading at the limit', async () => {
    const session = await measureSession({ url: `${httpUrl}/?bytes=5000000`, maxBytes: 1000 });
    expect(session.success).toBe(true);
    expect(session.bytes).toBeLessThan(500_000);
  });

  it('succeeds where the service refuses: the network did its part', async () => {
    expect(await measureSession({ url: `${httpUrl}/?status=403` })).toMatchObject({ success: true, status: 403 });
    expect(await measureSession({ url: `${httpUrl}/?status=503` })).toMatchObject({
      success: false,
      status: 503,
      error: 'HTTP_503',
      errorPhase: 'request',
    });
  });
});

describe('a session that fails', () => {
  const fails = (errorPhase: string, error: unknown) => ({ success: false, errorPhase, error });

  it('says dns for a name that does not exist', async () => {
    expect(await measureSession({ url: 'http://no-such-host.invalid/' })).toMatchObject({
      ...fails('dns', expect.stringMatching(/ENOTFOUND|EAI_AGAIN/)),
      connectMs: null,
    });
  });

  it('says connect where nobody listens', async () => {
    const port = await listen(net.createServer());
    await new Promise((resolve) => servers.pop()?.close(resolve));
    const session = await measureSession({ url: `http://127.0.0.1:${port}/` });
    expect(session).toMatchObject({ ...fails('connect', 'ECONNREFUSED'), attempts: [{ family: 4, error: 'ECONNREFUSED' }] });
  });

  it('says tls for a certificate that nobody signed, or of another host', async () => {
    expect(await measureSession({ url: httpsUrl })).toMatchObject({
      ...fails('tls', expect.stringMatching(/SELF_SIGNED|UNABLE_TO/)),
      ttfbMs: null,
    });
    const other = await createCertificates({ dns: ['other.test'], ip: [] });
    const port = await listen(https.createServer({ cert: other.cert, key: other.key }, serve));
    expect(await measureSession({ url: `https://127.0.0.1:${port}`, trust: trustOf([other.ca]) })).toMatchObject(
      fails('tls', 'ERR_TLS_CERT_ALTNAME_INVALID'),
    );
  });

  it('says tls where the other side closes', async () => {
    const port = await listen(net.createServer((socket) => socket.destroy()));
    expect(await measureSession({ url: `https://127.0.0.1:${port}` })).toMatchObject(fails('tls', expect.any(String)));
  });

  it('says request for what is no HTTP, and body where the answer is cut short', async () => {
    const port = await listen(net.createServer((socket) => socket.end('hello\r\n')));
    expect(await measureSession({ url: `http://127.0.0.1:${port}` })).toMatchObject(fails('request', 'HPE_INVALID_CONSTANT'));
    expect(await measureSession({ url: `${httpUrl}/cut` })).toMatchObject({ ...fails('body', 'ECONNRESET'), ttfbMs: null });
  });

  it('tells that plain http led to another site, as a sign-in page does, and nothing of redirects within one', async () => {
    const away = `${httpUrl}/?to=${encodeURIComponent(httpUrl.replace('127.0.0.1', 'localhost'))}`;
    expect((await measureSession({ url: away })).ledAway).toBe(true);
    const within = `${httpUrl}/?to=${encodeURIComponent(`${httpUrl}/`)}`;
    expect((await measureSession({ url: within })).ledAway).toBeUndefined();
  });

  it('says redirect where there is no end, or no way', async () => {
    expect(await measureSession({ url: `${httpUrl}/?to=/%3Fto=/`, maxRedirects: 0 })).toMatchObject({
      ...fails('redirect', 'TOO_MANY_REDIRECTS'),
      status: 302,
    });
    expect(await measureSession({ url: `${httpUrl}/?to=ftp://example.test/` })).toMatchObject(fails('redirect', 'BAD_REDIRECT'));
  });

  it.each([
    ['request', (): string => `${httpUrl}/?delay=3000`],
    ['body', (): string => `${httpUrl}/endless`],
  ])('ends at its time limit in the phase %s', async (phase, url) => {
    const startedMs = performance.now();
    expect(await measureSession({ url: url(), timeoutMs: 150 })).toMatchObject(fails(phase, 'ETIMEDOUT'));
    expect(performance.now() - startedMs).toBeLessThan(1500);
  });

  it('ends at its time limit while the handshake waits', async () => {
    const port = await listen(net.createServer(() => undefined));
    expect(await measureSession({ url: `https://127.0.0.1:${port}`, timeoutMs: 150 })).toMatchObject(fails('tls', 'ETIMEDOUT'));
  });

  it("rejects with the signal's reason when aborted, and on what is no URL", async () => {
    const reason = new Error('asked to stop');
    const controller = new AbortController();
    setTimeout(() => controller.abort(reason), 30);
    await expect(measureSession({ url: `${httpUrl}/?delay=3000`, signal: controller.signal })).rejects.toBe(reason);
    await expect(measureSession({ url: `${httpUrl}`, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    for (const url of ['', 'app.lab.test', 'ftp://app.lab.test'])
      await expect(measureSession({ url })).rejects.toThrow(RangeError);
  });
});

describe('a session through a proxy', () => {
  const seen: string[] = [];
  const proxy = http.createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end('from the proxy');
  });
  proxy.on('connect', (request: http.IncomingMessage, client: net.Socket) => {
    seen.push(`CONNECT ${request.url}`);
    const upstream = net.connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });

  it('tunnels HTTPS and asks for HTTP by the whole URL', async () => {
    const url = `http://127.0.0.1:${await listen(proxy)}`;
    const viaProxy = { ...trusted(), proxyFor: async () => url };
    expect(await measureSession({ ...viaProxy, url: `${httpsUrl}/` })).toMatchObject({ success: true, viaProxy: true });
    expect(await measureSession({ ...viaProxy, url: 'http://app.lab.test/x' })).toMatchObject({ success: true, bytes: 14 });
    expect(seen).toEqual([`CONNECT ${httpsUrl.slice('https://'.length)}`, 'GET http://app.lab.test/x']);
  });

  it('says that the proxy wants authentication, and which kinds it cannot use', async () => {
    const port = await listen(
      net.createServer((socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')),
    );
    const refuse = { ...trusted(), proxyFor: async () => `http://127.0.0.1:${port}` };
    expect(await measureSession({ ...refuse, url: httpsUrl })).toMatchObject({
      success: false,
      errorPhase: 'proxy',
      error: 'PROXY_407',
    });
    expect(await measureSession({ ...refuse, url: httpUrl })).toMatchObject({
      success: false,
      errorPhase: 'proxy',
      error: 'PROXY_407',
    });
    expect(await measureSession({ url: httpUrl, proxyFor: async () => 'socks5://127.0.0.1:1' })).toMatchObject({
      errorPhase: 'proxy',
      error: 'PROXY_UNSUPPORTED',
    });
  });
});

it('reads each root of Node and of the system once', () => {
  const roots = readRoots();
  const fingerprints = new Set(roots.map((pem) => new X509Certificate(pem).fingerprint256));
  expect(fingerprints.size).toBe(roots.length);
  for (const pem of [...tls.getCACertificates('default'), ...tls.getCACertificates('system')])
    expect(fingerprints).toContain(new X509Certificate(pem).fingerprint256);
});
