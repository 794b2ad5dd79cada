import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import Fastify from 'fastify';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRootCa, createServerLeaf } from '#crypto';
import { createHttpEdge, type HttpEdge, type HttpEdgeDeps } from './http.ts';
import { FILE_BOUNDS } from './open-files.ts';

const MIB = 1024 * 1024;
/** More than the two kernels take in between. */
const FILE_BYTES = 64 * MIB;

let tls: { key: string; cert: string };
let folder: string;
const open: HttpEdge[] = [];
const sockets: TLSSocket[] = [];
const timers: NodeJS.Timeout[] = [];

beforeAll(async () => {
  const leaf = await createServerLeaf(await createRootCa({ commonName: 'slow test' }), { hosts: ['localhost'] });
  tls = { key: leaf.keyPem, cert: leaf.certPem };
  folder = mkdtempSync(join(tmpdir(), 'svc-slow-'));
  writeFileSync(join(folder, 'file'), '');
  truncateSync(join(folder, 'file'), FILE_BYTES);
  return () => rmSync(folder, { recursive: true });
});
afterEach(async () => {
  for (const timer of timers.splice(0)) clearInterval(timer);
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const edge of open.splice(0)) await edge.close();
});

async function serve(more: Partial<HttpEdgeDeps>) {
  const log = Fastify({ logger: { level: 'silent' } }).log;
  const edge = await createHttpEdge({ tls, log, trustedProxies: [], ratePerMinute: 0, readiness: { phase: 'serving' }, ...more });
  open.push(edge);
  const streams: ReturnType<typeof createReadStream>[] = [];
  edge.app.get('/file', (_request, reply) => {
    const stream = createReadStream(join(folder, 'file'));
    streams.push(stream);
    return reply.header('content-length', FILE_BYTES).send(stream);
  });
  edge.app.get('/large', async (_request, reply) => reply.type('text/plain').send('x'.repeat(FILE_BYTES)));
  const port = await edge.listen({ host: '127.0.0.1', port: 0 });
  return { port, edge, held: () => streams.filter((one) => !one.closed).length };
}

async function ask(port: number, path: string, localAddress = '127.0.0.1'): Promise<TLSSocket> {
  const socket = connectTls({
    socket: connectTcp({ host: '127.0.0.1', port, localAddress }),
    servername: 'localhost',
    rejectUnauthorized: false,
  });
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
  return socket;
}

/** Reads a little, again and again. */
async function drip(port: number, path: string, localAddress?: string): Promise<TLSSocket> {
  const socket = await ask(port, path, localAddress);
  socket.pause();
  timers.push(setInterval(() => socket.read(1024) ?? socket.read(1), 20));
  return socket;
}

/** Reads all there is; gives the status and how many bytes came. */
const download = async (port: number, path: string, localAddress?: string) => await readAll(await ask(port, path, localAddress));

async function readAll(socket: TLSSocket) {
  let [head, bytes] = ['', 0];
  socket.on('data', (chunk: Buffer) => {
    if (bytes === 0) head = chunk.toString('latin1');
    bytes += chunk.length;
  });
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), bytes };
}

const patient = { ...FILE_BOUNDS, windowMs: 60_000 };

describe('a file that is taken a little at a time', { timeout: 60_000 }, () => {
  it('is let go of, and one that is taken at once is sent whole', async () => {
    const { port, held } = await serve({ files: { ...FILE_BOUNDS, windowMs: 1000, leastBytes: MIB } });
    for (let i = 0; i < 4; i += 1) await drip(port, '/file');
    await expect.poll(held, { timeout: 5000 }).toBe(4);
    await expect.poll(held, { timeout: 15_000 }).toBe(0);
    const { status, bytes } = await download(port, '/file');
    expect([status, bytes > FILE_BYTES]).toEqual([200, true]);
  });

  it('makes room for another site where one holds all places', async () => {
    const { port, held } = await serve({ files: { ...patient, open: 8, openOfNetwork: 4 } });
    for (let i = 0; i < 8; i += 1) await drip(port, '/file', `127.0.3.${1 + (i % 2)}`);
    await expect.poll(held, { timeout: 5000 }).toBe(8);
    // Its own site gets no more: none of it has been slow for long.
    expect((await download(port, '/file', '127.0.3.3')).status).toBe(503);
    expect((await download(port, '/file', '127.0.4.1')).status).toBe(200);
    await expect.poll(held, { timeout: 5000 }).toBe(7);
  });

  it('makes room once it has been slow for long, whoever holds the places', async () => {
    const { port, held } = await serve({ files: { ...patient, open: 6, slowBytesPerS: 1024 * MIB, slowMs: 3000 } });
    for (let i = 0; i < 6; i += 1) await drip(port, '/file', `127.0.${10 + i}.1`);
    await expect.poll(held, { timeout: 5000 }).toBe(6);
    expect((await download(port, '/file', '127.0.4.1')).status).toBe(503);
    await expect.poll(async () => (await download(port, '/file', '127.0.4.1')).status, { timeout: 15_000 }).toBe(200);
  });
});

describe('an answer in memory that is taken a little at a time', { timeout: 60_000 }, () => {
  /** Reads at most 6.4 MiB per second, and gives how much came. */
  async function readSlowly(port: number): Promise<number> {
    const socket = await ask(port, '/large');
    let bytes = 0;
    socket.on('readable', () => {});
    const timer = setInterval(() => {
      bytes += (socket.read(Math.min(socket.readableLength, 128 * 1024)) as Buffer | null)?.length ?? 0;
    }, 20);
    timers.push(timer);
    await Promise.race([once(socket, 'end'), once(socket, 'close')]);
    return bytes;
  }

  it('is sent whole where it takes longer than a client may read nothing', async () => {
    const { port } = await serve({ times: { stalledMs: 3000 } });
    const began = performance.now();
    expect(await readSlowly(port)).toBeGreaterThan(FILE_BYTES);
    expect(performance.now() - began).toBeGreaterThan(6000);
  });

  it('is let go of where it would take too long, and one that is taken at once is sent whole', async () => {
    const { port } = await serve({ times: { stalledMs: 3000, finishMs: 4000 } });
    expect(await readSlowly(port)).toBeLessThan(FILE_BYTES);
    expect((await download(port, '/large')).bytes).toBeGreaterThan(FILE_BYTES);
  });

  it('goes first where all together leave too much unread', async () => {
    const { port, edge } = await serve({ unreadBytes: 100 * MIB, times: { stalledMs: 60_000 } });
    await drip(port, '/large');
    await expect.poll(() => edge.connections().busy, { timeout: 5000 }).toBe(1);
    await sleep(4000);
    const newcomer = await ask(port, '/large');
    newcomer.pause();
    await expect.poll(() => edge.connections().busy, { timeout: 5000 }).toBe(2);
    await expect.poll(() => edge.connections().busy, { timeout: 5000 }).toBe(1);
    expect(await readAll(newcomer)).toMatchObject({
      status: 200,
      bytes: expect.toSatisfy((bytes: number) => bytes > FILE_BYTES),
    });
  });
});
