import type { Attributes } from './attributes.ts';
import { PAYMENT_PROVIDER, type ServiceName } from './services.ts';
import { KIND } from './signals.ts';
import { begin, durationAround, end, type Work } from './trace.ts';

const HOP_MS = 0.4;

const hop = (work: Work): number => durationAround(work.trace, HOP_MS, 0.3);

export interface HttpCall {
  to: ServiceName;
  method: string;
  route: string;
  path?: string;
}

type Handle = (work: Work) => number;

/** The server's side of an HTTP request; `handle` gives its status code. A 5xx is a fault of the span. */
export function serveHttp(work: Work, { method, route, path = route }: HttpCall, handle: Handle): number {
  const status = handle(work);
  const { attributes } = work.span;
  Object.assign(attributes, {
    'http.request.method': method,
    'http.route': route,
    'url.path': path,
    'url.scheme': 'http',
    'http.response.status_code': status,
  });
  if (status >= 500) {
    work.span.fault ??= '';
    attributes['error.type'] ??= String(status);
  }
  end(work);
  return status;
}

/** Client span, way, server span, way back; gives the status code. */
export function callHttp(from: Work, call: HttpCall, handle: Handle): number {
  const { trace } = from;
  const { to, method, route, path = route } = call;
  const client = begin(trace, {
    service: from.span.instance.service,
    name: method,
    kind: KIND.client,
    atMs: from.atMs,
    parent: from.span,
    attributes: {
      'http.request.method': method,
      'url.full': `http://${to}:8080${path}`,
      'server.address': to,
      'server.port': 8080,
      'network.protocol.version': '1.1',
    },
  });
  const server = begin(trace, {
    service: to,
    name: `${method} ${route}`,
    kind: KIND.server,
    atMs: from.atMs + hop(from),
    parent: client.span,
    attributes: {},
  });
  const status = serveHttp(server, call, handle);
  client.atMs = server.atMs + hop(from);
  client.span.attributes['http.response.status_code'] = status;
  if (status >= 400) {
    client.span.fault = '';
    client.span.attributes['error.type'] = String(status);
  }
  end(client);
  from.atMs = client.atMs;
  return status;
}

export interface RpcCall {
  to: ServiceName;
  rpcService: string;
  method: string;
}

/** UNKNOWN, DEADLINE_EXCEEDED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS. */
const SERVER_FAULTS: ReadonlySet<number> = new Set([2, 4, 12, 13, 14, 15]);

/** gRPC status 0 or what `handle` gives. */
export function callRpc(from: Work, { to, rpcService, method }: RpcCall, handle: Handle): number {
  const attributes: Attributes = { 'rpc.system': 'grpc', 'rpc.service': rpcService, 'rpc.method': method };
  const name = `${rpcService}/${method}`;
  const client = begin(from.trace, {
    service: from.span.instance.service,
    name,
    kind: KIND.client,
    atMs: from.atMs,
    parent: from.span,
    attributes: { ...attributes, 'server.address': to, 'server.port': 9090 },
  });
  const server = begin(from.trace, {
    service: to,
    name,
    kind: KIND.server,
    atMs: from.atMs + hop(from),
    parent: client.span,
    attributes,
  });
  const status = handle(server);
  end(server);
  client.atMs = server.atMs + hop(from);
  end(client);
  for (const { span } of [client, server]) span.attributes['rpc.grpc.status_code'] = status;
  // To who asks, every code but 0 is a fault; to who answers, only those that say so of itself.
  if (status !== 0) client.span.fault = '';
  if (SERVER_FAULTS.has(status)) server.span.fault ??= '';
  from.atMs = client.atMs;
  return status;
}

export interface Query {
  system: 'postgresql' | 'redis';
  operation: string;
  /** Table or key space. */
  target: string;
  text: string;
  medianMs: number;
}

/** A call of a database: the client's side is all there is. Gives its milliseconds. */
export function query(from: Work, { system, operation, target, text, medianMs }: Query): number {
  const isRedis = system === 'redis';
  const work = begin(from.trace, {
    service: from.span.instance.service,
    name: isRedis ? operation : `${operation} ${target}`,
    kind: KIND.client,
    atMs: from.atMs,
    parent: from.span,
    attributes: {
      'db.system.name': system,
      'db.operation.name': operation,
      'db.namespace': isRedis ? '0' : 'shop',
      ...(isRedis ? {} : { 'db.collection.name': target }),
      'db.query.text': text,
      'server.address': isRedis ? 'redis' : 'postgres',
      'server.port': isRedis ? 6379 : 5432,
    },
  });
  work.atMs += durationAround(from.trace, medianMs);
  end(work);
  from.atMs = work.atMs;
  return work.atMs - work.span.startMs;
}

export interface Answer {
  status: number;
  ms: number;
}

/** The payment provider: beyond the shop, so again one side only. Gives up after five seconds. */
export function callProvider(from: Work): Answer {
  const { incidents, random } = from.trace;
  const limitMs = 5000;
  const wantedMs = incidents.isProviderSlow ? durationAround(from.trace, 4000, 0.4) : durationAround(from.trace, 180, 0.3);
  const isLate = wantedMs > limitMs;
  const isRefused = !isLate && random.next() < 0.004;
  const status = isRefused ? 503 : 200;
  const work = begin(from.trace, {
    service: 'payment',
    name: 'POST',
    kind: KIND.client,
    atMs: from.atMs,
    parent: from.span,
    attributes: {
      'http.request.method': 'POST',
      'url.full': `https://${PAYMENT_PROVIDER}/v2/charges`,
      'server.address': PAYMENT_PROVIDER,
      'server.port': 443,
      'network.protocol.version': '2',
    },
  });
  work.atMs += Math.min(limitMs, wantedMs);
  if (isLate) Object.assign(work.span.attributes, { 'error.type': 'timeout' });
  else work.span.attributes['http.response.status_code'] = status;
  if (isLate) work.span.fault = 'no answer within 5000 ms';
  else if (isRefused) work.span.fault = '';
  if (isRefused) work.span.attributes['error.type'] = '503';
  end(work);
  from.atMs = work.atMs;
  return { status: isLate ? 504 : status, ms: work.atMs - work.span.startMs };
}
