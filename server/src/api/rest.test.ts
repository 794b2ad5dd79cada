import { setTimeout as sleep } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answerError } from '#edge';
import { AppError, type Ctx, endOfReading, parseTenantId } from '#kernel';
import { mountApi, permitted, router, signedIn } from './index.ts';

const Device = z.object({ id: z.string(), limit: z.number() });
const query = z.object({ limit: z.coerce.number().int().default(5) });
const reads = { rest: { method: 'GET', path: '/devices/:id', query, errors: ['not_found'] } } as const;

const exporting = { now: 0, most: 0 };
/** What stores are told about the end of each call. */
let ends: (AbortSignal | undefined)[] = [];

const routes = router({
  device: {
    get: permitted('agent.read', reads)
      .input(z.object({ id: z.string(), limit: z.number().int().default(5) }))
      .output(Device)
      .query(({ input, ctx }) => {
        if (input.id === 'gone') throw new AppError('not_found', 'No such device.');
        if (input.id === 'boom') throw new Error('secret detail');
        return { ...input, tenant: ctx.principal.tenant };
      }),
    create: permitted('agent.write', { rest: { method: 'POST', path: '/devices', status: 201 } })
      .input(z.object({ name: z.string().min(2) }))
      .output(z.object({ name: z.string() }))
      .mutation(({ input }) => {
        ends.push(endOfReading());
        return input;
      }),
    remove: permitted('agent.write', { rest: { method: 'DELETE', path: '/devices/:id', status: 204 } })
      .input(z.object({ id: z.string() }))
      .output(z.void())
      .mutation(() => undefined),
    csv: permitted('agent.read', { rest: { method: 'GET', path: '/devices.csv', contentType: 'text/csv' } })
      .input(z.object({}))
      .output(z.string())
      .query(async () => {
        exporting.now += 1;
        exporting.most = Math.max(exporting.most, exporting.now);
        await sleep(20);
        exporting.now -= 1;
        return 'name\r\n"a"\r\n';
      }),
  },
  me: signedIn.output(z.object({ id: z.string() })).query(async ({ ctx }) => {
    await sleep(1);
    ends.push(endOfReading());
    return { id: ctx.principal.id };
  }),
});

const person = (permissions: readonly ('agent.read' | 'agent.write')[]): Ctx => ({
  requestId: 'r',
  principal: { kind: 'account', id: 'p1', tenant: parseTenantId('default'), permissions: new Set(permissions) },
});

const open: FastifyInstance[] = [];
async function serve(ctx: Ctx | undefined): Promise<FastifyInstance> {
  const app = Fastify({ logger: false });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(answerError);
  app.decorateRequest('principalCtx', undefined);
  await mountApi(app, {
    router: routes,
    version: '1.2.3',
    publicUrl: 'https://localhost:8443',
    sessionCookie: '__Host-svc_session_a1b2c3',
    resolveRequest: async () => ctx,
  });
  await app.ready();
  open.push(app);
  return app;
}

afterEach(async () => {
  for (const app of open.splice(0)) await app.close();
});

describe('one procedure as REST and tRPC', () => {
  it('takes path and query and strips what its output does not name', async () => {
    const app = await serve(person(['agent.read']));
    const answer = await app.inject({ url: '/v1/devices/d1?limit=7' });
    expect(answer.json()).toEqual({ id: 'd1', limit: 7 });
  });

  it('answers 201 with the object and 204 with nothing', async () => {
    const app = await serve(person(['agent.write']));
    const made = await app.inject({ method: 'POST', url: '/v1/devices', payload: { name: 'ab' } });
    expect([made.statusCode, made.json()]).toEqual([201, { name: 'ab' }]);
    const removed = await app.inject({ method: 'DELETE', url: '/v1/devices/d1' });
    expect([removed.statusCode, removed.body]).toEqual([204, '']);
  });

  it('makes one export of a tenant at a time, and refuses what would wait behind four', async () => {
    const app = await serve(person(['agent.read']));
    exporting.most = 0;
    const answers = await Promise.all(Array.from({ length: 7 }, () => app.inject({ url: '/v1/devices.csv' })));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const refused = answers.find(({ statusCode }) => statusCode === 429);
    expect([refused?.json(), refused?.headers['retry-after']]).toMatchObject([{ code: 'rate_limited' }, '1']);
    expect(exporting.most).toBe(1);
    const overBoth = ['/v1/devices.csv', '/trpc/device.csv?input=%7B%7D', '/trpc/device.csv?input=%7B%7D', '/v1/devices.csv'];
    const made = await Promise.all(overBoth.map((url) => app.inject({ url })));
    expect(made.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect(exporting.most).toBe(1);
    expect((await app.inject({ url: '/v1/devices.csv' })).statusCode).toBe(200);
  });

  it('tells stores when a request that reads ends, and leaves a change to its transaction', async () => {
    const { signal } = new AbortController();
    const app = await serve({ ...person(['agent.write']), ended: signal });
    ends = [];
    expect((await app.inject({ url: '/trpc/me' })).statusCode).toBe(200);
    expect((await app.inject({ method: 'POST', url: '/v1/devices', payload: { name: 'ab' } })).statusCode).toBe(201);
    expect(ends).toEqual([signal, undefined]);
  });

  it('names every fault of the input', async () => {
    const app = await serve(person(['agent.read']));
    const answer = await app.inject({ url: '/v1/devices/d1?limit=x' });
    expect(answer.json()).toMatchObject({ status: 400, code: 'validation', errors: [{ path: 'limit' }] });
  });

  it.each([
    ['nobody', undefined, 401, 'unauthorized'],
    ['somebody without the permission', person(['agent.write']), 403, 'forbidden'],
  ] as const)('refuses %s on both surfaces', async (...[, ctx, status, code]) => {
    const app = await serve(ctx);
    expect((await app.inject({ url: '/v1/devices/d1' })).json()).toMatchObject({ status, code });
    const input = encodeURIComponent(JSON.stringify({ id: 'd1' }));
    const viaTrpc = await app.inject({ url: `/trpc/device.get?input=${input}` });
    expect([viaTrpc.statusCode, viaTrpc.json().error.data.appCode]).toEqual([status, code]);
  });

  it('answers 401 before it looks at what was sent, on both surfaces', async () => {
    const app = await serve(undefined);
    const requests = [
      { url: '/v1/devices/d1?limit=x' },
      { method: 'POST', url: '/v1/devices', payload: '{"name":', headers: { 'content-type': 'application/json' } },
      { method: 'POST', url: '/v1/devices', payload: '<a/>', headers: { 'content-type': 'application/xml' } },
      { url: '/trpc/device.get?input=%7B' },
      { url: '/trpc/nothing' },
      { url: `/trpc/${Array.from({ length: 30 }, () => 'me').join(',')}?batch=1` },
      { method: 'POST', url: '/trpc/device.create', payload: '{', headers: { 'content-type': 'application/json' } },
    ] as const;
    const statuses = await Promise.all(requests.map(async (request) => (await app.inject({ ...request })).statusCode));
    expect(statuses).toEqual(requests.map(() => 401));
  });

  it('answers 403 before it looks at what was sent', async () => {
    const app = await serve(person(['agent.write']));
    expect((await app.inject({ url: '/v1/devices/d1?limit=x' })).json()).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it('takes batches of 10 calls at most, however their commas are written, and JSON alone', async () => {
    const app = await serve(person(['agent.read', 'agent.write']));
    const batch = (calls: number, comma = ',') => `/trpc/${Array.from({ length: calls }, () => 'me').join(comma)}?batch=1`;
    expect((await app.inject({ url: batch(10) })).json()).toHaveLength(10);
    const refused = await app.inject({ url: batch(11) });
    expect([refused.statusCode, refused.json()[0].error.data.appCode]).toEqual([413, 'too_large']);
    expect((await app.inject({ url: batch(2, '%252C') })).statusCode).toBe(404);
    const form = { 'content-type': 'multipart/form-data; boundary=x' };
    const posted = await app.inject({ method: 'POST', url: '/trpc/device.create', headers: form, payload: '--x--' });
    expect([posted.statusCode, posted.json().error.data.appCode]).toEqual([400, 'bad_request']);
  });

  it('keeps our codes and hides what is not ours', async () => {
    const app = await serve(person(['agent.read']));
    expect((await app.inject({ url: '/v1/devices/gone' })).json()).toMatchObject({
      status: 404,
      code: 'not_found',
      detail: 'No such device.',
    });
    const boom = await app.inject({ url: '/v1/devices/boom' });
    expect(boom.json()).toMatchObject({ status: 500, code: 'internal' });
    const input = encodeURIComponent(JSON.stringify({ id: 'boom' }));
    const viaTrpc = await app.inject({ url: `/trpc/device.get?input=${input}` });
    expect(boom.body + viaTrpc.body).not.toContain('secret');
  });

  it('does not let a REST call change how tRPC parses (no coercion in shared schemas)', async () => {
    const app = await serve(person(['agent.read']));
    await app.inject({ url: '/v1/devices/d1?limit=7' });
    const input = encodeURIComponent(JSON.stringify({ id: 'd1', limit: '7' }));
    expect((await app.inject({ url: `/trpc/device.get?input=${input}` })).statusCode).toBe(400);
  });

  it('answers text as text', async () => {
    const app = await serve(person(['agent.read']));
    const answer = await app.inject({ url: '/v1/devices.csv' });
    expect([answer.headers['content-type'], answer.body]).toEqual([expect.stringContaining('text/csv'), 'name\r\n"a"\r\n']);
  });

  it('publishes an OpenAPI 3.1 document of its routes, without a session', async () => {
    const app = await serve(undefined);
    const document = (await app.inject({ url: '/v1/openapi.json' })).json();
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths).sort()).toEqual(['/v1/devices', '/v1/devices.csv', '/v1/devices/{id}']);
    expect(document.paths['/v1/devices/{id}'].get.responses['404'].content['application/problem+json']).toBeDefined();
    expect(document.paths['/v1/devices/{id}'].get.operationId).toBe('device_get');
    expect((await app.inject({ url: '/docs/api/' })).statusCode).toBe(200);
  });
});
