import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { createConnections } from './connections.ts';
import type { ListenerDeps } from './grpc-listener.ts';
import { serveExport } from './http-call.ts';
import { bind, type Listener, MAX_CONNECTIONS, tlsOptions } from './listener.ts';

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 2000,
};
const IDLE_SWEEP_MS = 200;

/** OTLP/HTTP over TLS, HTTP/1.1: POST /v1/traces, /v1/logs and /v1/metrics. */
export function createHttpListener({ intake, tls, clientCa }: ListenerDeps): Listener {
  const server = createServer({ ...tlsOptions(tls, clientCa), ...LIMITS });
  server.maxConnections = MAX_CONNECTIONS;
  server.maxHeadersCount = 64;
  const connections = createConnections();
  let draining = false;

  const serve = (request: IncomingMessage, response: ServerResponse) => {
    if (draining) response.setHeader('connection', 'close');
    void serveExport({ intake, onKnown: () => connections.know(request.socket as TLSSocket) }, request, response);
  };
  server.on('request', serve);
  // "Expect: 100-continue": the body is asked for when the token was good.
  server.on('checkContinue', serve);
  server.on('secureConnection', connections.add);
  server.on('tlsClientError', () => {});

  return {
    listen: (address) => bind(server, address),
    setTls: (next) => server.setSecureContext(tlsOptions(next, clientCa)),
    connections: connections.count,
    async drain(deadlineMs) {
      draining = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Connections fall idle one by one while the last requests are answered.
      const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
      const limit = setTimeout(connections.close, deadlineMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(limit);
      connections.close();
    },
  };
}
