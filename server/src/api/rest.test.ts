import Fastify, { type FastifyInstance } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { answerError } from '#edge';
import { AppError, type Ctx, parseTenantId } from '#kernel';
import { mountApi, permitted, router, signedIn } from './index.ts';

const Device = z.object({ id: z.string(), limit: z.number() });
const query = z.object({ limit: z.coerce.number().int().default(5) });
const reads = { rest: { method: 'GET', path: '/devices/:id', query, errors: ['not_found'] } } as const;

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
      .mutation(({ input }) => input),
    remove: permitted('agent.write', { rest: { method: 'DELETE', path: '/devices/:id', status: 204 } })
      .input(z.object({ id: z.string() }))
      .output(z.void())
      .mutation(() => undefined),
    csv: permitted('agent.read', { rest: { method: 'GET', path: '/devices.csv', contentType: 'text/csv' } })
      .input(z.object({}))
      .output(z.string())
      .query(() => 'name\r\n"a"\r\n'),
  },
  me: signedIn.output(z.object({ id: z.string() })).query(({ ctx }) => ({ id: ctx.principal.id })),
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
