import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { parseTenantId, Secret } from '#kernel';
import { createOutbound } from '#outbound';
import { createTenant } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import type { ModelConfig } from './config.ts';
import { createModels } from './index.ts';

/** A server that speaks as models' servers do, on this machine's loopback. */

const ACME = parseTenantId('acme');
const log = pino({ level: 'silent' });
const KEY = 'sk-test-0123456789abcdef';

let database: TestDatabase;
let server: http.Server;
let answer: (response: http.ServerResponse, body: Record<string, unknown>) => void;
const seen: { path: string; headers: http.IncomingHttpHeaders; body: Record<string, unknown> }[] = [];

const completion = (content: string) => ({
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
});
const message = (text: string) => ({
  ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null },
  content: [{ type: 'text', text }],
  usage: { input_tokens: 100, output_tokens: 20 },
});
const send = (response: http.ServerResponse, body: object): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

beforeAll(async () => {
  database = await createTestDatabase();
  await createTenant(database.relational, { id: ACME, name: 'acme' });
  server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString() || '{}') as Record<string, unknown>;
      seen.push({ path: request.url ?? '', headers: request.headers, body });
      answer(response, body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await database?.close();
});
beforeEach(async () => {
  seen.length = 0;
  answer = (response) => send(response, completion('{"said":"It is the deploy."}'));
  await database.relational.withTenantSql(ACME, (sql) => sql.query('DELETE FROM model_usage'));
});

const schema = z.object({ said: z.string() });
const question = { system: 'Explain.', prompt: 'BEGIN', maxOutputTokens: 500 };

function open(
  {
    allow = [`127.0.0.1:${(server.address() as AddressInfo).port}`],
    consent = false,
    ...config
  }: Partial<ModelConfig> & { allow?: string[]; consent?: boolean } = {},
  relational = database.relational,
) {
  const withdrawing = new AbortController();
  const slice = createModels({
    relational,
    outbound: createOutbound({ allow, log }),
    config: {
      ...{ provider: 'openai_compatible', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, model: 'm' },
      ...{ key: new Secret(KEY), structured: true, timeoutSeconds: 5, tokensPerDay: 10_000, secondsPerDay: 60 },
      ...config,
    },
    mayLeave: async () => consent,
    whileConsented: async (_, work) => await work(withdrawing.signal),
    clock: { now: Date.now },
    log,
  });
  return {
    slice,
    withdraw: () => withdrawing.abort(),
    ask: (more: object = {}) => slice.ask(ACME, { question, schema, ...more }),
  };
}

const used = async () =>
  (
    await database.relational.withTenantSql(ACME, (sql) =>
      sql.query('SELECT calls, tokens::int AS tokens, busy_ms::int AS busy FROM model_usage'),
    )
  ).rows[0];

test('a model of this machine is asked without consent, once, with a schema and without a tool', async () => {
  const { ask, slice } = open();
  expect(await slice.describe(ACME)).toMatchObject({ isLocal: true, mayAsk: true });
  expect(await ask()).toEqual({ said: 'It is the deploy.' });
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${KEY}` },
    body: { model: 'm', max_tokens: 500 },
  });
  expect(seen[0]?.body).not.toHaveProperty('tools');
  expect(JSON.stringify(seen[0]?.body.response_format)).toContain('"said"');
  expect(await used()).toMatchObject({ calls: 1, tokens: 120 });
});

test('Anthropic is asked in its own way', async () => {
  answer = (response) => send(response, message('{"said":"It is the deploy."}'));
  expect(await open({ provider: 'anthropic' }).ask()).toEqual({ said: 'It is the deploy.' });
  expect(seen[0]).toMatchObject({ path: '/v1/messages', headers: { 'x-api-key': KEY }, body: { max_tokens: 500 } });
});

test('a model elsewhere is not asked without consent, and nothing is asked where none is configured', async () => {
  const elsewhere = { url: 'https://models.invalid/v1' };
  await expect(open(elsewhere).ask()).rejects.toMatchObject({ code: 'egress_denied' });
  // Loopback that the operator did not name is no local model.
  await expect(open({ allow: [] }).ask()).rejects.toMatchObject({ code: 'egress_denied' });
  await expect(open({ ...elsewhere, consent: true }).ask()).rejects.toMatchObject({ code: 'unavailable' });
  await expect(open({ allow: [], consent: true }).ask()).rejects.toMatchObject({ code: 'unavailable' });
  await expect(open({ provider: undefined }).ask()).rejects.toMatchObject({ code: 'unavailable' });
  expect(await open({ provider: undefined }).slice.describe(ACME)).toBeUndefined();
  expect(seen).toEqual([]);
});

test.each<[string, typeof answer]>([
  ['answers garbage', (response) => send(response, completion('Sure! Here is what I think.'))],
  ['answers another shape', (response) => send(response, completion('{"told":1}'))],
  [
    'answers HTML with 200',
    (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>asleep</html>'),
  ],
  ['refuses', (response) => void response.writeHead(401).end('{"error":{"message":"no"}}')],
  ['is overloaded', (response) => void response.writeHead(529).end('{}')],
  ['redirects', (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['ends the connection', (response) => void response.socket?.destroy()],
  [
    'answers 200 MB',
    (response) => {
      const part = 'x'.repeat(65_536);
      const more = (): void => void (response.destroyed || response.write(part, () => setImmediate(more)));
      more();
    },
  ],
])('a model that %s gave no answer, is asked once, and costs what was sent', async (_words, behaviour) => {
  answer = behaviour;
  await expect(open().ask()).rejects.toMatchObject({ code: 'unavailable' });
  expect(seen).toHaveLength(1);
  expect(await used()).toMatchObject({ calls: 1, tokens: 7 });
});

test('a model that hangs is given up at its time, with its caller, and with the consent', async () => {
  answer = () => undefined;
  await expect(open({ timeoutSeconds: 1 }).ask()).rejects.toMatchObject({ code: 'unavailable' });
  const caller = new AbortController();
  setTimeout(() => caller.abort(), 200);
  await expect(open().ask({ signal: caller.signal })).rejects.toMatchObject({ code: 'unavailable' });
  const startedMs = performance.now();
  const port = (server.address() as AddressInfo).port;
  // A host that is allowed by name is not this machine's own by its address alone.
  const remote = open({ allow: ['10.0.0.0/8'], consent: true, url: `http://127.0.0.1:${port}/v1` });
  const asking = remote.ask();
  remote.withdraw();
  await expect(asking).rejects.toMatchObject({ code: 'unavailable' });
  expect(performance.now() - startedMs).toBeLessThan(3000);
});

test('a tenant has so many tokens and seconds of a day, over all that ask at once', async () => {
  const { ask } = open({ tokensPerDay: 1100 });
  // Nobody is answered, and gives back what is left, before all have taken theirs.
  const refused = Promise.withResolvers<void>();
  let refusals = 0;
  answer = (response) => void refused.promise.then(() => send(response, completion('{"said":"It is the deploy."}')));
  const asking = [ask(), ask(), ask(), ask()];
  for (const one of asking) one.catch(() => ++refusals === 2 && refused.resolve());
  const told = await Promise.allSettled(asking);
  expect(told.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  expect(told.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'rate_limited' } });
  expect(await used()).toMatchObject({ calls: 2, tokens: 240 });
  await expect(open({ secondsPerDay: 10, timeoutSeconds: 11 }).ask()).rejects.toMatchObject({ code: 'rate_limited' });
});

test('an answer is not lost to a database that is away when its share is settled, and the reservation stays', async () => {
  const away = {
    ...database.relational,
    withSystemSql: async () => {
      throw new Error('the database is away');
    },
  };
  expect(await open({}, away).ask()).toEqual({ said: 'It is the deploy.' });
  expect(await used()).toMatchObject({ calls: 1, tokens: expect.any(Number) });
  expect(((await used()) as { tokens: number }).tokens).toBeGreaterThan(120);
});
