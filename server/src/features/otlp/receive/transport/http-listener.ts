import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { ReceiverLimits } from '../messages.ts';
import { createConnections } from './connections.ts';
import type { ListenerDeps } from './grpc-listener.ts';
import { serveExport } from './http-call.ts';
import { bind, type Listener, STRANGERS_LEAVE_MS, tlsOptions, trackSockets } from './listener.ts';

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  keepAliveTimeout: 72_000,
};
const IDLE_SWEEP_MS = 200;

// Node looks for those that are late in intervals: often enough that a bound means what it says.
const timesOf = ({ requestMs }: ReceiverLimits) => ({
  requestTimeout: requestMs,
  headersTimeout: requestMs / 3,
  connectionsCheckingInterval: requestMs / 15,
});

/** OTLP/HTTP over TLS, HTTP/1.1: POST /v1/traces, /v1/logs and /v1/metrics. */
export function createHttpListener({ intake, tls, clientCa, limits }: ListenerDeps): Listener {
  const server = createServer({ ...tlsOptions(tls, clientCa), ...LIMITS, ...timesOf(limits) });
  server.maxConnections = limits.connections;
  server.maxHeadersCount = 64;
  const connections = createConnections(limits);
  const sockets = trackSockets(server);
  let draining = false;

  const serve = (request: IncomingMessage, response: ServerResponse) => {
    if (draining) response.setHeader('connection', 'close');
    const onKnown = () => connections.know(request.socket as TLSSocket);
    void serveExport({ intake, onKnown }, request, response);
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
      const leave = setInterval(() => {
        connections.cutStrangers();
        sockets.cutMute();
      }, STRANGERS_LEAVE_MS);
      const limit = setTimeout(sockets.cutAll, deadlineMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(limit);
      clearInterval(leave);
      connections.close();
    },
  };
}
