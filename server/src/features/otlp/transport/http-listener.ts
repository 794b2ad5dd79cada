import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { boundUnanswered, guardConnections, UNREAD_BYTES, watchReaders, whenClosed } from '#connections';
import type { TenantId } from '#kernel';
import type { ReceiverLimits } from '../messages.ts';
import { answerClientError, refuseExpectation, refuseUnanswered } from './client-errors.ts';
import type { ListenerDeps } from './grpc-listener.ts';
import { serveExport } from './http-call.ts';
import { bind, type Listener, STRANGERS_LEAVE_MS, tlsOptions } from './listener.ts';

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  keepAliveTimeout: 72_000,
  // Missing, it is refused in our words.
  requireHostHeader: false,
};
const IDLE_SWEEP_MS = 200;

// Node looks for those that are late in intervals: often enough that a bound means what it says.
const timesOf = ({ requestMs, connections }: ReceiverLimits) => ({
  handshakeTimeout: connections.handshakeMs,
  requestTimeout: requestMs,
  headersTimeout: requestMs / 3,
  connectionsCheckingInterval: requestMs / 15,
});

/** OTLP/HTTP over TLS, HTTP/1.1: POST /v1/traces, /v1/logs and /v1/metrics. */
export function createHttpListener({ intake, tls, clientCa, limits }: ListenerDeps): Listener {
  const server = createServer({ ...tlsOptions(tls, clientCa), ...LIMITS, ...timesOf(limits) });
  server.maxHeadersCount = 64;
  const { connections: bounds, trustedProxies, stalledMs } = limits;
  const guard = guardConnections(server, { bounds, trustedProxies });
  const readers = watchReaders({ stalledMs, unreadBytes: UNREAD_BYTES });
  let draining = false;

  const serve = (request: IncomingMessage, response: ServerResponse) => {
    if (draining) response.setHeader('connection', 'close');
    const connection = guard.find(request.socket);
    guard.begin(connection);
    whenClosed(response, () => guard.end(connection));
    if (connection) readers.add(response, connection.socket);
    const onKnown = (tenant: TenantId) => void guard.know(connection, tenant);
    void serveExport({ intake, onKnown }, request, response);
  };
  server.on('request', serve);
  // "Expect: 100-continue": the body is asked for when the token was good.
  server.on('checkContinue', serve);
  server.on('checkExpectation', refuseExpectation);
  boundUnanswered(server, refuseUnanswered);
  server.on('clientError', (error, socket) => answerClientError(error, socket as Socket));
  server.on('tlsClientError', () => {});

  return {
    listen: (address) => bind(server, address),
    setTls: (next) => server.setSecureContext(tlsOptions(next, clientCa)),
    connections: guard.counts,
    async drain(deadlineMs) {
      draining = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // Connections fall idle one by one while the last requests are answered.
      const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
      const leave = setInterval(guard.closeStrangers, STRANGERS_LEAVE_MS);
      const limit = setTimeout(guard.closeAll, deadlineMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(limit);
      clearInterval(leave);
      guard.stop();
      readers.stop();
    },
  };
}
