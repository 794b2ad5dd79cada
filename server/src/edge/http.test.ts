import { request as httpRequest } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import Fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { createRootCa, createServerLeaf } from '#crypto';
import { AppError } from '#kernel';
import { mountHealth, type Readiness } from './health.ts';
import { createHttpEdge, type HttpEdge } from './http.ts';

const ca = await createRootCa({ commonName: 'edge test' });
const leaf = await createServerLeaf(ca, { hosts: ['localhost', '127.0.0.1'] });
const silent = Fastify({ logger: { level: 'silent' } }).log;
const open: HttpEdge[] = [];

async function serve(set: { rate?: number; contact?: { securityContact?: string; publicUrl?: string } } = {}) {
  const readiness: Readiness = { phase: 'serving' };
  const edge = await createHttpEdge({
    tls: { key: leaf.keyPem, cert: leaf.certPem },
    log: silent,
    trustedProxies: [],
    ratePerMinute: set.rate ?? 0,
    readiness,
  });
  mountHealth(edge.app, {
    readiness,
    checks: async () => ({ store: { status: 'ok' } }),
    securityContact: set.contact?.securityContact,
    publicUrl: set.contact?.publicUrl,
    now: Date.now,
  });
  edge.app.get('/slow', async () => {
    await new Promise((resolve) => setTimeout(resolve, 400));
    return { finished: true };
  });
  edge.app.get('/boom', async () => {
    throw new Error('the password is hunter2');
  });
  edge.app.get('/refused', async () => {
    throw new AppError('unavailable', 'The store did not answer.', { retryAfterSeconds: 1.2 });
  });
  edge.app.post('/echo', async (incoming) => incoming.body as object);
  const port = await edge.listen({ host: '127.0.0.1', port: 0 });
  open.push(edge);
  return { edge, port, readiness };
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

const ask = (port: number, path: string, options: RequestOptions & { body?: string } = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, ca: ca.certPem, agent: false, ...options }, (incoming) => {
      let body = '';
      incoming.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body }));
    });
    outgoing.on('error', reject);
    outgoing.end(options.body);
  });

afterEach(async () => {
  for (const edge of open.splice(0)) await edge.close();
});

describe('the HTTPS listener', () => {
  it('answers with HSTS and a policy that loads nothing', async () => {
    const { port } = await serve();
    const answer = await ask(port, '/healthz');
    expect(answer.status).toBe(200);
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  });

  it('gives a plaintext request no service', async () => {
    const { port } = await serve();
    const outcome = await new Promise<string>((resolve) => {
      const outgoing = httpRequest({ host: '127.0.0.1', port, path: '/healthz' }, (incoming) =>
        resolve(`status ${incoming.statusCode}`),
      );
      outgoing.on('error', () => resolve('dropped'));
      outgoing.end();
    });
    expect(outcome).toBe('dropped');
  });

  it('survives bytes that are not TLS', async () => {
    const { port } = await serve();
    await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.end(Buffer.alloc(4096, 0x16)));
      socket.on('close', resolve);
      socket.on('error', resolve);
    });
    expect((await ask(port, '/healthz')).status).toBe(200);
  });

  it('answers an unknown path with a problem document', async () => {
    const { port } = await serve();
    const answer = await ask(port, '/nothing');
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(JSON.parse(answer.body)).toMatchObject({ status: 404, code: 'not_found', instance: answer.headers['x-request-id'] });
  });

  it('keeps what was thrown inside', async () => {
    const { port } = await serve();
    const answer = await ask(port, '/boom');
    expect(JSON.parse(answer.body)).toMatchObject({ status: 500, code: 'internal' });
    expect(answer.body).not.toContain('hunter2');
  });

  it('says when to try again', async () => {
    const { port } = await serve();
    const answer = await ask(port, '/refused');
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('2');
  });

  it.each([
    ['broken JSON', '{"a":', 'application/json', 400, 'bad_request'],
    ['another media type', 'a', 'application/xml', 415, 'bad_request'],
    ['over 1 MiB', `"${'a'.repeat(1024 * 1024)}"`, 'application/json', 413, 'too_large'],
  ] as const)('refuses %s with %s', async (...[, body, type, status, code]) => {
    const { port } = await serve();
    const answer = await ask(port, '/echo', {
      method: 'POST',
      body,
      headers: { 'content-type': type, 'content-length': body.length },
    });
    expect(JSON.parse(answer.body)).toMatchObject({ code });
    expect([status, 400]).toContain(answer.status);
  });

  it('limits requests of one address and says for how long', async () => {
    const { port } = await serve({ rate: 2 });
    await ask(port, '/slow');
    await ask(port, '/slow');
    const answer = await ask(port, '/slow');
    expect(JSON.parse(answer.body)).toMatchObject({ status: 429, code: 'rate_limited' });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect((await ask(port, '/healthz')).status).toBe(200);
  });

  it('names itself not ready while it drains, and finishes what it accepted', async () => {
    const { port, edge, readiness } = await serve();
    expect((await ask(port, '/readyz')).status).toBe(200);
    const slow = ask(port, '/slow');
    await new Promise((resolve) => setTimeout(resolve, 100));
    readiness.phase = 'draining';
    expect((await ask(port, '/readyz')).status).toBe(503);
    expect((await ask(port, '/healthz')).status).toBe(200);
    const closed = edge.close();
    expect(JSON.parse((await slow).body)).toEqual({ finished: true });
    await closed;
  });

  it.each([
    ['says nothing in TLS', (port: number) => connectTls({ host: '127.0.0.1', port, ca: ca.certPem }), 'secureConnect'],
    ['never begins TLS', (port: number) => connect(port, '127.0.0.1'), 'connect'],
  ] as const)('is not held open by a client that %s, and finishes what others asked', async (...[, connectTo, event]) => {
    const { port, edge } = await serve();
    const silent = connectTo(port);
    silent.on('error', () => {});
    await new Promise((resolve) => silent.once(event, resolve));
    const slow = ask(port, '/slow');
    await new Promise((resolve) => setTimeout(resolve, 100));
    const began = performance.now();
    await edge.close();
    expect(performance.now() - began).toBeLessThan(3000);
    expect(JSON.parse((await slow).body)).toEqual({ finished: true });
  });

  it('serves the page that the type of a problem points at', async () => {
    const { port } = await serve();
    const { type } = JSON.parse((await ask(port, '/nowhere')).body) as { type: string };
    const [path = '', code] = type.split('#');
    const page = await ask(port, path);
    expect(page.status).toBe(200);
    expect(page.body).toContain(`id="${code}"`);
  });

  it.each([
    ['by the address that was asked', 'https://localhost', {}, 'https://localhost/docs/security'],
    ['with a mailbox', 'https://localhost', { securityContact: 'security@example.com' }, 'mailto:security@example.com'],
    ['by its public URL', 'https://svc.example', { publicUrl: 'https://svc.example' }, 'https://svc.example/docs/security'],
  ])('serves a security contact of which every page is there: %s', async (...[, origin, contact, expected]) => {
    const { port } = await serve({ contact });
    const answer = await ask(port, '/.well-known/security.txt', { headers: { host: 'localhost' } });
    const fields = [...answer.body.matchAll(/^([\w-]+): (.+)$/gm)].map(([, name = '', value = '']) => ({ name, value }));
    const fieldOf = (wanted: string) => fields.find(({ name }) => name === wanted)?.value ?? '';
    const pages = fields.filter(({ value }) => value.startsWith('https:'));
    expect(pages.map(({ name }) => name)).toEqual(expect.arrayContaining(['Canonical', 'Policy']));
    for (const { value } of pages) {
      expect(new URL(value).origin).toBe(origin);
      const page = await ask(port, new URL(value).pathname);
      expect({ value, status: page.status }).toEqual({ value, status: 200 });
      expect(page.headers['content-type']).toContain('text/plain');
    }
    expect(fieldOf('Contact')).toBe(expected);
    const days = (Date.parse(fieldOf('Expires')) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(170);
    expect(days).toBeLessThan(365);
  });
});
