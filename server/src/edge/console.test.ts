import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRootCa, createServerLeaf } from '#crypto';
import type { Principal } from '#kernel';
import { mountConsole } from './console.ts';
import { createHttpEdge, type HttpEdge } from './http.ts';

const SECRET = 'nobody may read this';
let root: string;
let edge: HttpEdge;
let port: number;
let ca: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'svc-console-'));
  mkdirSync(join(root, 'dist', 'assets'), { recursive: true });
  writeFileSync(join(root, 'secret.txt'), SECRET);
  writeFileSync(join(root, 'dist', 'index.html'), '<html nonce="__CSP_NONCE__">page</html>');
  mkdirSync(join(root, 'dist', 'framed'));
  writeFileSync(join(root, 'dist', 'framed', 'sample.html'), '<p>sample</p>');
  writeFileSync(join(root, 'dist', 'assets', 'app-1.js'), 'console.log("0123456789")');
  writeFileSync(join(root, 'dist', 'assets', 'app-1.js.br'), 'brotli');
  writeFileSync(join(root, 'dist', 'assets', 'app-1.js.map'), SECRET);
  const authority = await createRootCa({ commonName: 'console test' });
  const leaf = await createServerLeaf(authority, { hosts: ['localhost'] });
  ca = authority.certPem;
  edge = await createHttpEdge({
    tls: { key: leaf.keyPem, cert: leaf.certPem },
    log: Fastify({ logger: { level: 'silent' } }).log,
    trustedProxies: [],
    ratePerMinute: 20,
    readiness: { phase: 'serving' },
  });
  edge.app.get('/v1/who', { config: { rate: 'principal' } }, async (request) => {
    edge.callers.admit(request, request.headers.cookie, 1)({ tenant: 'acme', id: 'ann' } as Principal);
    return {};
  });
  await mountConsole(edge.app, join(root, 'dist'));
  port = await edge.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await edge.close();
  rmSync(root, { recursive: true, force: true });
});

/** The path as it stands: clients of libraries would tidy it up. */
async function askRaw(path: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' });
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  const closed = new Promise((resolve) => socket.once('close', resolve).once('error', resolve));
  socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  await Promise.race([closed, sleep(5000)]);
  socket.destroy();
  return received;
}

it.each([
  '/../secret.txt',
  '/assets/../../secret.txt',
  '/..%2fsecret.txt',
  '/assets/..%2f..%2fsecret.txt',
  '/%2e%2e/secret.txt',
  '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
  '/..%5csecret.txt',
  '/..\\secret.txt',
  '/assets/%252e%252e/%252e%252e/secret.txt',
  '//etc/passwd',
  '/assets/app-1.js%00.txt',
  '/assets/app-1.js.map',
])('serves nothing outside of the console, nor its maps: %s', async (path) => {
  const answer = await askRaw(path);
  expect(answer).toMatch(/^HTTP\/1\.1 (200|400|404) /);
  expect(answer).not.toContain(SECRET);
  expect(answer).not.toContain('root:');
});

it('answers ranges and what the browser has already', async () => {
  const whole = await edge.app.inject({ url: '/assets/app-1.js' });
  const etag = String(whole.headers.etag);
  expect([whole.statusCode, whole.headers['accept-ranges']]).toEqual([200, 'bytes']);
  const part = await edge.app.inject({ url: '/assets/app-1.js', headers: { range: 'bytes=13-22' } });
  expect([part.statusCode, part.body]).toEqual([206, '0123456789']);
  const many = Array.from({ length: 1000 }, (_, i) => `${i % 9}-${(i % 9) + 9}`).join(',');
  const flood = await edge.app.inject({ url: '/assets/app-1.js', headers: { range: `bytes=${many}` } });
  expect(flood.body.length).toBeLessThanOrEqual(whole.body.length);
  const again = await edge.app.inject({ url: '/assets/app-1.js', headers: { 'if-none-match': etag } });
  expect([again.statusCode, again.body]).toEqual([304, '']);
});

it('answers a missing asset with 404 and a page that is never stored, so that an old console finds its way to the new one', async () => {
  const ask = (url: string) => edge.app.inject({ url, remoteAddress: '192.0.2.12' });
  const missing = await ask('/assets/app-0.js');
  expect([missing.statusCode, missing.headers['content-type']]).toEqual([404, 'application/problem+json; charset=utf-8']);
  expect(missing.headers['cache-control']).toBe('no-store');
  expect(missing.body).not.toContain('<html');
  for (const url of ['/', '/fleet/some-device']) {
    const page = await ask(url);
    expect([page.statusCode, page.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(page.body).toContain('page</html>');
  }
});

it('lets the console alone frame its sample pages, which connect to nothing, and nobody frame the console', async () => {
  const policyOf = async (url: string) =>
    String((await edge.app.inject({ url, remoteAddress: '192.0.2.13' })).headers['content-security-policy']);
  const sample = await policyOf('/framed/sample.html');
  expect(sample).toContain("default-src 'none'");
  expect(sample).not.toContain('connect-src');
  expect(sample).toContain("frame-ancestors 'self'");
  const page = await policyOf('/fleet');
  expect(page).toContain("frame-src 'self'");
  expect(page).toContain("frame-ancestors 'none'");
  expect(await policyOf('/assets/app-1.js')).toContain("frame-ancestors 'none'");
});

it('bounds pages and files for each address', async () => {
  const rates = edge.routes().filter(({ url }) => /^\/($|\*|assets)/.test(url));
  expect(new Set(rates.map(({ rate }) => rate))).toEqual(new Set(['pages']));
  const ask = (url: string) => edge.app.inject({ url, remoteAddress: '192.0.2.9' }).then(({ statusCode }) => statusCode);
  const statuses: number[] = [];
  for (let i = 0; i < 110; i += 1) statuses.push(await ask('/'), await ask('/assets/app-1.js'));
  expect(statuses.filter((status) => status === 200)).toHaveLength(200);
  expect(statuses.at(-1)).toBe(429);
  const elsewhere = await edge.app.inject({ url: '/v1/unknown', remoteAddress: '192.0.2.10' });
  expect(elsewhere.statusCode).toBe(404);
});

it('answers its files from memory, compressed where the client takes it', async () => {
  const moved = join(root, 'moved');
  renameSync(join(root, 'dist'), moved);
  const ask = (method: 'GET' | 'HEAD', encoding: string) =>
    edge.app.inject({ method, url: '/assets/app-1.js', headers: { 'accept-encoding': encoding }, remoteAddress: '192.0.2.11' });
  try {
    const plain = await ask('GET', 'br;q=0, identity');
    expect([plain.statusCode, plain.body]).toEqual([200, 'console.log("0123456789")']);
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    const small = await ask('GET', 'gzip, br');
    expect([small.body, small.headers['content-encoding']]).toEqual(['brotli', 'br']);
    expect(small.headers.etag).not.toBe(plain.headers.etag);
    const head = await ask('HEAD', 'identity');
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', '25']);
  } finally {
    renameSync(moved, join(root, 'dist'));
  }
});

it('bounds pages over all addresses together: who takes little and who is signed in is let in', async () => {
  const ask = async (remoteAddress: string, { url = '/', cookie }: { url?: string; cookie?: string } = {}) =>
    (await edge.app.inject({ url, remoteAddress, headers: cookie ? { cookie } : {} })).statusCode;
  const statuses: number[] = [];
  for (let address = 1; address <= 6; address += 1)
    for (let i = 0; i < 190; i += 1) statuses.push(await ask(`198.51.100.${address}`));
  const answered = statuses.filter((status) => status === 200).length;
  // Six addresses' own 20 and the 400 of all, less what other tests took.
  expect(answered).toBeLessThanOrEqual(520);
  expect(answered).toBeGreaterThan(200);
  expect(statuses.at(-1)).toBe(429);
  expect(await ask('203.0.113.1')).toBe(200);
  expect(await ask('198.51.100.1')).toBe(429);
  expect(await ask('198.51.100.200', { url: '/v1/who', cookie: 'session=known' })).toBe(200);
  expect(await ask('198.51.100.1', { cookie: 'other=1; session=known' })).toBe(200);
});
