import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { type CertificateWish, createCertificates } from '@svc/testkit/netlab/certificates';
import { afterEach, describe, expect, it } from 'vitest';
import { measureSession } from './session.ts';
import { trustOf } from './trust.ts';

const DAY_MS = 86_400_000;
const servers: net.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: net.Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as net.AddressInfo).port;
}

async function serveWith(wish: Partial<CertificateWish>) {
  const made = await createCertificates({ dns: ['localhost'], ip: ['127.0.0.1'], ...wish });
  const port = await listen(https.createServer({ cert: made.cert, key: made.key }, (_request, response) => response.end('ok')));
  return { url: `https://127.0.0.1:${port}/`, trust: trustOf([made.ca]) };
}

describe('a session whose certificate does not hold', () => {
  it('says that it expired, whose it is, who issued it and when it was valid', async () => {
    const validFrom = new Date(Math.floor(Date.now() / 1000) * 1000 - 9 * DAY_MS);
    const validTo = new Date(validFrom.getTime() + 7 * DAY_MS);
    const measured = await measureSession(await serveWith({ validFrom, validTo }));
    expect(measured).toMatchObject({
      success: false,
      errorPhase: 'tls',
      error: 'CERT_HAS_EXPIRED',
      failure: 'certificate',
      ttfbMs: null,
      certificate: {
        kind: 'expired',
        subject: 'svc network lab server',
        issuer: 'svc network lab',
        validFromMs: validFrom.getTime(),
        validToMs: validTo.getTime(),
        fingerprint: expect.stringMatching(/^[\dA-F:]{95}$/),
      },
    });
  });

  it('tells not yet valid, another name and an unknown authority apart', async () => {
    const early = { validFrom: new Date(Date.now() + DAY_MS), validTo: new Date(Date.now() + 2 * DAY_MS) };
    expect((await measureSession(await serveWith(early))).certificate?.kind).toBe('not_yet_valid');
    const foreign = await serveWith({ dns: ['other.test'], ip: [] });
    expect((await measureSession(foreign)).certificate).toMatchObject({ kind: 'name', subject: 'svc network lab server' });
    const { url } = await serveWith({});
    expect((await measureSession({ url })).certificate?.kind).toBe('authority');
  });

  it('sends nothing to a server whose certificate it refuses', async () => {
    let asked = 0;
    const made = await createCertificates({ dns: ['localhost'], ip: ['127.0.0.1'] });
    const port = await listen(
      https.createServer({ cert: made.cert, key: made.key }, (_request, response) => {
        asked += 1;
        response.end();
      }),
    );
    await measureSession({ url: `https://127.0.0.1:${port}/` });
    expect(asked).toBe(0);
  });
});

describe('a session that is closed', () => {
  it('inside of TLS or HTTP is told apart from one that is refused', async () => {
    const closing = await listen(net.createServer((socket) => socket.once('data', () => socket.destroy())));
    expect(await measureSession({ url: `https://127.0.0.1:${closing}/` })).toMatchObject({ failure: 'tls_closed' });
    expect(await measureSession({ url: `http://127.0.0.1:${closing}/` })).toMatchObject({ failure: 'http_closed' });
    const gone = await listen(net.createServer());
    await new Promise((resolve) => servers.pop()?.close(resolve));
    expect(await measureSession({ url: `https://127.0.0.1:${gone}/` })).toMatchObject({ failure: 'refused', attempts: [{}] });
  });
});

describe('a session that stalls', () => {
  it('says after how many bytes either way', async () => {
    const silent = await listen(net.createServer((socket) => socket.resume()));
    const inHandshake = await measureSession({ url: `https://127.0.0.1:${silent}/`, timeoutMs: 150 });
    expect(inHandshake).toMatchObject({ failure: 'stalled', stall: { phase: 'tls', receivedBytes: 0 }, address: '127.0.0.1' });
    expect(inHandshake.stall?.sentBytes).toBeGreaterThan(200);
    const halting = await listen(
      http.createServer((_request, response) => {
        response.writeHead(200, { 'content-length': '100000' });
        response.write('x'.repeat(1000));
      }),
    );
    const inBody = await measureSession({ url: `http://127.0.0.1:${halting}/`, timeoutMs: 150 });
    expect(inBody).toMatchObject({ failure: 'stalled', stall: { phase: 'body' } });
    expect(inBody.stall?.receivedBytes).toBeGreaterThan(1000);
    for (const server of servers) if ('closeAllConnections' in server) (server as http.Server).closeAllConnections();
  });

  it('has no stall where it failed at once, and none of it where it succeeded', async () => {
    const port = await listen(http.createServer((_request, response) => response.writeHead(503).end()));
    const refused = await measureSession({ url: `http://127.0.0.1:${port}/` });
    expect(refused).toMatchObject({ failure: 'http_status', error: 'HTTP_503' });
    expect(refused.stall).toBeUndefined();
    const fine = await measureSession(await serveWith({}));
    expect(fine).toMatchObject({ success: true, failure: null });
    expect(fine).not.toHaveProperty('certificate');
    expect(fine).not.toHaveProperty('stall');
  });
});

describe('a session through a proxy', () => {
  it('says that the proxy is not there, refuses, or opens the tunnel late', async () => {
    const { url, trust } = await serveWith({});
    const through = (proxy: string) => measureSession({ url, trust, proxyFor: async () => proxy });
    const gone = await listen(net.createServer());
    await new Promise((resolve) => servers.pop()?.close(resolve));
    expect(await through(`http://127.0.0.1:${gone}`)).toMatchObject({ failure: 'proxy_unreachable', errorPhase: 'connect' });
    expect(await through('http://no-such-proxy.invalid:3128')).toMatchObject({ failure: 'proxy_unreachable', errorPhase: 'dns' });
    const refusing = await listen(net.createServer((socket) => socket.end('HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n')));
    expect(await through(`http://127.0.0.1:${refusing}`)).toMatchObject({ failure: 'proxy_refused', error: 'PROXY_503' });
    const slow = http.createServer();
    slow.on('connect', (request: http.IncomingMessage, client: net.Socket) => {
      setTimeout(() => {
        const upstream = net.connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
          client.write('HTTP/1.1 200 OK\r\n\r\n');
          upstream.pipe(client).pipe(upstream);
        });
        for (const end of [client, upstream]) end.on('error', () => undefined);
      }, 300);
    });
    const late = await through(`http://127.0.0.1:${await listen(slow)}`);
    expect(late).toMatchObject({ success: true, longestPhase: 'proxy' });
    expect(late.proxyMs).toBeGreaterThan(290);
  });
});
