import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answerError } from '#edge';
import { type Ctx, parseTenantId } from '#kernel';
import { mountApi, permitted, router } from './index.ts';

const Rows = z.object({ items: z.array(z.string()) });
const rows = (count: number): string[] => Array.from({ length: count }, (_, index) => `device ${index} of the fleet`);
const counted = z.object({ count: z.coerce.number().int() });

const routes = router({
  rows: permitted('agent.read', { rest: { method: 'GET', path: '/rows', query: counted } })
    .input(z.object({ count: z.number().int() }))
    .output(Rows)
    .query(({ input }) => ({ items: rows(input.count) })),
  csv: permitted('agent.read', { rest: { method: 'GET', path: '/rows.csv', contentType: 'text/csv' } })
    .input(z.object({}))
    .output(z.string())
    .query(() => rows(500).join('\r\n')),
  create: permitted('agent.write', { rest: { method: 'POST', path: '/tokens', status: 201 } })
    .input(z.object({ name: z.string() }))
    .output(Rows)
    .mutation(({ input }) => ({ items: [input.name, ...rows(500)] })),
});

const ctx: Ctx = {
  requestId: 'r',
  principal: { kind: 'account', id: 'p1', tenant: parseTenantId('default'), permissions: new Set(['agent.read', 'agent.write']) },
};

let app: FastifyInstance;
beforeEach(async () => {
  app = Fastify({ logger: false });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);
  app.decorateRequest('principalCtx', undefined);
  const base = { version: '0.1.0', publicUrl: 'https://svc.test', sessionCookie: 'svc_session' };
  await mountApi(app, { ...base, router: routes, resolveRequest: async () => ctx });
});
afterEach(async () => {
  await app.close();
});

const get = async (url: string, coding: string) => await app.inject({ url, headers: { 'accept-encoding': coding } });
const trpc = (count: number): string => `/trpc/rows?input=${encodeURIComponent(JSON.stringify({ count }))}`;
const expand = { br: brotliDecompressSync, gzip: gunzipSync } as const;

describe('an answer to a read', () => {
  it.each([
    ['br, gzip', 'br', 200],
    ['gzip', 'gzip', 200],
    ['gzip, deflate, br, zstd', 'br', 5000],
    ['gzip', 'gzip', 5000],
  ] as const)('goes out for "%s" as %s (%i rows), once, and is what it was', async (accepted, coding, count) => {
    for (const url of [`/v1/rows?count=${count}`, trpc(count)]) {
      const plain = await get(url, 'identity');
      const packed = await get(url, accepted);
      expect([packed.headers['content-encoding'], packed.headers.vary]).toEqual([
        coding,
        expect.stringContaining('accept-encoding'),
      ]);
      expect(packed.headers['content-type']).toBe(plain.headers['content-type']);
      expect(expand[coding](packed.rawPayload).toString()).toBe(plain.body);
      expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3);
    }
  });

  it('that is a CSV is compressed as well', async () => {
    const packed = await get('/v1/rows.csv', 'br');
    expect(packed.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(packed.rawPayload).toString()).toContain('device 499');
  });

  it('stays as it is below 1 KiB and for a client that takes no coding', async () => {
    for (const answer of [await get('/v1/rows?count=3', 'br'), await get(trpc(3), 'br'), await get(trpc(500), 'identity')]) {
      expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([200, undefined]);
      expect(answer.body).toContain('device 2');
    }
  });

  it('stays as it is when too many large ones are under way, and none is lost', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => get('/v1/rows?count=20000', 'gzip')));
    const packed = answers.filter(({ headers }) => headers['content-encoding'] === 'gzip');
    expect(packed).toHaveLength(8);
    expect(
      new Set(
        answers.map(({ headers, rawPayload, body }) => (headers['content-encoding'] ? gunzipSync(rawPayload).toString() : body)),
      ),
    ).toHaveLength(1);
    expect((await get('/v1/rows?count=20000', 'gzip')).headers['content-encoding']).toBe('gzip');
  });
});

it('an answer to a change is never compressed: a secret may stand in it beside what the request said', async () => {
  const json = { name: 'ci' };
  const headers = { 'accept-encoding': 'br, gzip' };
  for (const url of ['/v1/tokens', '/trpc/create']) {
    const answer = await app.inject({ method: 'POST', url, headers, payload: json });
    expect([answer.headers['content-encoding'], answer.body]).toEqual([undefined, expect.stringContaining('device 499')]);
  }
});

it('errors keep their status, and the stream of a batch its way', async () => {
  const refused = await get('/trpc/nothing', 'br');
  expect(refused.statusCode).toBe(404);
  const streamed = await app.inject({
    url: `/trpc/rows,rows?batch=1&input=${encodeURIComponent(JSON.stringify({ 0: { count: 500 }, 1: { count: 500 } }))}`,
    headers: { 'accept-encoding': 'br', 'trpc-accept': 'application/jsonl' },
  });
  expect([streamed.statusCode, streamed.headers['content-encoding']]).toEqual([200, undefined]);
  expect(streamed.body).toContain('device 499');
});
