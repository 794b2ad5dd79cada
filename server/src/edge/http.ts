import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import helmet from '@fastify/helmet';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import {
  boundUnanswered,
  type ConnectionBounds,
  type ConnectionCounts,
  type ConnectionGuard,
  guardConnections,
  HTTPS_BOUNDS,
  type ReaderBounds,
  UNREAD_BYTES,
  watchReaders,
  whenClosed,
} from '#connections';
import { AppError, type Ctx, type TenantId } from '#kernel';
import type { Callers } from './callers.ts';
import {
  answerClientError,
  findHeadFault,
  headProblem,
  MAX_HEAD_BYTES,
  MAX_HEADERS,
  refuseExpectation,
  refuseUnanswered,
} from './client-errors.ts';
import type { Readiness } from './health.ts';
import type { ListenerTls } from './listener-tls.ts';
import { boundOpenFiles, type FileBounds } from './open-files.ts';
import { answerError, toProblem } from './problem.ts';
import { mountRates, type RoutedRate } from './rates.ts';

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
  connections?: ConnectionBounds;
  times?: Partial<HttpTimes>;
  /** What all clients together may leave unread of their answers. */
  unreadBytes?: number;
  files?: FileBounds;
}

export interface HttpTimes {
  /** Until all headers of a request have come. */
  headersMs: number;
  /** Until all of a request has come. */
  requestMs: number;
  /** How often the two above are looked at. */
  checkMs: number;
  /** How long a client may take next to nothing of its answer. */
  stalledMs: number;
  /** By when a client has to have all of its answer, at the pace at which it takes it. */
  finishMs?: number;
}

export interface HttpEdge {
  app: FastifyInstance;
  callers: Callers;
  /** The routes with the budget that each is bounded by. */
  routes(): readonly RoutedRate[];
  /** The request had a valid credential of this tenant. */
  know(request: FastifyRequest, tenant: TenantId): void;
  connections(): ConnectionCounts;
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
const TIMES: HttpTimes = { headersMs: 15_000, requestMs: 30_000, checkMs: 1000, stalledMs: 20_000 };
/** A request whose client is connected when the closing begins is as good as sent; one that has not come by then is not. */
const SILENT_LIMIT_MS = 1000;
const CLOSE_LIMIT_MS = 10_000;

function createApp(deps: HttpEdgeDeps, { headersMs, requestMs, checkMs }: HttpTimes): FastifyInstance {
  return Fastify({
    https: {
      ...{ key: deps.tls.key, cert: deps.tls.cert, minVersion: MIN_VERSION },
      handshakeTimeout: (deps.connections ?? HTTPS_BOUNDS).handshakeMs,
      ...{ maxHeaderSize: MAX_HEAD_BYTES, headersTimeout: headersMs, connectionsCheckingInterval: checkMs },
      // Missing, it is refused in our words.
      requireHostHeader: false,
    },
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: requestMs,
    // On a machine that is very busy the listing of a plugin's files alone takes longer than the usual 10 s.
    pluginTimeout: 120_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    // What still arrives on a connection that is open was accepted: it gets its own answer.
    return503OnClosing: false,
    trustProxy: deps.trustedProxies.length > 0 ? [...deps.trustedProxies] : false,
    genReqId: () => randomUUID(),
    clientErrorHandler: answerClientError,
    routerOptions: { maxParamLength: 512 },
  }) as unknown as FastifyInstance;
}

/** Follows which connections have a request under way. Gives what is called when a request has shown a valid credential. */
function followRequests(server: Server, guard: ConnectionGuard, bounds: ReaderBounds) {
  const begun = new WeakMap<IncomingMessage, (tenant?: TenantId) => void>();
  const readers = watchReaders(bounds);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = guard.find(request.socket);
    if (!connection) return;
    let isBusy = false;
    const begin = (tenant?: TenantId): void => {
      if (!isBusy) guard.begin(connection);
      isBusy = true;
      if (tenant !== undefined && !guard.know(connection, tenant) && !response.headersSent)
        response.setHeader('connection', 'close');
    };
    begun.set(request, begin);
    // While a stranger's body is still to come, nothing is under way yet that would keep its place.
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    const waits = connection.state !== 'known' && ((length !== undefined && length !== '0') || coding !== undefined);
    if (waits) request.once('end', () => begin());
    else begin();
    whenClosed(response, () => isBusy && guard.end(connection));
    readers.add(response, connection.socket);
  });
  return {
    know: (request: IncomingMessage, tenant: TenantId): void => begun.get(request)?.(tenant),
    stop: readers.stop,
  };
}

async function prepareApp(app: FastifyInstance, { readiness, ratePerMinute, files }: HttpEdgeDeps) {
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.decorateRequest('principalCtx', undefined);
  app.setErrorHandler(answerError);
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
    // While we drain, so that none of a client's next requests meets a connection that we are closing.
    if (readiness.phase === 'draining') reply.header('connection', 'close');
  });
  app.addHook('onRequest', async (request, reply) => {
    const fault = findHeadFault(request.raw);
    if (!fault) return;
    reply.header('connection', 'close').code(fault.status).type('application/problem+json');
    return await reply.send(headProblem(fault, request.id));
  });
  boundOpenFiles(app, files);
  const rates = mountRates(app, ratePerMinute);
  await app.register(helmet, {
    hsts: { maxAge: 31_536_000, includeSubDomains: false },
    // The console and the pages of /auth bring their own; everything else is data and may load nothing.
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginEmbedderPolicy: false,
  });
  app.setNotFoundHandler((request, reply) => {
    const error = new AppError('not_found', 'There is nothing at this address.');
    reply
      .code(404)
      .type('application/problem+json')
      .send(JSON.stringify(toProblem(error, request.id)));
  });
  return rates;
}

/** The HTTPS listener of console, API and ingest. There is no plaintext one: what is not TLS fails its handshake and is dropped. */
export async function createHttpEdge(deps: HttpEdgeDeps): Promise<HttpEdge> {
  const times = { ...TIMES, ...deps.times };
  const app = createApp(deps, times);
  const server = app.server as unknown as Server;
  server.maxHeadersCount = MAX_HEADERS;
  const bounds = deps.connections ?? HTTPS_BOUNDS;
  const guard = guardConnections(server, { bounds, trustedProxies: deps.trustedProxies });
  const requests = followRequests(server, guard, {
    ...{ stalledMs: times.stalledMs, finishMs: times.finishMs },
    unreadBytes: deps.unreadBytes ?? UNREAD_BYTES,
  });
  const { callers, routes } = await prepareApp(app, deps);
  server.on('checkExpectation', refuseExpectation);
  boundUnanswered(server, refuseUnanswered);
  server.on('tlsClientError', (error) => deps.log.debug({ err: error }, 'TLS handshake failed'));
  return {
    ...{ app, callers, routes },
    know: ({ raw }, tenant) => requests.know(raw, tenant),
    connections: guard.counts,
    async listen({ host, port }) {
      await app.listen({ host, port });
      const bound = server.address();
      return typeof bound === 'object' && bound !== null ? bound.port : port;
    },
    // It replaces the whole context, so everything that the first one was made with is said again.
    setTls: ({ key, cert }) => server.setSecureContext({ key, cert, minVersion: MIN_VERSION }),
    async close() {
      // Keep-alive sockets that fall idle while the last requests finish would hold the close open (library facts).
      const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
      const silence = setTimeout(guard.closeStrangers, SILENT_LIMIT_MS);
      const limit = setTimeout(() => server.closeAllConnections(), CLOSE_LIMIT_MS);
      try {
        await app.close();
      } finally {
        clearInterval(sweep);
        clearTimeout(silence);
        clearTimeout(limit);
        requests.stop();
        guard.stop();
      }
    },
  };
}
