import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRootCa, createServerLeaf } from '#crypto';
import { createOutbound, type OutboundOptions } from './client.ts';
import { createFetch } from './fetch.ts';

/** Real servers with real certificates on this machine's loopback, which the name `models.test` leads to. */

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void;

const seen: { path: string; headers: http.IncomingHttpHeaders; body: string }[] = [];
const logged: unknown[] = [];
const answers: Record<string, Answer> = {
  '/ok': (_, response) => response.end('fine'),
  '/status': (_, response) => response.writeHead(503, { 'retry-after': '7' }).end('busy'),
  '/redirect': (_, response) => response.writeHead(302, { location: 'https://127.0.0.1/admin' }).end(),
  '/large': (_, response) => response.end('x'.repeat(100_000)),
  '/endless': (_, response) => {
    const more = (): void => void (response.destroyed || response.write('x'.repeat(10_000), () => setImmediate(more)));
    more();
  },
  '/silent': () => undefined,
  '/drip': (_, response) => {
    response.write('a');
  },
  '/cut': (_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half');
    setTimeout(() => response.socket?.destroy(), 20);
  },
  '/gzip': (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no'),
};

let ca = '';
let server: https.Server;
let plain: http.Server;
let proxy: http.Server;
const tunnels: { target: string; login: string | undefined }[] = [];
const portOf = (one: net.Server): number => (one.address() as AddressInfo).port;

const handle: Answer = (request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    seen.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts).toString() });
    (answers[request.url?.split('?')[0] ?? ''] ?? answers['/ok'])?.(request, response);
  });
};

beforeAll(async () => {
  const root = await createRootCa({ commonName: 'outbound test' });
  const leaf = await createServerLeaf(root, { hosts: ['models.test', '127.0.0.1'] });
  ca = root.certPem;
  server = https.createServer({ cert: leaf.certPem, key: leaf.keyPem }, handle).listen(0, '127.0.0.1');
  plain = http.createServer(handle).listen(0, '127.0.0.1');
  proxy = http.createServer().on('connect', (request, socket) => {
    tunnels.push({ target: request.url ?? '', login: request.headers['proxy-authorization'] });
    const onward = net.connect(portOf(server), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    for (const one of [socket, onward]) one.on('error', () => one.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await Promise.all([server, plain, proxy].map((one) => once(one, 'listening')));
});
afterAll(() => {
  for (const one of [server, plain, proxy]) {
    one?.closeAllConnections();
    one?.close();
  }
});

const log = { debug: (entry: unknown) => void logged.push(entry) };
const toLoopback: NonNullable<OutboundOptions['lookUp']> = async () => [{ address: '127.0.0.1', family: 4 }];
const open = (more: Partial<OutboundOptions> = {}) =>
  createOutbound({ allow: ['127.0.0.0/8:1-65535'], ca, log, lookUp: toLoopback, ...more });
const at = (path: string): string => `https://models.test:${portOf(server)}${path}`;
const ask = (path: string, more: object = {}) => open().send({ url: at(path), purpose: 'test', ...more });

describe('a call', () => {
  it('sends what it is given over TLS and gives the answer, whatever its status', async () => {
    const sent = await ask('/status?a=1', { method: 'POST', body: '{"ä":1}', headers: { authorization: 'Bearer s3cret' } });
    expect(sent).toMatchObject({ ok: true, status: 503, headers: { 'retry-after': '7' } });
    expect(seen.at(-1)).toMatchObject({
      path: '/status?a=1',
      body: '{"ä":1}',
      headers: { authorization: 'Bearer s3cret', 'accept-encoding': 'identity' },
    });
    expect(JSON.stringify(logged)).not.toMatch(/s3cret|status\?a/);
  });

  it.each([
    ['/redirect', 'redirect', true],
    ['/large', 'too_large', true],
    ['/endless', 'too_large', true],
    ['/cut', 'cut', true],
    ['/gzip', 'encoding', true],
  ])('to %s ends as %s', async (path, fault, mayHaveArrived) => {
    expect(await ask(path, { maxBytes: 50_000 })).toMatchObject({ ok: false, fault, mayHaveArrived });
  });

  it.each(['/silent', '/drip'])('to %s ends at its time, and with its caller', async (path) => {
    expect(await ask(path, { timeoutMs: 2000 })).toMatchObject({ ok: false, fault: 'timeout', mayHaveArrived: true });
    const caller = new AbortController();
    setTimeout(() => caller.abort(), 500);
    expect(await ask(path, { signal: caller.signal })).toMatchObject({ ok: false, fault: 'aborted' });
    expect(await ask(path, { signal: AbortSignal.abort() })).toMatchObject({
      ok: false,
      fault: 'aborted',
      mayHaveArrived: false,
    });
  });

  it('is refused without a certificate that is trusted for the name', async () => {
    expect(await open({ ca: undefined }).send({ url: at('/ok'), purpose: 'test' })).toMatchObject({ ok: false, fault: 'tls' });
    const wrongName = { url: `https://other.test:${portOf(server)}/ok`, purpose: 'test' };
    expect(await open().send(wrongName)).toMatchObject({ ok: false, fault: 'tls', mayHaveArrived: false });
    const noTls = { url: `https://models.test:${portOf(plain)}/ok`, purpose: 'test' };
    expect(await open().send(noTls)).toMatchObject({ ok: false, fault: 'tls' });
  });
});

describe('an address', () => {
  const before = () => seen.length;

  it('is judged where it is dialled: a name that leads to a private one is refused', async () => {
    const count = before();
    for (const address of ['127.0.0.1', '10.0.0.7', '169.254.169.254', '::ffff:127.0.0.1', '64:ff9b::7f00:1']) {
      const lookUp = async () => [{ address, family: address.includes(':') ? (6 as const) : (4 as const) }];
      const refused = await open({ allow: [], lookUp }).send({ url: at('/ok'), purpose: 'test' });
      expect(refused).toMatchObject({ ok: false, fault: 'address_refused', mayHaveArrived: false });
    }
    for (const host of ['127.0.0.1', '[::1]', '0x7f000001', '2130706433', '[::ffff:7f00:1]'])
      expect(await open({ allow: [] }).send({ url: `https://${host}:${portOf(server)}/ok`, purpose: 'test' })).toMatchObject({
        fault: 'address_refused',
      });
    expect(seen.length).toBe(count);
  });

  it('is asked for once: a second answer of the resolver leads nowhere', async () => {
    let asked = 0;
    const lookUp = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 as const }];
    };
    expect(await open({ lookUp }).send({ url: at('/ok'), purpose: 'test' })).toMatchObject({ ok: true });
    expect(asked).toBe(1);
  });

  it('is taken of several where one is allowed, and the next where one does not answer', async () => {
    const lookUp = async () => [
      { address: '10.9.9.9', family: 4 as const },
      { address: '127.0.0.9', family: 4 as const },
      { address: '127.0.0.1', family: 4 as const },
    ];
    expect(await open({ lookUp }).send({ url: at('/ok'), purpose: 'test' })).toMatchObject({ ok: true, isLocal: true });
  });

  it('without TLS is this machine’s own loopback alone', async () => {
    const url = `http://models.test:${portOf(plain)}/ok`;
    expect(await open().send({ url, purpose: 'test' })).toMatchObject({ ok: true, isLocal: true });
    const lookUp = async () => [{ address: '10.0.0.7', family: 4 as const }];
    expect(await open({ allow: ['10.0.0.0/8:1-65535'], lookUp }).send({ url, purpose: 'test' })).toMatchObject({
      fault: 'url',
      mayHaveArrived: false,
    });
    expect(
      await open({ allow: ['10.0.0.0/8:1-65535'], lookUp }).send({ url: at('/ok'), purpose: 'test', localOnly: true }),
    ).toMatchObject({ fault: 'address_refused' });
    expect(await open().isLocal(url)).toBe(true);
    expect(await open({ allow: [] }).isLocal(url)).toBe(false);
    expect(await open().isLocal('no url')).toBe(false);
  });

  it('is opened with the port that the operator named, and no other of the same address is', async () => {
    const count = before();
    const named = open({ allow: [`127.0.0.1:${portOf(server)}`] });
    expect(await named.send({ url: at('/ok'), purpose: 'test' })).toMatchObject({ ok: true });
    for (const allow of [['127.0.0.1'], ['models.test'], [`127.0.0.1:${portOf(server)}`]])
      expect(await open({ allow }).send({ url: `https://models.test:${portOf(plain)}/ok`, purpose: 'test' })).toMatchObject({
        fault: 'address_refused',
        mayHaveArrived: false,
      });
    expect(await named.isLocal(`http://models.test:${portOf(plain)}/ok`)).toBe(false);
    expect(await named.connect({ host: 'mail.test', port: portOf(plain), usualPorts: [25], purpose: 'mail' })).toMatchObject({
      fault: 'address_refused',
    });
    expect(seen.length).toBe(count + 1);
  });

  it.each(['ftp://a.test/', 'https://user:pass@models.test/', 'models.test', 'file:///etc/passwd', ''])(
    'of %s is none',
    async (url) => {
      expect(await open().send({ url, purpose: 'test' })).toMatchObject({ ok: false, fault: 'url' });
    },
  );
});

describe('a proxy', () => {
  const outside = async () => [{ address: '93.184.216.34', family: 4 as const }];

  it('is given the host and its own login, and sees no more of the call', async () => {
    const through = open({ allow: [], lookUp: outside, proxy: `http://svc:pw@127.0.0.1:${portOf(proxy)}` });
    expect(await through.send({ url: at('/ok'), purpose: 'test' })).toMatchObject({ ok: true, isLocal: false });
    expect(tunnels.at(-1)).toEqual({
      target: `models.test:${portOf(server)}`,
      login: `Basic ${Buffer.from('svc:pw').toString('base64')}`,
    });
  });

  it('is not asked for an address that may not be dialled, and finds names that only it knows', async () => {
    const count = tunnels.length;
    const through = open({
      allow: [],
      lookUp: async () => [{ address: '10.0.0.7', family: 4 }],
      proxy: `http://127.0.0.1:${portOf(proxy)}`,
    });
    expect(await through.send({ url: at('/ok'), purpose: 'test' })).toMatchObject({ fault: 'address_refused' });
    expect(tunnels.length).toBe(count);
    const unknown = open({
      allow: [],
      lookUp: () => Promise.reject(new Error('no')),
      proxy: `http://127.0.0.1:${portOf(proxy)}`,
    });
    expect(await unknown.send({ url: at('/ok'), purpose: 'test' })).toMatchObject({ ok: true });
    const none = open({ allow: [], lookUp: () => Promise.reject(new Error('no')) });
    expect(await none.send({ url: at('/ok'), purpose: 'test' })).toMatchObject({ fault: 'name_not_found' });
  });

  it('that is not there is named, and what is local goes around it', async () => {
    const gone = open({ lookUp: outside, proxy: 'http://127.0.0.1:1' });
    expect(await gone.send({ url: at('/ok'), purpose: 'test' })).toMatchObject({ fault: 'proxy', mayHaveArrived: false });
    expect(await open({ proxy: 'http://127.0.0.1:1' }).send({ url: at('/ok'), purpose: 'test' })).toMatchObject({
      ok: true,
      isLocal: true,
    });
  });
});

describe('a connection for another protocol', () => {
  const to = (host: string) => ({ host, port: portOf(plain), usualPorts: [25], purpose: 'mail' });

  it('is plain, and its caller can speak and begin TLS with the same authorities', async () => {
    const opened = await open().connect(to('mail.test'));
    if (!opened.ok) throw new Error(opened.message);
    expect(opened.ca).toContain(ca);
    opened.socket.end('GET /ok HTTP/1.1\r\nhost: mail.test\r\nconnection: close\r\n\r\n');
    expect(await text(opened.socket)).toMatch(/^HTTP\/1.1 200/);
  });

  it('is judged, led through the proxy and given up as a call is', async () => {
    expect(await open({ allow: [] }).connect(to('mail.test'))).toMatchObject({ fault: 'address_refused', mayHaveArrived: false });
    expect(await open().connect({ ...to('mail.test'), port: 1 })).toMatchObject({ fault: 'connect' });
    expect(await open().connect({ ...to('mail.test'), signal: AbortSignal.abort() })).toMatchObject({ fault: 'aborted' });
    const lookUp = async () => [{ address: '93.184.216.34', family: 4 as const }];
    const through = await open({ allow: [], lookUp, proxy: `http://127.0.0.1:${portOf(proxy)}` }).connect(to('mail.test'));
    expect(through.ok).toBe(true);
    expect(tunnels.at(-1)?.target).toBe(`mail.test:${portOf(plain)}`);
    if (through.ok) through.socket.destroy();
  });
});

it('is a fetch for libraries, which throws where nothing came back', async () => {
  const own = createFetch(open(), { purpose: 'test', maxBytes: 50_000 });
  const answer = await own(at('/ok'), { method: 'POST', body: 'x', headers: { 'x-a': '1' } });
  expect([answer.status, await answer.text()]).toEqual([200, 'fine']);
  await expect(own(at('/endless'))).rejects.toMatchObject({ fault: 'too_large' });
});
