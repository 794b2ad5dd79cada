import type { ServerResponse } from 'node:http';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { AnyTRPCRouter } from '@trpc/server';
import { fastifyTRPCPlugin } from '@trpc/server/adapters/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { Ctx } from '#kernel';
import { mountRest } from './rest.ts';

export interface ApiDeps {
  router: AnyTRPCRouter;
  version: string;
  publicUrl: string;
  /** Name of the session cookie, which differs from one instance to another on the same host. */
  sessionCookie: string;
  /** Who sent the request, from its session cookie or bearer token; undefined for nobody. Rejects a state change from another origin. */
  resolveRequest: (request: FastifyRequest, response: ServerResponse) => Promise<Ctx | undefined>;
}

const transform = createJsonSchemaTransform({ skipList: [] });

/** tRPC at /trpc, the same procedures as REST at /v1, their OpenAPI 3.1 document and its reference page at /docs/api. */
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

  const identify = async (request: FastifyRequest, reply: FastifyReply) => {
    request.principalCtx = await deps.resolveRequest(request, reply.raw);
  };

  await app.register(async (scope) => {
    scope.addHook('onRequest', identify);
    await scope.register(fastifyTRPCPlugin, {
      prefix: '/trpc',
      trpcOptions: {
        router: deps.router,
        createContext: ({ req }: { req: FastifyRequest }) => ({ requestId: req.id, ctx: req.principalCtx }),
        onError: ({ error, path, req }: { error: Error & { code?: string }; path?: string; req: FastifyRequest }) => {
          if (error.code === 'INTERNAL_SERVER_ERROR') req.log.error({ err: error.cause ?? error, path }, 'procedure failed');
        },
      },
    });
  });

  await app.register(
    async (scope) => {
      scope.addHook('onRequest', identify);
      mountRest(scope, deps.router);
    },
    { prefix: '/v1' },
  );

  app.get('/v1/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  await app.register(swaggerUi, {
    routePrefix: '/docs/api',
    staticCSP: true,
    uiConfig: { docExpansion: 'list', validatorUrl: null, deepLinking: true },
  });
}
