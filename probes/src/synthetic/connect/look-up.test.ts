import http from 'node:http';
import { Measured } from '@svc/contracts/tests/run-report';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { runTest } from '../run-test.ts';
import { createTargetGuard } from '../safety/target-guard.ts';
import { type Answerer, answerA, startNameServer } from '../testing/name-server.ts';
import { createServers, spec, toolsWith } from '../testing/servers.ts';
import { addressThatFailed } from './dial.ts';

const servers = createServers();
afterAll(() => servers.close());
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function resolveWith(answer: Answerer): Promise<string[]> {
  const server = await startNameServer(answer);
  closing.push(server.close);
  return [server.address];
}
/** Loopback but for 127.0.0.66. */
const guard = createTargetGuard({ allow: ['127.0.0.0/26'] });
const run = async (target: string, tools: object, timeout_seconds = 2) =>
  Measured.parse(await runTest(spec({ type: 'http', target, timeout_seconds }), toolsWith({ guard, ...tools })));

describe('a name that changes its mind', () => {
  it('is asked once for each connection, and what was checked is what is dialled', async () => {
    let asked = 0;
    const resolvers = await resolveWith((query, send) => {
      if (query.questions?.[0]?.type === 'A') asked += 1;
      send(answerA(query, asked === 1 ? ['127.0.0.1'] : ['127.0.0.66']));
    });
    const url = (
      await servers.http((request, response) =>
        request.url === '/' ? response.writeHead(302, { location: '/again' }).end() : response.end('reached'),
      )
    ).replace('127.0.0.1', 'turning.example');
    const straight = await run(`${url}/ok`, { resolvers });
    expect(straight).toMatchObject({ success: true, address: '127.0.0.1' });
    expect(asked).toBe(1);
    asked = 0;
    const turned = await run(`${url}/`, { resolvers });
    expect(turned).toMatchObject({
      fault: 'target_refused',
      error: expect.stringMatching(/turning\.example is at an address that is refused: 127\.0\.0\.66/),
    });
    expect(asked).toBe(2);
  });

  it('reaches the permitted of its addresses only', async () => {
    const resolvers = await resolveWith((query, send) => send(answerA(query, ['169.254.169.254', '127.0.0.66', '127.0.0.1'])));
    const url = (await servers.http((_request, response) => response.end('reached'))).replace('127.0.0.1', 'many.example');
    expect(await run(url, { resolvers })).toMatchObject({ success: true, address: '127.0.0.1' });
  });

  it('has 16 addresses that are tried, however many there are', async () => {
    const many = Array.from({ length: 60 }, (_, i) => `127.0.0.${i + 2}`);
    const resolvers = await resolveWith((query, send) => send(answerA(query, [...many.slice(0, 30), '127.0.0.1'])));
    const url = (await servers.http((_request, response) => response.end('reached'))).replace('127.0.0.1', 'many.example');
    expect(await run(url, { resolvers })).toMatchObject({ success: false, fault: 'refused' });
  });

  it('takes the next address where one refuses, and either family', async () => {
    const resolvers = await resolveWith((query, send) => send(answerA(query, ['127.0.0.2', '127.0.0.1'])));
    const url = (await servers.http((_request, response) => response.end('reached'))).replace('127.0.0.1', 'next.example');
    expect(await run(url, { resolvers })).toMatchObject({ success: true, address: '127.0.0.1' });
    const v6 = await servers.listen(
      http.createServer((_request, response) => response.end('six')),
      '::1',
    );
    expect(await run(`http://localhost:${v6}/`, { guard: createTargetGuard({ allow: ['127.0.0.0/8', '::1'] }) })).toMatchObject({
      success: true,
      address: '::1',
      figures: { 'ip.version': 6 },
    });
  });

  it('is refused without any packet where no address is permitted', async () => {
    const resolvers = await resolveWith((query, send) => send(answerA(query, ['169.254.169.254'])));
    const measured = await run('http://rebound.example/', { resolvers });
    expect(measured).toMatchObject({ fault: 'target_refused', error: expect.stringContaining('credentials') });
    expect(measured.phases).not.toHaveProperty('connect');
  });

  it.each([
    'http://169.254.169.254/',
    'http://[::ffff:169.254.169.254]/',
    'http://0x7f000042/',
    'http://0177.0.0.66/',
    'http://2130706498/',
    'http://[::]/',
    'http://0/',
  ])('is refused as %s', async (target) => expect(await run(target, {})).toMatchObject({ fault: 'target_refused', phases: {} }));

  it('is refused where a redirect leads there', async () => {
    const url = await servers.http((_request, response) =>
      response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end(),
    );
    const measured = await run(url, {});
    expect(measured).toMatchObject({ fault: 'target_refused', figures: { redirects: 1 } });
  });
});

describe('name servers', () => {
  it('that say no, fail, lie about the id or are silent are told apart', async () => {
    const none = await resolveWith((query, send) => send(answerA(query, [])));
    expect(await run('http://none.example/', { resolvers: none })).toMatchObject({ fault: 'name_not_found' });
    const failing = await resolveWith((query, send) => {
      const reply = answerA(query, []);
      reply[3] = ((reply[3] ?? 0) & 0xf0) | 2;
      send(reply);
    });
    expect(await run('http://failing.example/', { resolvers: failing })).toMatchObject({ fault: 'name_unresolved' });
    const lying = await resolveWith((query, send) => send(answerA({ ...query, id: (query.id ?? 0) ^ 1 }, ['127.0.0.1'])));
    expect(await run('http://lying.example/', { resolvers: lying }, 1)).toMatchObject({ fault: 'name_unresolved' });
    const silent = await resolveWith(() => undefined);
    const measured = await run('http://silent.example/', { resolvers: silent }, 1);
    expect(measured).toMatchObject({ fault: 'name_unresolved', error: 'No name server gave an answer within 1 s.' });
    expect(measured.phases.dns).toBeGreaterThan(900);
  });

  it('that are silent for one test make no other wait', async () => {
    const silent = await resolveWith(() => undefined);
    const url = (await servers.http((_request, response) => response.end())).replace('127.0.0.1', 'localhost');
    const stuck = Array.from({ length: 30 }, (_, i) => run(`http://stuck-${i}.example/`, { resolvers: silent }, 1));
    const free = await run(url, {});
    expect(free).toMatchObject({ success: true });
    expect(free.phases.dns).toBeLessThan(200);
    await Promise.all(stuck);
  });
});

it('names the address whose failure is told, which is not always the last one', () => {
  const tries = (...errors: string[]) => errors.map((error, i) => ({ family: 4 as const, atMs: i * 250, error }));
  const two = ['198.51.100.1', '198.51.100.2'];
  // The second one refuses at once, and of the first one it is known later that there is no way to it.
  expect(addressThatFailed(two, tries('EHOSTUNREACH', 'ECONNREFUSED'), 'EHOSTUNREACH')).toBe('198.51.100.1');
  expect(addressThatFailed(two, tries('ECONNREFUSED', 'ECONNREFUSED'), 'ECONNREFUSED')).toBe('198.51.100.2');
  expect(addressThatFailed(two, [], 'EUNKNOWN')).toBe('198.51.100.2');
});
