import { expect } from 'vitest';
import { ask } from '../harness/ask.ts';
import { attack } from '../harness/attack.ts';

/** As many as one request may hold. */
const BATCH = 10;

attack({
  name: 'calls of a tRPC batch count one by one',
  surfaces: ['listener SVC_LISTEN_ADDR'],
  cost: 'short',
  async run(ground) {
    // Of a role that no other attack needs its budget of.
    const made = await ground.api('/v1/tokens', {
      token: ground.hostile.tokens.admin,
      json: { name: 'batch', roles: ['viewer'] },
    });
    const { secret } = JSON.parse(made.body) as { secret: string };
    const path = `/trpc/${Array(BATCH).fill('identity.me').join(',')}?batch=1&input=${encodeURIComponent(
      JSON.stringify(Object.fromEntries(Array.from({ length: BATCH }, (_, i) => [i, {}]))),
    )}`;
    let calls = 0;
    for (let i = 0; i < 80; i += 1) {
      const { status, body } = await ground.api(path, { token: secret });
      if (status === 200 || status === 207) calls += (body.match(/"result"/g) ?? []).length;
    }
    expect({ withinBudget: calls <= 600 + BATCH, calls }).toEqual({ withinBudget: true, calls });
  },
});

attack({
  name: 'who has no credential is told so before the request is read: 401 and never 400 or 413',
  surfaces: ['listener SVC_LISTEN_ADDR'],
  cost: 'short',
  async run(ground) {
    const large = `"${'a'.repeat(1_100_000)}"`;
    const tries: [string, Parameters<typeof ground.api>[1]][] = [
      ['/v1/endpoints?limit=not-a-number', {}],
      ['/v1/otlp/logs?severity=99', {}],
      ['/v1/tokens', { method: 'POST', body: '{"broken":', headers: { 'content-type': 'application/json' } }],
      ['/v1/tokens', { method: 'POST', body: '<a/>', headers: { 'content-type': 'application/xml' } }],
      ['/v1/tokens', { method: 'POST', json: { roles: 'no list' } }],
      ['/v1/agent-policy', { method: 'PUT', json: {} }],
      ['/v1/tokens', { method: 'POST', body: large, headers: { 'content-type': 'application/json' } }],
      [
        '/trpc/identity.members.setRoles',
        { method: 'POST', body: '{"broken":', headers: { 'content-type': 'application/json' } },
      ],
      ['/trpc/logs.list?input=%7Bbroken', {}],
    ];
    const surprises: string[] = [];
    for (const [path, request] of tries) {
      const { status } = await ground.api(path, request);
      // A large body may be cut off while it is still written.
      if (status !== 401 && !(request?.body === large && status === 0)) surprises.push(`${path}: ${status}`);
    }
    expect(surprises).toEqual([]);
  },
});

attack({
  name: 'headers that are too large are refused with a problem document, and many of them from one address are limited',
  surfaces: ['listener SVC_LISTEN_ADDR'],
  cost: 'short',
  async run(ground) {
    const answer = await ground.api('/v1/me', { headers: { 'x-large': 'y'.repeat(40_000) } });
    expect(answer.status).toBe(431);
    expect(String(answer.headers['content-type'])).toContain('application/problem+json');
    expect(JSON.parse(answer.body)).toMatchObject({ status: 431 });
  },
});

attack({
  name: 'a flood without a credential is limited before its bodies are parsed',
  surfaces: ['listener SVC_LISTEN_ADDR'],
  cost: 'short',
  async run(ground) {
    const from = '127.9.9.9';
    let limited = 0;
    for (let i = 0; i < 70; i += 1) {
      const turn = await Promise.all(
        Array.from({ length: 10 }, () =>
          ground.api('/v1/tokens', { from, method: 'POST', body: '{"broken":', headers: { 'content-type': 'application/json' } }),
        ),
      );
      limited += turn.filter(({ status }) => status === 429).length;
    }
    expect({ limited: limited > 0 }).toEqual({ limited: true });
  },
});

attack({
  name: 'security.txt and problems name only pages that are there',
  surfaces: ['GET /.well-known/security.txt', 'GET /docs/security', 'GET /docs/errors'],
  cost: 'short',
  async run(ground) {
    const { body } = await ground.api('/.well-known/security.txt');
    const links = [...body.matchAll(/^(\w[\w-]*): (https:\S+)$/gm)].map((match) => match[2] ?? '');
    expect(links.length).toBeGreaterThan(0);
    const problem = JSON.parse((await ground.api('/v1/nowhere')).body) as { type: string };
    links.push(new URL(problem.type, links[0]).href);
    for (const link of links) {
      const { pathname } = new URL(link);
      expect({ link, status: (await ground.api(pathname)).status }).toEqual({ link, status: 200 });
    }
  },
});

attack({
  name: 'paths that climb out of a folder find nothing',
  surfaces: ['GET /*', 'GET /agent/releases/:ring/:feed', 'GET /agent/releases/:ring/files/:version/:name'],
  cost: 'short',
  async run(ground) {
    const climbs = [
      '../'.repeat(8),
      '..%2f'.repeat(8),
      '%2e%2e/'.repeat(8),
      '....//'.repeat(8),
      '..%5c'.repeat(8),
      '..%252f'.repeat(8),
    ];
    const folders = ['/assets/', '/docs/api/static/', '/agent/releases/main/', '/agent/releases/main/files/1.0.0/', '/'];
    for (const folder of folders)
      for (const climb of climbs) {
        const { body } = await ask(ground.doors.https, `${folder}${climb}etc/passwd`);
        expect({ folder, climb, found: /root:.*:0:0:/.test(body) }).toEqual({ folder, climb, found: false });
      }
  },
});
