import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import Fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { HTTPS_BOUNDS } from '#connections';
import { createRootCa, createServerLeaf } from '#crypto';
import { createHttpEdge, type HttpEdge, type HttpEdgeDeps } from './http.ts';

const ca = await createRootCa({ commonName: 'hostile test' });
const leaf = await createServerLeaf(ca, { hosts: ['localhost', '127.0.0.1'] });
const log = Fastify({ logger: { level: 'silent' } }).log;
const open: HttpEdge[] = [];
const sockets: TLSSocket[] = [];
const folders: string[] = [];

async function serve(more: Partial<HttpEdgeDeps> = {}, prepare: (app: HttpEdge['app']) => void = () => {}) {
  const edge = await createHttpEdge({
    tls: { key: leaf.keyPem, cert: leaf.certPem },
    log,
    trustedProxies: [],
    ratePerMinute: 0,
    readiness: { phase: 'serving' },
    ...more,
  });
  open.push(edge);
  edge.app.get('/hello', async () => ({ hello: true }));
  edge.app.post('/echo', async ({ body }) => body as object);
  edge.app.get('/large', async (_request, reply) => reply.type('text/plain').send('x'.repeat(32 * 1024 * 1024)));
  prepare(edge.app);
  return { edge, port: await edge.listen({ host: '127.0.0.1', port: 0 }) };
}

async function openTls(port: number, localAddress = '127.0.0.1'): Promise<TLSSocket> {
  const socket = connectTls({
    socket: connectTcp({ host: '127.0.0.1', port, localAddress }),
    servername: 'localhost',
    ca: ca.certPem,
  });
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

interface RawAnswer {
  status: number;
  head: string;
  body: string;
}

/** Sends these bytes and reads until the server closes. */
async function sendRaw(port: number, text: string): Promise<RawAnswer> {
  const socket = await openTls(port);
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  const closed = once(socket, 'close');
  socket.write(text);
  await closed;
  const [head = '', body = ''] = received.split('\r\n\r\n', 2);
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head, body };
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const edge of open.splice(0)) await edge.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe('a request that the parser refuses', () => {
  it.each([
    ['headers over 16 KiB', `GET /hello HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'too_large'],
    ['an address over 16 KiB', `GET /hello?input=${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 414, 'too_large'],
    ['no HTTP at all', 'BREW /coffee\r\n\r\n', 400, 'bad_request'],
    ['two lengths', 'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab', 400, 'bad_request'],
    ['no host', 'GET /hello HTTP/1.1\r\n\r\n', 400, 'bad_request'],
  ] as const)('with %s gets a problem document', async (...[, text, status, code]) => {
    const { port } = await serve();
    const answer = await sendRaw(port, text);
    expect(answer.head).toContain('content-type: application/problem+json');
    expect(answer.head.toLowerCase()).toContain('connection: close');
    expect(JSON.parse(answer.body)).toMatchObject({ status, code, title: expect.any(String), instance: expect.any(String) });
    expect(answer.status).toBe(status);
  });

  it('because its headers come too slowly gets 408 as a problem document', async () => {
    const { port } = await serve({ times: { headersMs: 300, requestMs: 900, checkMs: 50 } });
    const answer = await sendRaw(port, 'GET /hello HTTP/1.1\r\nhost: x\r\n');
    expect(answer.head).toContain('application/problem+json');
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([408, 'bad_request']);
  });

  it('because its body comes too slowly gets 408 and its connection ends', async () => {
    const { port } = await serve({ times: { headersMs: 300, requestMs: 600, checkMs: 50 } });
    const text = 'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{';
    const answer = await sendRaw(port, text);
    expect(answer.status).toBe(408);
    expect(answer.head).toContain('application/problem+json');
  });
});

it('refuses an address over 12 KiB and 100 headers with problem documents', async () => {
  const { port } = await serve();
  const long = await sendRaw(port, `GET /hello?a=${'a'.repeat(13_000)} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  expect([long.status, JSON.parse(long.body).code]).toEqual([414, 'too_large']);
  const headers = Array.from({ length: 98 }, (_, i) => `x-${i}: y\r\n`).join('');
  const many = await sendRaw(port, `GET /hello HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n`);
  expect([many.status, JSON.parse(many.body).code]).toEqual([431, 'too_large']);
  const fewer = await sendRaw(
    port,
    `GET /hello HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers.replace('x-0: y\r\n', '')}\r\n`,
  );
  expect(fewer.status).toBe(200);
});

it('ends a connection whose client does not read, and serves the others', async () => {
  const { port } = await serve({ times: { stalledMs: 400 } });
  const mute = await openTls(port);
  mute.pause();
  mute.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
  const began = performance.now();
  await expect.poll(() => open[0]?.connections().busy, { timeout: 5000 }).toBe(1);
  await expect.poll(() => open[0]?.connections().busy, { timeout: 5000 }).toBe(0);
  expect(performance.now() - began).toBeLessThan(5000);
  const answer = await sendRaw(port, 'GET /hello HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  expect(answer.status).toBe(200);
});

it('bounds what all clients together leave unread', async () => {
  const { edge, port } = await serve({ times: { stalledMs: 60_000 }, unreadBytes: 64 * 1024 * 1024 });
  for (let i = 0; i < 6; i += 1) {
    const mute = await openTls(port);
    mute.pause();
    mute.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
  }
  await sleep(100);
  await expect.poll(() => edge.connections().busy, { timeout: 10_000 }).toBeLessThanOrEqual(2);
});

it('takes newcomers while strangers from many addresses send their bodies slowly', async () => {
  const bounds = { ...HTTPS_BOUNDS, strangers: 20, strangersPerNetwork: 10 };
  const { edge, port } = await serve({ connections: bounds });
  const slow = 'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{';
  for (let i = 0; i < 60; i += 1) {
    const socket = await openTls(port, `127.0.1.${(i % 20) + 1}`);
    socket.resume().write(slow);
  }
  const { handshake, stranger, busy } = edge.connections();
  expect(handshake + stranger + busy).toBeLessThanOrEqual(bounds.strangers);
  const answer = await sendRaw(port, 'GET /hello HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  expect(answer.status).toBe(200);
});

describe('requests that are pipelined', () => {
  const ask = (path: string, count: number): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(count);

  it('are answered in order, eight at once', async () => {
    const { port } = await serve();
    const socket = await openTls(port);
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    for (let i = 1; i <= 3; i += 1) {
      socket.write(ask('/hello', 8));
      await expect.poll(() => received.match(/HTTP\/1\.1 200/g)?.length, { timeout: 5000 }).toBe(8 * i);
    }
  });

  it('beyond eight start nothing: the ninth is refused and the connection closed', async () => {
    let started = 0;
    const { port } = await serve({}, (app) => {
      app.get('/count', async () => {
        started += 1;
        return {};
      });
    });
    const socket = await openTls(port);
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    const closed = once(socket, 'close');
    socket.write(ask('/count', 20));
    await closed;
    expect(started).toBe(8);
    expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(8);
    expect(received).toContain('HTTP/1.1 429 Too Many Requests');
    expect(JSON.parse(received.split('\r\n\r\n').at(-1) ?? '')).toMatchObject({ status: 429, code: 'rate_limited' });
    socket.destroy();
    const flood = await openTls(port);
    const ended = once(flood, 'close');
    flood.resume().write(ask('/count', 400));
    await ended;
    expect(started).toBeLessThanOrEqual(16);
  });

  /** A route that answers from an open file, with what it has opened. */
  async function serveFile() {
    const folder = mkdtempSync(join(tmpdir(), 'svc-pipelined-'));
    folders.push(folder);
    const path = join(folder, 'file');
    writeFileSync(path, Buffer.alloc(4 * 1024 * 1024));
    const streams: ReturnType<typeof createReadStream>[] = [];
    let closed = 0;
    const { port } = await serve({}, (app) => {
      app.get('/file', (_request, reply) => {
        reply.raw.once('close', () => {
          closed += 1;
        });
        const stream = createReadStream(path);
        streams.push(stream);
        return reply.send(stream);
      });
    });
    return { port, begun: () => streams.length, open: () => streams.filter((one) => !one.closed).length, closed: () => closed };
  }

  it('let go of what their answers hold when the client leaves', async () => {
    const { port, begun, open: held, closed } = await serveFile();
    const mute = await openTls(port);
    mute.pause();
    mute.write(ask('/file', 8));
    await expect.poll(begun, { timeout: 5000 }).toBe(8);
    mute.destroy();
    await expect.poll(held, { timeout: 5000 }).toBe(0);
    expect(closed()).toBe(8);
  });

  it('hold no more files open than 64 of one address', async () => {
    const { port, begun, open: held } = await serveFile();
    for (let i = 0; i < 16; i += 1) (await openTls(port)).pause().write(ask('/file', 8));
    await expect.poll(begun, { timeout: 5000 }).toBe(128);
    await expect.poll(held, { timeout: 5000 }).toBe(64);
  });

  it('count with all of their answers among what is left unread', async () => {
    const text = 'x'.repeat(4 * 1024 * 1024);
    const { edge, port } = await serve({ times: { stalledMs: 60_000 }, unreadBytes: 48 * 1024 * 1024 }, (app) => {
      app.get('/some', async (_request, reply) => reply.type('text/plain').send(text));
    });
    for (let i = 0; i < 4; i += 1) (await openTls(port)).pause().write(ask('/some', 8));
    const held = () => edge.connections().busy;
    await expect.poll(held, { timeout: 10_000 }).toBe(1);
    // What was cut off is not counted on: a newcomer is not cut off for it.
    const mute = await openTls(port);
    mute.pause().write(ask('/some', 2));
    await sleep(2500);
    expect(held()).toBe(2);
  });
});
