import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OTLP_BOUNDS } from '#connections';
import { createRootCa, createServerLeaf, issueAgentLeaf } from '#crypto';
import { callGrpc, makeRequest, pathOf, postHttp } from './test-clients.ts';
import { startTestReceiver, type TestReceiver, TOKENS } from './test-receiver.ts';
import { frame } from './transport/grpc-frames.ts';

const token = TOKENS.acme;
const body = makeRequest('traces');
const STRANGERS = 50;
const CONNECTIONS = { ...OTLP_BOUNDS, strangers: STRANGERS, strangersPerNetwork: STRANGERS, strangerMs: 1200 };
const LIMITS = { requestMs: 600, stalledMs: 800, connections: CONNECTIONS };

let test: TestReceiver;
const sockets: { destroy(): void }[] = [];
beforeEach(async () => {
  test = await startTestReceiver({ limits: LIMITS });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await test.receiver.drain(100);
});

const keep = <T extends { destroy(): void }>(socket: T): T => {
  sockets.push(socket);
  return socket;
};

/** Both transports still serve whoever behaves. */
const servesAll = async () => [(await postHttp(test, { token, body })).status, (await callGrpc(test, { token, body })).status];

const countConnections = async (): Promise<number> => {
  await test.receiver.report();
  const { grpc, http } = test.receiver.connections();
  return [grpc, http].flatMap((counts) => Object.values(counts ?? {})).reduce((sum, count) => sum + count, 0);
};

const openTls = (port: number): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = keep(
      connect({ port, host: '127.0.0.1', ca: test.ca, ALPNProtocols: port === test.grpcPort ? ['h2'] : ['http/1.1'] }),
    );
    socket.on('error', reject);
    socket.once('secureConnect', () => resolve(socket));
  });

const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()).resume());

const openHttp2 = (settings: { initialWindowSize?: number } = {}) => {
  const client = keep(connectHttp2(`https://127.0.0.1:${test.grpcPort}`, { ca: test.ca, settings }));
  client.on('error', () => {});
  return client;
};
const callHeaders = {
  ':method': 'POST',
  ':path': pathOf('traces'),
  'content-type': 'application/grpc',
  authorization: `Bearer ${token}`,
};

/** True when the session was ended. Node's client may keep its resets for itself where it is slow: then no more streams are opened. */
async function resetStreams(): Promise<boolean> {
  const client = openHttp2();
  await new Promise<void>((resolve) => client.once('remoteSettings', () => resolve()));
  for (let round = 0; round < 200 && !client.closed && !client.destroyed; round += 1) {
    for (let i = 0; i < 50 && !client.destroyed; i += 1) {
      const stream = client.request(callHeaders);
      stream.on('error', () => {});
      stream.close(8);
    }
    await sleep(5);
  }
  return client.closed || client.destroyed;
}

it('ends a session that opens and resets streams in turn, and serves the others', async () => {
  let isEnded = false;
  for (let tries = 0; tries < 5 && !isEnded; tries += 1) isEnded = await resetStreams();
  expect(isEnded).toBe(true);
  expect(await servesAll()).toEqual([200, 0]);
});

it('does not wait for a body that comes slowly, and gives its room back', async () => {
  const slow = await openTls(test.httpPort);
  slow.on('error', () => {});
  slow.write(
    `POST /v1/traces HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/x-protobuf\r\ncontent-length: 1000\r\n\r\nxx`,
  );
  const stream = openHttp2().request(callHeaders);
  stream.on('error', () => {});
  stream.write(Buffer.from([0, 0, 0, 3, 232, 1, 2]));
  const trailers = new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve));
  expect((await trailers)['grpc-status']).toBe('4');
  await closed(slow);
  expect(await servesAll()).toEqual([200, 0]);
});

it('does not wait for headers that come slowly, nor for a handshake', async () => {
  const half = await openTls(test.httpPort);
  half.on('error', () => {});
  half.write('POST /v1/traces HTTP/1.1\r\nhost: x\r\n');
  await closed(half);
  const silent = keep(connectTcp(test.grpcPort, '127.0.0.1'));
  silent.on('error', () => {});
  await sleep(50);
  expect(await servesAll()).toEqual([200, 0]);
});

it('refuses floods of headers on both transports', async () => {
  const headersOf = (bytes: number) => Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`x-${i}`, 'y'.repeat(bytes)]));
  expect((await postHttp(test, { token, body, headers: headersOf(400) })).status).toBe(431);
  const headers = headersOf(1400);
  const flooded = await callGrpc(test, { token, body, headers }).catch(() => ({ status: -1 }));
  expect(flooded.status).toBe(-1);
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x-${i}`, 'y']));
  expect((await callGrpc(test, { token, body, headers: many }).catch(() => ({ status: -1 }))).status).toBe(-1);
  expect(await servesAll()).toEqual([200, 0]);
});

it('holds few connections without a token, and none for long', async () => {
  const idle: TLSSocket[] = [];
  for (let round = 0; round < 6; round += 1) {
    idle.push(...(await Promise.all(Array.from({ length: 20 }, () => openTls(round % 2 === 0 ? test.httpPort : test.grpcPort)))));
  }
  for (const socket of idle) socket.on('error', () => {}).resume();
  expect(await servesAll()).toEqual([200, 0]);
  // Who was sent away takes a moment to close.
  await expect.poll(countConnections).toBeLessThanOrEqual(2 * STRANGERS + 4);
  await expect.poll(() => idle.filter((socket) => !socket.closed).length, { timeout: 4000 }).toBe(0);
});

it('lets senders in while hundreds of connections never begin their handshake, from one address or many', async () => {
  const mute: Socket[] = [];
  for (const port of [test.httpPort, test.grpcPort]) {
    for (let i = 0; i < 400; i += 1) {
      const localAddress = i % 2 === 0 ? '127.0.0.66' : `127.0.1.${(i % 200) + 1}`;
      mute.push(keep(connectTcp({ port, host: '127.0.0.1', localAddress })).on('error', () => {}));
    }
  }
  await expect.poll(() => mute.filter((socket) => socket.connecting).length).toBe(0);
  expect(await servesAll()).toEqual([200, 0]);
  await expect.poll(countConnections).toBeLessThanOrEqual(2 * STRANGERS + 4);
});

it('resets calls whose answers are not taken, though their session says that it is there', async () => {
  const client = openHttp2({ initialWindowSize: 0 });
  const pings = setInterval(() => client.destroyed || client.ping(() => {}), 50);
  const streams = Array.from({ length: 20 }, () => {
    const stream = client.request(callHeaders);
    stream.on('error', () => {}).resume();
    stream.end(frame(body));
    return stream;
  });
  try {
    await Promise.all(streams.map((stream) => once(stream, 'response')));
    await expect.poll(() => streams.filter(({ closed }) => !closed).length, { timeout: 5000 }).toBe(0);
    expect(client.destroyed).toBe(false);
  } finally {
    clearInterval(pings);
  }
  expect(await servesAll()).toEqual([200, 0]);
});

it.each([
  ['of another method', 'GET /v1/logs HTTP/1.1\r\nhost:\r\n\r\n'],
  ['without a token', 'POST /v1/logs HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n'],
  ['for another path', 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['with an unknown expectation', 'POST /v1/logs HTTP/1.1\r\nhost: x\r\nexpect: cake\r\ncontent-length: 0\r\n\r\n'],
])('holds no connection whose requests %s are pipelined and whose answers are never read', async (_, text) => {
  const mute = await Promise.all(Array.from({ length: 10 }, () => openTls(test.httpPort)));
  // More than the buffers on the way take of the answers.
  for (const socket of mute)
    socket
      .on('error', () => {})
      .pause()
      .write(text.repeat(60_000));
  await expect.poll(countConnections, { timeout: 5000 }).toBe(0);
  expect(await servesAll()).toEqual([200, 0]);
});

it('closes after the first refusal of a request without a valid token, and keeps the connection of one with it', async () => {
  const post = (key: string) =>
    `POST /v1/logs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: text/plain\r\ncontent-length: 0\r\n\r\n`;
  const strange = await openTls(test.httpPort);
  strange.write(post('nobody'));
  await closed(strange);
  const known = await openTls(test.httpPort);
  const statuses: string[] = [];
  known.on('data', (chunk: Buffer) => statuses.push(chunk.toString('latin1').split(' ', 2)[1] ?? ''));
  for (let i = 1; i <= 3; i += 1) {
    known.write(post(token));
    await expect.poll(() => statuses.length).toBe(i);
  }
  expect(statuses).toEqual(['415', '415', '415']);
});

it('answers what HTTP cannot parse in the words of the protocol, and closes', async () => {
  const status = async (text: string) => {
    const socket = await openTls(test.httpPort);
    const chunks: Buffer[] = [];
    socket.on('error', () => {}).on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.write(text);
    await once(socket, 'close');
    const [head = '', answer = ''] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n', 2);
    return { status: Number(head.split(' ', 2)[1]), type: /content-type: (\S+)/i.exec(head)?.[1], answer };
  };
  const json = 'content-type: application/json\r\n';
  const large = await status(`POST /v1/logs HTTP/1.1\r\nhost: x\r\n${json}x: ${'y'.repeat(20_000)}\r\n\r\n`);
  expect(large).toMatchObject({ status: 431, type: 'application/x-protobuf' });
  expect(large.answer).toContain('headers are larger');
  const malformed = await status(`POST /v1/logs HTTP/1.1\r\nhost: x\r\n${json}content-length: 1\r\ncontent-length: 2\r\n\r\n`);
  expect([malformed.status, malformed.type, JSON.parse(malformed.answer).code]).toEqual([400, 'application/json', 3]);
  const slow = await status('POST /v1/logs HTTP/1.1\r\nhost: x\r\n');
  expect([slow.status, slow.type]).toEqual([408, 'application/x-protobuf']);
  const hostless = await status(`POST /v1/logs HTTP/1.1\r\n${json}content-length: 0\r\nconnection: close\r\n\r\n`);
  expect([hostless.status, JSON.parse(hostless.answer).code]).toEqual([400, 3]);
  expect(await servesAll()).toEqual([200, 0]);
});

it('answers what it accepted when it goes down, and takes no more', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  test.bus.waits = promise;
  const waiting = Promise.all([postHttp(test, { token, body }), callGrpc(test, { token, body })]);
  const client = openHttp2();
  const goneAway = new Promise<number>((done) => client.once('goaway', (code) => done(code)));
  await new Promise<void>((done) => client.once('remoteSettings', () => done()));
  await sleep(50);
  const drained = test.receiver.drain(5000);
  expect(await goneAway).toBe(0);
  await expect(postHttp(test, { token, body })).rejects.toThrow();
  resolve();
  expect((await waiting).map(({ status }) => status)).toEqual([200, 0]);
  await drained;
  expect(test.published).toHaveLength(2);
});

it('waits for nobody who says nothing when it goes down', async () => {
  const patient = await startTestReceiver({ limits: { ...LIMITS, connections: { ...CONNECTIONS, strangerMs: 60_000 } } });
  const [grpc, http] = [patient.grpcPort, patient.httpPort];
  const mute = [grpc, http].map((port) => keep(connectTcp(port, '127.0.0.1')));
  const tls = { host: '127.0.0.1', ca: patient.ca };
  const strange = [connect({ ...tls, port: grpc, ALPNProtocols: ['h2'] }), connect({ ...tls, port: http })].map(keep);
  for (const socket of [...mute, ...strange]) socket.on('error', () => {}).resume();
  await Promise.all([
    ...mute.map((socket) => once(socket, 'connect')),
    ...strange.map((socket) => once(socket, 'secureConnect')),
  ]);
  const began = performance.now();
  await patient.receiver.drain(9000);
  expect(performance.now() - began).toBeLessThan(5000);
});

it('presents a renewed certificate to whoever connects from then on', async () => {
  const ca = await createRootCa({ commonName: 'next' });
  const leaf = await createServerLeaf(ca, { hosts: ['127.0.0.1'] });
  test.receiver.setTls({ key: leaf.keyPem, cert: leaf.certPem });
  await test.receiver.report();
  const next = { ...test, ca: ca.certPem };
  expect((await postHttp(next, { token, body })).status).toBe(200);
  expect((await callGrpc(next, { token, body })).status).toBe(0);
  await expect(postHttp(test, { token, body })).rejects.toThrow();
});

it('comes up again by itself on the same ports when its thread breaks', async () => {
  const ca = await createRootCa({ commonName: 'mended' });
  const leaf = await createServerLeaf(ca, { hosts: ['127.0.0.1'] });
  // No certificate at all: the thread cannot go on.
  test.receiver.setTls({ key: 'broken', cert: 'broken' });
  await expect.poll(() => test.receiver.health().status, { timeout: 2000, interval: 20 }).toBe('failed');
  test.receiver.setTls({ key: leaf.keyPem, cert: leaf.certPem });
  const mended = { ...test, ca: ca.certPem };
  const send = () =>
    postHttp(mended, { token, body }).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(send, { timeout: 10_000, interval: 100 }).toBe(200);
  expect(test.receiver.health().status).toBe('ok');
});

it('demands a certificate of its senders where their authority is set, and the token all the same', async () => {
  const clients = await createRootCa({ commonName: 'clients' });
  const mutual = await startTestReceiver({ clientCa: clients.certPem });
  try {
    await expect(postHttp(mutual, { token, body })).rejects.toThrow();
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const facts = { trustDomain: 'test', tenant: 'acme', agentId: randomUUID() };
    const { certPem: cert } = await issueAgentLeaf(clients, publicKey.export({ type: 'spki', format: 'der' }), facts);
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect((await postHttp({ ...mutual, key, cert }, { token, body })).status).toBe(200);
    expect((await callGrpc({ ...mutual, key, cert }, { token, body })).status).toBe(0);
    expect((await postHttp({ ...mutual, key, cert }, { body })).status).toBe(401);
  } finally {
    await mutual.receiver.drain(100);
  }
});

it('tells a tenant that floods to come again, and serves the others', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const flooded = await startTestReceiver();
  flooded.bus.waits = promise;
  const large = frame(makeRequest('traces', { padBytes: 1024 * 1024 }));
  const client = keep(connectHttp2(`https://127.0.0.1:${flooded.grpcPort}`, { ca: flooded.ca, maxSessionMemory: 1000 }));
  client.on('error', () => {});
  const statuses: number[] = [];
  const send = () => {
    const stream = client.request(callHeaders);
    stream.on('error', () => {});
    stream.on('response', (got) => got['grpc-status'] !== undefined && statuses.push(Number(got['grpc-status'])));
    stream.end(large);
  };
  try {
    // Half of the room for requests that wait is one tenant's: 64 MiB.
    for (let i = 0; i < 80; i += 1) send();
    await expect.poll(() => statuses.length, { timeout: 10_000 }).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([14]));
    const other = postHttp(flooded, { token: TOKENS.other, body: makeRequest('logs'), signal: 'logs' });
    await sleep(50);
    resolve();
    expect((await other).status).toBe(200);
  } finally {
    resolve();
    await flooded.receiver.drain(100);
  }
});
