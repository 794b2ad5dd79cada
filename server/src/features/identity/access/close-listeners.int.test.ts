import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminOf, call, startTestServer, type TestServer } from '../../sign-in/test-server.ts';

let server: TestServer;
const warnings: string[] = [];
const keep = ({ message }: Error) => warnings.push(message);
beforeAll(async () => {
  process.on('warning', keep);
  server = await startTestServer();
});
afterAll(async () => {
  process.off('warning', keep);
  await server.close();
});

test('a large answer that is compressed, to a session or an API token, makes Node warn of no leak', async () => {
  const browser = await adminOf(server, 'warned');
  const made = await call<{ secret: string }>(browser, 'identity.tokens.mint', { name: 'x', roles: ['viewer'] });
  expect(made.status).toBe(200);
  const input = encodeURIComponent(JSON.stringify({ times: 20_000 }));
  for (const authorization of ['', `Bearer ${made.data.secret}`])
    for (const path of [`/trpc/things.repeat?input=${input}`, '/v1/repeat?times=20000']) {
      const answer = await browser.ask(path, { headers: { authorization, 'accept-encoding': 'br' } });
      expect([answer.status, answer.headers['content-encoding']]).toEqual([200, 'br']);
    }
  expect(warnings).toEqual([]);
});
