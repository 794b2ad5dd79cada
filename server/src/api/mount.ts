import type { ServerResponse } from 'node:http';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { AnyTRPCRouter } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { type HttpEdge, nobody, readAuthorization } from '#edge';
import type { Ctx } from '#kernel';
import { compressReads } from './compress.ts';
import { mountRest } from './rest.ts';
import { countCalls, mountTrpc } from './trpc.ts';

/** Mounts routes that speak for the procedures in a protocol of their own. */
export type Face = (scope: FastifyInstance, router: AnyTRPCRouter) => void;

export interface ApiDeps {
  router: AnyTRPCRouter;
  version: string;
  publicUrl: string;
  /** Name of the session cookie, which differs from one instance to another on the same host. */
  sessionCookie: string;
  /** Who sent the request, from its session cookie or bearer token; undefined for nobody. Rejects a state change from another origin. */
  resolveRequest: (request: FastifyRequest, response: ServerResponse) => Promise<Ctx | undefined>;
  /** Bounds callers and their connections; absent where a test has no listener. */
  edge?: Pick<HttpEdge, 'callers' | 'know'>;
  /** Beside tRPC and REST; who calls them is found out and counted alike, one call a request. */
  faces?: readonly Face[];
}

const transform = createJsonSchemaTransform({ skipList: [] });

/** As `resolveRequest` reads it, so that one credential is one here too. */
function readCredential({ headers }: FastifyRequest, cookieName: string): string | undefined {
  if (headers.authorization !== undefined) return readAuthorization(headers.authorization);
  const cookies = headers.cookie?.split(';') ?? [];
  return cookies.find((one) => one.trim().startsWith(`${cookieName}=`))?.trim();
}

/** Finds out who calls and counts it, before the body is read and before anything is checked against a schema; nobody gets 401 and no more. */
function createIdentify({ edge, sessionCookie, resolveRequest }: ApiDeps) {
  return async ({ request, reply }: { request: FastifyRequest; reply: FastifyReply }, calls: number): Promise<void> => {
    const settle = edge?.callers.admit(request, readCredential(request, sessionCookie), calls);
    const ctx = await resolveRequest(request, reply.raw);
    if (ctx) edge?.know(request, ctx.principal.tenant);
    settle?.(ctx?.principal);
    if (!ctx) throw nobody();
    request.principalCtx = ctx;
  };
}

/** tRPC at /trpc, the same procedures as REST at /v1 and by further faces, their OpenAPI 3.1 document and its reference page at /docs/api. */
export async function mountApi(app: FastifyInstance, deps: ApiDeps): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Network Observability Service',
        version: deps.version,
        description: 'Errors are RFC 9457 problem documents with a stable `code`. Lists page by `limit` and `cursor`.',
      },
      servers: [{ url: deps.publicUrl }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API token (svc_pat_...)' },
          session: { type: 'apiKey', in: 'cookie', name: deps.sessionCookie },
        },
      },
    },
    transform: (data) =>
      data.url.startsWith('/v1/') && data.url !== '/v1/openapi.json'
        ? transform(data)
        : { schema: { hide: true }, url: data.url },
    transformObject: createJsonSchemaTransformObject({}),
  });

  const identify = createIdentify(deps);
  const identifyOne = async (request: FastifyRequest, reply: FastifyReply) => await identify({ request, reply }, 1);
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => await identify({ request, reply }, countCalls(request)));
    await compressReads(scope);
    mountTrpc(scope, deps.router);
  });

  await app.register(
    async (scope) => {
      scope.addHook('onRequest', identifyOne);
      await compressReads(scope);
      mountRest(scope, deps.router);
    },
    { prefix: '/v1' },
  );

  for (const face of deps.faces ?? [])
    await app.register(async (scope) => {
      scope.addHook('onRequest', identifyOne);
      face(scope, deps.router);
    });

  app.get('/v1/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  await app.register(swaggerUi, {
    routePrefix: '/docs/api',
    staticCSP: true,
    uiConfig: { docExpansion: 'list', validatorUrl: null, deepLinking: true },
  });
}
