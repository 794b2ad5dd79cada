import type http from 'node:http';
import { Measured } from '@svc/contracts/tests/run-report';
import type { TestSpecInput } from '@svc/contracts/tests/test';
import { afterAll, describe, expect, it } from 'vitest';
import { runTest } from '../run-test.ts';
import { createServers, spec, toolsWith } from '../testing/servers.ts';

const servers = createServers();
afterAll(() => servers.close());

type HttpInput = Extract<TestSpecInput, { type: 'http' }>['params'];
const run = async (target: string, params: HttpInput = {}, tools = {}) =>
  Measured.parse(await runTest(spec({ type: 'http', target, params, timeout_seconds: 5 }), toolsWith(tools)));

const shop: http.RequestListener = (request, response) => {
  const url = new URL(request.url ?? '/', 'http://x');
  const status = Number(url.searchParams.get('status') ?? 200);
  const to = url.searchParams.get('to');
  if (to !== null) response.writeHead(status, { location: to }).end('moved');
  else if (url.pathname === '/json')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"items":[{"name":"tea","price":4.5}],"ok":true}');
  else if (url.pathname === '/slow') setTimeout(() => response.end('late'), 60);
  else
    response
      .writeHead(status, { 'x-shop': 'open until nine', 'set-cookie': 'session=abc123' })
      .end(`${request.method} ${request.headers.host} welcome to the shop`);
};

describe('a test over http', () => {
  it('tells phases, status, head and body, and cuts cookies out', async () => {
    const measured = await run(`${await servers.http(shop)}/`);
    expect(measured).toMatchObject({
      success: true,
      figures: { status: 200, redirects: 0 },
      address: '127.0.0.1',
      assertions: [{ rule: 'status', wanted: '2xx', got: '200', passed: true }],
      evidence: { body_excerpt: expect.stringContaining('welcome'), response_head: expect.stringMatching(/^HTTP\/1.1 200 OK\n/) },
    });
    expect(measured.evidence?.response_head).toContain('set-cookie: [cut]');
    expect(JSON.stringify(measured)).not.toContain('abc123');
    expect(Object.keys(measured.phases)).toEqual(['connect', 'first_byte', 'transfer']);
    expect(measured).not.toHaveProperty('error');
  });

  it('has a DNS phase for a name, and tells phases as they end', async () => {
    const target = (await servers.http(shop)).replace('127.0.0.1', 'localhost');
    const told: string[] = [];
    const measured = await run(`${target}/slow`, {}, { onProgress: (phase: string) => told.push(phase) });
    expect(told).toEqual(['dns', 'connect', 'first_byte', 'transfer']);
    expect(measured.phases.first_byte).toBeGreaterThan(55);
    expect(measured.total_ms).toBeGreaterThan(measured.phases.first_byte ?? 0);
  });

  it('checks each assertion and says what was wanted and what was there', async () => {
    const url = await servers.http(shop);
    const good = await run(`${url}/json`, {
      assertions: {
        body_contains: ['tea'],
        body_not_contains: ['error'],
        body_matches: '"price":\\s*\\d',
        json: [{ path: '$.items[0].name', equals: 'tea' }, { path: "$['items'][-1].price", matches: '^4' }, { path: '$.ok' }],
        headers: [{ name: 'Content-Type', contains: 'json' }, { name: 'date' }],
        first_byte_ms: 2000,
        dns_ms: 1,
        total_ms: 4000,
      },
    });
    expect(good.assertions.filter(({ passed }) => !passed)).toEqual([]);
    expect(good.assertions).toHaveLength(12);
    const bad = await run(`${url}/json`, {
      assertions: {
        status: ['404', '500-599'],
        body_contains: ['coffee'],
        body_not_contains: ['tea'],
        body_matches: '^<html',
        json: [{ path: '$.items[0].name', equals: 'coffee' }, { path: '$.items[7]' }, { path: '$.__proto__' }],
        headers: [{ name: 'x-none' }, { name: 'content-type', equals: 'text/html' }],
        certificate_days: 3,
      },
    });
    expect(bad).toMatchObject({ success: false, fault: 'assertion', error: 'status is 200, wanted 404 or 500-599 (and 9 more)' });
    expect(bad.assertions.every(({ passed }) => !passed)).toBe(true);
    expect(bad.assertions.map(({ got }) => got)).toContain('"tea"');
  });

  it('says that it looked at the first MiB alone where an answer has more', async () => {
    const url = await servers.http((_request, response) => response.end(`${'x'.repeat(1024 * 1024)}error`));
    const { assertions } = await run(url, { assertions: { body_not_contains: ['error'] } });
    expect(assertions).toContainEqual({
      ...{ rule: 'body_not_contains', wanted: 'body without "error"', got: 'not there within its first MiB', passed: true },
    });
  });

  it('follows redirects, adds phases up, and may take a redirect for the answer', async () => {
    const url = await servers.http(shop);
    const measured = await run(`${url}/?status=301&to=/%3Fstatus%3D302%26to%3D/json`);
    expect(measured).toMatchObject({ success: true, figures: { redirects: 2, status: 200 } });
    expect(measured.evidence?.redirects).toEqual([`${url}/?status=302&to=/json`, `${url}/json`]);
    const answer = await run(`${url}/?status=302&to=/json`, { max_redirects: 0, assertions: { status: ['302'] } });
    expect(answer).toMatchObject({ success: true, figures: { redirects: 0, status: 302 } });
  });

  it('turns a POST into a GET where browsers do, and else sends it again', async () => {
    const url = await servers.http(shop);
    const post = { method: 'POST', body: 'a=1' } as const;
    expect((await run(`${url}/?status=302&to=/`, post)).evidence?.body_excerpt).toMatch(/^GET /);
    expect((await run(`${url}/?status=307&to=/`, post)).evidence?.body_excerpt).toMatch(/^POST /);
  });

  it('gives cookies of the run back to the host that set them', async () => {
    const url = await servers.http((request, response) => {
      if (request.headers.cookie?.includes('signed=in')) response.end('inside');
      else response.writeHead(302, { location: request.url ?? '/', 'set-cookie': 'signed=in; Path=/; HttpOnly' }).end();
    });
    expect(await run(url)).toMatchObject({ success: true, figures: { redirects: 1 }, evidence: { body_excerpt: 'inside' } });
  });

  it('keeps 50 cookies of a flood, and none of another host', async () => {
    const seen: string[] = [];
    const other = await servers.http((request, response) => {
      seen.push(request.headers.cookie ?? '');
      response.end();
    });
    const elsewhere = other.replace('127.0.0.1', 'localhost');
    const flood = Array.from({ length: 500 }, (_, i) => `c${i}=${i}`);
    const url = await servers.http((_request, response) =>
      response.writeHead(302, { location: other, 'set-cookie': flood.slice(0, 300) }).end(),
    );
    await run(url);
    const away = await servers.http((_request, response) =>
      response.writeHead(302, { location: elsewhere, 'set-cookie': flood.slice(0, 3) }).end(),
    );
    await run(away);
    expect(seen.map((cookie) => (cookie === '' ? 0 : cookie.split('; ').length))).toEqual([50, 0]);
  });

  it('sends method, headers, body and another Host', async () => {
    const url = await servers.http((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => response.end(JSON.stringify({ method: request.method, headers: request.headers, body })));
    });
    const headers = [
      { name: 'Host', value: 'shop.example' },
      { name: 'X-Token', value: 'plain' },
      { name: 'Content-Length', value: '9999' },
    ];
    const measured = await run(url, { method: 'PUT', headers, body: 'grüße' });
    const seen = JSON.parse(measured.evidence?.body_excerpt ?? '');
    expect(seen).toMatchObject({
      method: 'PUT',
      body: 'grüße',
      headers: { host: 'shop.example', 'x-token': 'plain', 'content-length': '7' },
    });
  });

  it('ends when it is aborted, with the reason', async () => {
    const url = await servers.http(() => undefined);
    const signal = AbortSignal.timeout(50);
    await expect(run(url, {}, { signal })).rejects.toThrow(/timeout/);
  });
});
