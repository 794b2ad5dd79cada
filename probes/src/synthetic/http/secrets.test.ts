import type http from 'node:http';
import { Measured } from '@svc/contracts/tests/run-report';
import type { TestSpecInput } from '@svc/contracts/tests/test';
import { createCertificates } from '@svc/testkit/netlab/certificates';
import { afterAll, describe, expect, it } from 'vitest';
import { runTest } from '../run-test.ts';
import { createServers, spec, toolsWith } from '../testing/servers.ts';

const VALUE = 'kZ8/q+w7 "odd"=&%';
const servers = createServers();
afterAll(() => servers.close());

/** Bound to the first server's name only. */
const resolveSecret = (name: string, host: string): string => {
  if (name !== 'token') throw new Error(`There is no secret ${name}.`);
  if (host !== 'localhost') throw new Error(`The secret ${name} may not be sent to ${host}.`);
  return VALUE;
};

type Params = Extract<TestSpecInput, { type: 'http' }>['params'];
const run = async (target: string, params: Params, type: 'http' | 'https' = 'http') =>
  Measured.parse(
    await runTest(
      spec({ type, target, params, timeout_seconds: 5 } as Omit<TestSpecInput, 'name'>),
      toolsWith({ resolveSecret }),
    ),
  );

const asName = (url: string): string => url.replace('127.0.0.1', 'localhost');
/** As a person writes it. */
const ref = (name: string): string => `$\{secret:${name}}`;
const token = { name: 'X-Token', value: `v=${ref('token')};` };

/** Gives all that it is sent back, in several forms. */
const echo: http.RequestListener = (request, response) => {
  const sent = String(request.headers['x-token'] ?? '');
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    response.writeHead(200, 'fine', { 'x-echo': sent, 'set-cookie': `s=${encodeURIComponent(sent)}` });
    const forms = [sent, encodeURIComponent(sent), Buffer.from(sent).toString('base64'), JSON.stringify({ sent }), body];
    response.end(`${'.'.repeat(4070)}${sent} ${forms.join('\n')}`);
  });
};

describe('a secret', () => {
  it('is put in when it is sent, and comes back in no part of the report', async () => {
    let seen: string | undefined;
    const url = asName(
      await servers.http((request, response) => {
        seen = String(request.headers['x-token']);
        echo(request, response);
      }),
    );
    const measured = await run(url, {
      method: 'POST',
      headers: [token],
      body: `b=${ref('token')}`,
      assertions: {
        body_contains: ['nothing like it'],
        body_matches: '^never',
        headers: [
          { name: 'x-echo', equals: 'other' },
          { name: 'set-cookie', equals: 'other' },
        ],
        json: [{ path: '$.sent' }],
      },
    });
    expect(seen).toBe(`v=${VALUE};`);
    const told = JSON.stringify(measured);
    for (const form of [VALUE, VALUE.slice(0, 8), encodeURIComponent(VALUE), Buffer.from(VALUE).toString('base64').slice(4, 18)])
      expect(told).not.toContain(form);
    expect(told).toContain('[secret token]');
  });

  it('answers no question about itself: an expression sees the body without it', async () => {
    const url = asName(await servers.http(echo));
    const measured = await run(url, { headers: [token], assertions: { body_contains: [VALUE], body_matches: 'kZ8' } });
    expect(measured.assertions.map(({ passed }) => passed)).toEqual([true, false, false]);
  });

  it('is not sent where it is not bound to, and nothing is then', async () => {
    let asked = 0;
    const url = await servers.http((_request, response) => {
      asked += 1;
      response.end();
    });
    expect(await run(url, { headers: [token] })).toMatchObject({
      fault: 'secret',
      error: 'The secret token may not be sent to 127.0.0.1.',
      phases: {},
    });
    expect(await run(asName(url), { body: ref('other') })).toMatchObject({
      fault: 'secret',
      error: 'There is no secret other.',
    });
    expect(asked).toBe(0);
  });

  it('is not sent where another host would read it at the same address', async () => {
    let asked = 0;
    const count: http.RequestListener = (_request, response) => {
      asked += 1;
      response.end();
    };
    const refused = { fault: 'secret', error: 'The secret token may not be sent to other.example.' };
    const plain = asName(await servers.http(count));
    for (const value of ['other.example', 'other.example:8080'])
      expect(await run(plain, { headers: [token, { name: 'HOST', value }] })).toMatchObject(refused);
    const made = await createCertificates({ dns: ['localhost'], ip: [] });
    const secured = asName(await servers.https({ cert: made.cert, key: made.key }, count));
    const tls = { server_name: 'other.example', ca_pem: made.ca };
    expect(await run(secured, { headers: [token], tls }, 'https')).toMatchObject(refused);
    expect(await run(secured, { method: 'POST', body: ref('token'), tls }, 'https')).toMatchObject(refused);
    expect(asked).toBe(0);
    expect(await run(plain, { headers: [token, { name: 'host', value: 'localhost' }] })).toMatchObject({ success: true });
    expect(asked).toBe(1);
  });

  it('is not sent where any certificate would do', async () => {
    const made = await createCertificates({ dns: ['localhost'], ip: [] });
    let asked = 0;
    const secured = asName(
      await servers.https({ cert: made.cert, key: made.key }, (_request, response) => {
        asked += 1;
        response.end();
      }),
    );
    expect(await run(secured, { headers: [token], tls: { accept_invalid: true } }, 'https')).toMatchObject({
      fault: 'secret',
      error: 'A test that takes invalid certificates sends no secrets: anybody in between could read them.',
    });
    expect(asked).toBe(0);
    expect(await run(secured, { tls: { accept_invalid: true } }, 'https')).toMatchObject({ success: true });
  });

  it('answers no question about its beginning where the body is cut within it', async () => {
    // What is kept without an assertion ends at 64 KiB, and with one at 1 MiB.
    const cuts: [number, NonNullable<Params>['assertions'] & object][] = [
      [64 * 1024, {}],
      [1024 * 1024, { body_matches: 'kZ8$', body_contains: ['kZ8'] }],
    ];
    for (const [kept, assertions] of cuts) {
      const url = asName(
        await servers.http((request, response) =>
          response.end(`${'.'.repeat(kept - 3)}${String(request.headers['x-token']).slice(2)}${'.'.repeat(99)}`),
        ),
      );
      const measured = await run(url, { headers: [token], assertions });
      expect(measured.assertions.slice(1).map(({ passed }) => passed)).toEqual(Object.keys(assertions).map(() => false));
      expect(JSON.stringify(measured)).not.toContain('.kZ');
    }
  });

  it('is not in what JSON writes in a form of its own', async () => {
    const url = asName(
      await servers.http((request, response) => {
        const sent = String(request.headers['x-token']).slice(2, -1);
        const escaped = [...sent].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
        response.end(`{"key":"${escaped}"}`);
      }),
    );
    const json = [
      { path: '$.key', matches: '^kZ' },
      { path: '$', matches: 'kZ8' },
      { path: '$.key', equals: 'x' },
    ];
    const measured = await run(url, { headers: [token], assertions: { json } });
    expect(measured.assertions.slice(1).map(({ passed }) => passed)).toEqual([false, false, false]);
    expect(JSON.stringify(measured)).not.toContain(VALUE.slice(0, 6));
    expect(measured.evidence?.body_excerpt).toBe('{"key":"[secret token]"}');
  });

  it('with a key that would keep the runner for seconds is refused', async () => {
    const { generateKeyPairSync } = await import('node:crypto');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4608 });
    const made = await createCertificates({ dns: ['localhost'], ip: [] });
    const secured = asName(await servers.https({ cert: made.cert, key: made.key }, (_request, response) => response.end()));
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const params = { tls: { ca_pem: made.ca, client_certificate: 'token' } };
    const measured = await runTest(
      spec({ type: 'https', target: secured, params }),
      toolsWith({ resolveSecret: () => `${made.cert}${pem}` }),
    );
    expect(measured).toMatchObject({ fault: 'secret', error: 'The key of the secret token has 4608 bits; 4096 are possible.' });
  });

  it('that is named ever again grows to no more than a run may send', async () => {
    const url = await servers.http((_request, response) => response.end());
    const tools = toolsWith({ resolveSecret: () => 'x'.repeat(16_384) });
    const rssBefore = process.memoryUsage().rss;
    const body = ref('token').repeat(4000);
    const measured = await runTest(spec({ type: 'http', target: url, params: { method: 'POST', body } }), tools);
    expect(measured).toMatchObject({ fault: 'secret', error: 'The secrets that the test puts in come to more than 1 MiB.' });
    expect(process.memoryUsage().rss - rssBefore).toBeLessThan(60_000_000);
  });

  it('with an end of line in it forges no header', async () => {
    const url = await servers.http((_request, response) => response.end());
    const tools = toolsWith({ resolveSecret: () => 'abc\r\nX-Forged: yes' });
    const measured = await runTest(spec({ type: 'http', target: url, params: { headers: [token] } }), tools);
    expect(measured).toMatchObject({ fault: 'secret', error: expect.stringContaining('characters that no header may have') });
    expect(JSON.stringify(measured)).not.toContain('X-Forged');
  });
});

describe('a redirect with secrets', () => {
  const headers = [token, { name: 'Authorization', value: 'Basic bWU6cHc=' }, { name: 'X-Plain', value: 'stays' }];

  it('takes them to no other host, nor credentials', async () => {
    let seen: http.IncomingHttpHeaders = {};
    const other = await servers.http((request, response) => {
      seen = request.headers;
      response.end();
    });
    const first = asName(await servers.http((_request, response) => response.writeHead(307, { location: other }).end()));
    expect(await run(first, { headers })).toMatchObject({ success: true });
    expect(seen).toMatchObject({ 'x-plain': 'stays' });
    expect(seen).not.toHaveProperty('x-token');
    expect(seen).not.toHaveProperty('authorization');
    const posted = await run(first, { method: 'POST', body: `b=${ref('token')}` });
    expect(posted).toMatchObject({ fault: 'secret' });
  });

  it('takes them to another port of the host that they are bound to, and not from https to http', async () => {
    const seen: (string | undefined)[] = [];
    const last = await servers.http((request, response) => {
      seen.push(request.headers['x-token'] as string | undefined);
      response.end();
    });
    const first = asName(await servers.http((_request, response) => response.writeHead(302, { location: asName(last) }).end()));
    expect(await run(first, { headers })).toMatchObject({ success: true });
    const made = await createCertificates({ dns: ['localhost'], ip: [] });
    const secured = asName(
      await servers.https({ cert: made.cert, key: made.key }, (_request, response) =>
        response.writeHead(307, { location: asName(last) }).end(),
      ),
    );
    expect(await run(secured, { headers, tls: { ca_pem: made.ca } }, 'https')).toMatchObject({ success: true });
    const body = await run(secured, { method: 'POST', body: ref('token'), tls: { ca_pem: made.ca } }, 'https');
    expect(body).toMatchObject({ fault: 'secret', error: expect.stringContaining('from https to http') });
    expect(seen).toEqual([`v=${VALUE};`, undefined]);
  });
});
