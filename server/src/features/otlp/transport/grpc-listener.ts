import { createSecureServer, type ServerHttp2Session } from 'node:http2';
import { endStuckSessions, guardConnections } from '#connections';
import type { TenantId } from '#kernel';
import type { Intake } from '../admit.ts';
import type { ListenerTlsFiles, ReceiverLimits } from '../messages.ts';
import { serveCall } from './grpc-call.ts';
import { bind, type Listener, STRANGERS_LEAVE_MS, tlsOptions } from './listener.ts';
import { createPatience } from './patience.ts';

/** Bounds of one session; what is over them ends it (GOAWAY ENHANCE_YOUR_CALM or a protocol error). */
const SESSION = {
  maxSessionMemory: 64,
  maxHeaderListPairs: 64,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  // Rapid reset: an honest client cancels seldom.
  streamResetBurst: 200,
  streamResetRate: 20,
  settings: { maxConcurrentStreams: 256, maxHeaderListSize: 16 * 1024, initialWindowSize: 8 * 1024 * 1024, enablePush: false },
};
/** For a client to read why its idle session ends. */
const GOAWAY_MS = 1000;
const SESSION_WINDOW_BYTES = 32 * 1024 * 1024;

export interface ListenerDeps {
  intake: Intake;
  tls: ListenerTlsFiles;
  clientCa: string | undefined;
  limits: ReceiverLimits;
}

/** gRPC over node:http2: the three Export methods, unary. Nothing but HTTP/2 over TLS is spoken. */
export function createGrpcListener({ intake, tls, clientCa, limits }: ListenerDeps): Listener {
  const server = createSecureServer({
    ...tlsOptions(tls, clientCa),
    ...SESSION,
    allowHTTP1: false,
    handshakeTimeout: limits.connections.handshakeMs,
  });
  const { connections: bounds, trustedProxies, stalledMs } = limits;
  const guard = guardConnections(server, { bounds, trustedProxies });
  const stuck = endStuckSessions(server, { guard, stalledMs });
  const sessions = new Set<ServerHttp2Session>();

  server.on('session', (session) => {
    // A client that cuts its connection is no fault of ours.
    session.on('error', () => {});
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    session.setLocalWindowSize(SESSION_WINDOW_BYTES);
    session.setTimeout(limits.idleMs, () => {
      session.goaway();
      setTimeout(() => session.destroy(), GOAWAY_MS);
    });
  });
  const patience = createPatience(limits.requestMs);
  const onKnown = (session: ServerHttp2Session, tenant: TenantId) => void guard.know(guard.find(session), tenant);
  const deps = { intake, patience, onKnown };
  server.on('stream', (stream, headers) => {
    const connection = stream.session && guard.find(stream.session);
    guard.begin(connection);
    stream.once('close', () => guard.end(connection));
    serveCall(deps, stream, headers);
  });
  // A failed handshake is dropped; what is not HTTP/2 as well.
  server.on('tlsClientError', () => {});
  server.on('unknownProtocol', (socket) => socket.destroy());

  return {
    listen: (address) => bind(server, address),
    setTls: (next) => server.setSecureContext(tlsOptions(next, clientCa)),
    connections: guard.counts,
    async drain(deadlineMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // GOAWAY: open streams are answered, new ones go elsewhere.
      for (const session of sessions) session.close();
      const leave = setInterval(guard.closeStrangers, STRANGERS_LEAVE_MS);
      const limit = setTimeout(guard.closeAll, deadlineMs);
      await closed;
      clearTimeout(limit);
      clearInterval(leave);
      guard.stop();
      stuck.stop();
      patience.close();
    },
  };
}
