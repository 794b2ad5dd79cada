import { randomUUID } from 'node:crypto';
import type { Server } from 'node:https';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { AppError, type Ctx } from '#kernel';
import type { Readiness } from './health.ts';
import type { ListenerTls } from './listener-tls.ts';
import { answerError, toProblem } from './problem.ts';
import { trackSilentSockets } from './silent-sockets.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The principal as the credential says; undefined without a valid one. Filled for /v1, /trpc. */
    principalCtx: Ctx | undefined;
  }
}

export interface HttpEdgeDeps {
  tls: ListenerTls;
  log: FastifyBaseLogger;
  /** Addresses or CIDRs whose x-forwarded-* are believed; everybody else's are ignored. */
  trustedProxies: readonly string[];
  /** Requests a minute for each principal; 0 disables. */
  ratePerMinute: number;
  readiness: Readiness;
}

export interface HttpEdge {
  app: FastifyInstance;
  /** Resolves with the bound port. */
  listen(address: { host: string; port: number }): Promise<number>;
  /** Presents this certificate to whoever connects from now on. */
  setTls(tls: ListenerTls): void;
  /** Lets accepted requests finish, at most so long; the caller set the readiness to draining before. */
  close(): Promise<void>;
}

const MIN_VERSION = 'TLSv1.2';
const BODY_LIMIT_BYTES = 1024 * 1024;
const IDLE_SWEEP_MS = 200;
/** A request whose client is connected when the closing begins is as good as sent; one that has not come by then is not. */
const SILENT_LIMIT_MS = 1000;
const CLOSE_LIMIT_MS = 10_000;

/** The HTTPS listener of console, API and ingest. There is no plaintext one: what is not TLS fails its handshake and is dropped. */
export async function createHttpEdge(deps: HttpEdgeDeps): Promise<HttpEdge> {
  const app = Fastify({
    https: { key: deps.tls.key, cert: deps.tls.cert, minVersion: MIN_VERSION },
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: 30_000,
    // On a machine that is very busy the listing of the console's files alone takes longer than the usual 10 s.
    pluginTimeout: 120_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    // What still arrives on a connection that is open was accepted: it gets its own answer.
    return503OnClosing: false,
    trustProxy: deps.trustedProxies.length > 0 ? [...deps.trustedProxies] : false,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 512 },
  }) as unknown as FastifyInstance;
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.decorateRequest('principalCtx', undefined);
  app.setErrorHandler(answerError);
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
    // While we drain, so that none of a client's next requests meets a connection that we are closing.
    if (deps.readiness.phase === 'draining') reply.header('connection', 'close');
  });
  await app.register(helmet, {
    hsts: { maxAge: 31_536_000, includeSubDomains: false },
    // The console and the pages of /auth bring their own; everything else is data and may load nothing.
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginEmbedderPolicy: false,
  });
  await app.register(rateLimit, {
    global: deps.ratePerMinute > 0,
    hook: 'preHandler',
    max: Math.max(deps.ratePerMinute, 1),
    timeWindow: '1 minute',
    cache: 50_000,
    keyGenerator: (request) => request.principalCtx?.principal.id ?? request.ip,
    errorResponseBuilder: (_request, context) =>
      new AppError('rate_limited', `More than ${context.max} requests a minute. Wait and try again.`, {
        retryAfterSeconds: Math.ceil(context.ttl / 1000),
      }),
  });
  app.setNotFoundHandler({ preHandler: deps.ratePerMinute > 0 ? app.rateLimit() : [] }, (request, reply) => {
    const error = new AppError('not_found', 'There is nothing at this address.');
    reply
      .code(404)
      .type('application/problem+json')
      .send(JSON.stringify(toProblem(error, request.id)));
  });
  const cutSilent = trackSilentSockets(app.server as unknown as Server);
  (app.server as unknown as Server).on('tlsClientError', (error) => deps.log.debug({ err: error }, 'TLS handshake failed'));
  return {
    app,
    async listen({ host, port }) {
      await app.listen({ host, port });
      const bound = app.server.address();
      return typeof bound === 'object' && bound !== null ? bound.port : port;
    },
    // It replaces the whole context, so everything that the first one was made with is said again.
    setTls: ({ key, cert }) => (app.server as unknown as Server).setSecureContext({ key, cert, minVersion: MIN_VERSION }),
    async close() {
      // Keep-alive sockets that fall idle while the last requests finish would hold the close open (library facts).
      const sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_SWEEP_MS);
      const silence = setTimeout(cutSilent, SILENT_LIMIT_MS);
      const limit = setTimeout(() => app.server.closeAllConnections(), CLOSE_LIMIT_MS);
      try {
        await app.close();
      } finally {
        clearInterval(sweep);
        clearTimeout(silence);
        clearTimeout(limit);
      }
    },
  };
}
