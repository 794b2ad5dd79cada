import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2, createSecureServer } from 'node:http2';
import { createServer, request } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type Server } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { createRootCa, createServerLeaf } from '#crypto';
import type { ConnectionBounds } from './bounds.ts';
import { type ConnectionGuard, guardConnections } from './guard.ts';
import { endStuckSessions } from './stuck-sessions.ts';

const ca = await createRootCa({ commonName: 'guard test' });
const leaf = await createServerLeaf(ca, { hosts: ['localhost', '127.0.0.1'] });
const TLS = { key: leaf.keyPem, cert: leaf.certPem };
const BOUNDS: ConnectionBounds = {
  ...{
    total: 60,
    strangers: 30,
    strangersPerNetwork: 10,
    perTenant: 20,
    perClient: 20,
    handshakeMs: 400,
    strangerMs: 900,
    strangerBusyMs: 30_000,
    busyMs: 10_000,
  },
};

const opened: { destroy(): void }[] = [];
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy();
  for (const close of closing.splice(0)) await close();
});

const keep = <T extends Socket>(socket: T): T => {
  opened.push(socket);
  socket.on('error', () => {}).resume();
  return socket;
};

async function listen(server: Server, more: { bounds?: Partial<ConnectionBounds>; trustedProxies?: string[] } = {}) {
  const guard = guardConnections(server, { ...more, bounds: { ...BOUNDS, ...more.bounds } });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    guard.closeAll();
    guard.stop();
    await new Promise((resolve) => server.close(resolve));
  });
  return { guard, port: (server.address() as AddressInfo).port };
}

/** An HTTPS server whose requests know their tenant by a header. */
async function serve(more: Parameters<typeof listen>[1] = {}) {
  let guard: ConnectionGuard | undefined;
  const server = createServer(TLS, (incoming, response) => {
    const connection = guard?.find(incoming.socket);
    guard?.begin(connection);
    response.once('close', () => guard?.end(connection));
    const { tenant, wait } = incoming.headers;
    if (typeof tenant === 'string') guard?.know(connection, tenant);
    setTimeout(() => response.end('ok'), Number(wait ?? 0));
  });
  const listening = await listen(server, more);
  guard = listening.guard;
  return listening;
}

const silent = async (port: number, localAddress: string): Promise<Socket> => {
  const socket = keep(connect({ port, host: '127.0.0.1', localAddress }));
  await once(socket, 'connect');
  return socket;
};

const ask = (port: number, { localAddress = '127.0.0.1', headers = {} as Record<string, string> } = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, ca: ca.certPem, agent: false, localAddress, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    asked.on('error', reject);
    asked.end();
  });

/** A connection that had one request with this tenant's credential, and is kept. */
async function keepKnown(port: number, tenant: string) {
  const socket = keep(connectTls({ host: '127.0.0.1', port, ca: ca.certPem }));
  await once(socket, 'secureConnect');
  const answered = once(socket, 'data');
  socket.write(`GET / HTTP/1.1\r\nhost: x\r\ntenant: ${tenant}\r\n\r\n`);
  await answered;
  return socket;
}

const stillOpen = (sockets: readonly Socket[]): number => sockets.filter((socket) => !socket.closed && !socket.destroyed).length;

describe('connections that never begin their handshake', () => {
  it('are few for each address, and keep nobody at another one out', async () => {
    const { guard, port } = await serve();
    const mute: Socket[] = [];
    for (let i = 0; i < 40; i += 1) mute.push(await silent(port, '127.0.0.66'));
    expect(guard.counts().handshake).toBe(BOUNDS.strangersPerNetwork);
    expect(await ask(port)).toBe(200);
    // At the attacker's own address too: the oldest goes, not who comes.
    expect(await ask(port, { localAddress: '127.0.0.66' })).toBe(200);
    await expect.poll(() => stillOpen(mute), { timeout: 3000 }).toBe(0);
  });

  it('are few from a hundred addresses together, and who comes gets in', async () => {
    const { guard, port } = await serve();
    for (let i = 0; i < 300; i += 1) await silent(port, `127.0.1.${(i % 100) + 1}`);
    expect(guard.counts().handshake).toBe(BOUNDS.strangers);
    expect(await ask(port)).toBe(200);
  });

  it('end after the time for handshakes', async () => {
    const { port } = await serve();
    const socket = await silent(port, '127.0.0.66');
    const began = performance.now();
    await once(socket, 'close');
    expect(performance.now() - began).toBeLessThan(2 * BOUNDS.handshakeMs);
  });

  it('count for no address behind a trusted proxy, and are bounded in total there', async () => {
    const { guard, port } = await serve({ trustedProxies: ['127.0.0.64/28'] });
    for (let i = 0; i < 40; i += 1) await silent(port, '127.0.0.66');
    expect(guard.counts().handshake).toBe(BOUNDS.strangers);
    expect(await ask(port, { localAddress: '127.0.0.66' })).toBe(200);
  });
});

describe('connections that showed a credential', () => {
  it('are not closed for those that did not', async () => {
    const { port } = await serve();
    const known = await Promise.all(Array.from({ length: 10 }, () => keepKnown(port, 'acme')));
    for (let i = 0; i < 100; i += 1) await silent(port, `127.0.1.${(i % 50) + 1}`);
    expect(stillOpen(known)).toBe(10);
  });

  it('are bounded for each tenant, whose own oldest go', async () => {
    const { guard, port } = await serve();
    const other = await keepKnown(port, 'other');
    const known: Socket[] = [];
    for (let i = 0; i < BOUNDS.perTenant + 5; i += 1) known.push(await keepKnown(port, 'acme'));
    await expect.poll(() => stillOpen(known)).toBe(BOUNDS.perTenant);
    expect(stillOpen(known.slice(0, 5))).toBe(0);
    expect(stillOpen([other])).toBe(1);
    await expect.poll(() => guard.counts().idle).toBe(BOUNDS.perTenant + 1);
  });

  it('are never closed with a request under way', async () => {
    const { port } = await serve({ bounds: { perTenant: 2 } });
    const slow = Array.from({ length: 4 }, () => ask(port, { headers: { tenant: 'acme', wait: '400' } }));
    await sleep(100);
    await keepKnown(port, 'acme');
    expect(await Promise.all(slow)).toEqual([200, 200, 200, 200]);
  });
});

it('follows HTTP/2 sessions alike', async () => {
  const server = createSecureServer(TLS);
  const { guard, port } = await listen(server);
  server.on('stream', (stream) => {
    const connection = stream.session && guard.find(stream.session);
    guard.begin(connection);
    stream.once('close', () => guard.end(connection));
    guard.know(connection, 'acme');
    stream.respond({ ':status': 200 });
    stream.end();
  });
  for (let i = 0; i < 40; i += 1) await silent(port, '127.0.0.66');
  const client = connectHttp2(`https://localhost:${port}`, { ca: ca.certPem });
  opened.push(client);
  client.on('error', () => {});
  const stream = client.request({ ':path': '/' });
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  expect(headers[':status']).toBe(200);
  stream.resume();
  await once(stream, 'close');
  await expect.poll(() => guard.counts().idle).toBe(1);
  client.close();
  await expect.poll(() => guard.counts().idle).toBe(0);
});

it('ends an HTTP/2 session whose client has stopped reading', async () => {
  const server = createSecureServer({ ...TLS, maxSessionMemory: 1000 });
  const { guard, port } = await listen(server);
  const stuck = endStuckSessions(server, { guard, stalledMs: 300 });
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    guard.know(stream.session && guard.find(stream.session), 'acme');
    stream.respond({ ':status': 200, 'x-large': randomBytes(6000).toString('base64') }, { endStream: true });
  });
  // Between them: what stops reading.
  let upstream: Socket | undefined;
  const between = createTcpServer((socket) => {
    upstream = keep(connect(port, '127.0.0.1'));
    keep(socket).on('data', (chunk: Buffer) => upstream?.write(chunk));
    upstream.on('data', (chunk: Buffer) => socket.write(chunk));
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    stuck.stop();
    await new Promise((resolve) => between.close(resolve));
  });
  const client = connectHttp2(`https://localhost:${(between.address() as AddressInfo).port}`, { ca: ca.certPem });
  opened.push(client);
  client.on('error', () => {});
  await once(client, 'remoteSettings');
  const send = (): void => {
    for (let i = 0; i < 100 && !client.destroyed; i += 1)
      client
        .request({ ':path': '/' })
        .on('error', () => {})
        .resume();
  };
  send();
  await sleep(100);
  expect(guard.counts().idle).toBe(1);
  upstream?.pause();
  for (let round = 0; round < 20; round += 1) send();
  await expect.poll(() => guard.counts().idle, { timeout: 5000 }).toBe(0);
});

/** Answers each call with a message, to a client whose window stays closed. */
async function serveClosedWindows(more: { stalledMs: number; unreadBytes?: number }) {
  const server = createSecureServer(TLS);
  const { guard, port } = await listen(server);
  const stuck = endStuckSessions(server, { guard, ...more });
  closing.push(async () => stuck.stop());
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    guard.know(stream.session && guard.find(stream.session), 'acme');
    stream.respond({ ':status': 200 });
    stream.end('taken');
  });
  const open = async (initialWindowSize: number) => {
    const client = connectHttp2(`https://localhost:${port}`, { ca: ca.certPem, settings: { initialWindowSize } });
    opened.push(client);
    client.on('error', () => {});
    await once(client, 'remoteSettings');
    const ask = () => {
      const stream = client.request({ ':path': '/' });
      stream.on('error', () => {}).resume();
      return stream;
    };
    return { client, ask };
  };
  return { guard, open };
}

it('resets an HTTP/2 stream of which its client takes nothing, though it says that it is there', async () => {
  const { open } = await serveClosedWindows({ stalledMs: 300 });
  const { client, ask } = await open(0);
  const pings = setInterval(() => client.destroyed || client.ping(() => {}), 20);
  closing.push(async () => clearInterval(pings));
  const streams = Array.from({ length: 5 }, ask);
  await once(streams[0] as (typeof streams)[0], 'response');
  await sleep(100);
  expect(streams.filter(({ closed }) => closed)).toEqual([]);
  await expect.poll(() => streams.filter(({ closed }) => !closed).length, { timeout: 3000 }).toBe(0);
  expect(streams.map(({ rstCode }) => rstCode)).toEqual([8, 8, 8, 8, 8]);
  expect([client.closed, client.destroyed]).toEqual([false, false]);
});

it('bounds what all HTTP/2 clients together leave unread: those with most go first', async () => {
  const { open } = await serveClosedWindows({ stalledMs: 2000, unreadBytes: 1024 * 1024 });
  const [greedy, modest, reader] = [await open(0), await open(0), await open(65_535)];
  for (let i = 0; i < 40; i += 1) greedy.ask();
  for (let i = 0; i < 4; i += 1) modest.ask();
  await expect.poll(() => greedy.client.destroyed, { timeout: 1500 }).toBe(true);
  await once(reader.ask(), 'response');
  expect([modest.client.destroyed, reader.client.destroyed]).toEqual([false, false]);
});
