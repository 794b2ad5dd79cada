import { createSecureServer } from 'node:http2';
import type { Intake } from '../intake.ts';
import type { ListenerTlsFiles, ReceiverLimits } from '../messages.ts';
import { createConnections } from './connections.ts';
import { serveCall } from './grpc-call.ts';
import { bind, type Listener, STRANGERS_LEAVE_MS, tlsOptions, trackSockets } from './listener.ts';
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
  const server = createSecureServer({ ...tlsOptions(tls, clientCa), ...SESSION, allowHTTP1: false });
  server.maxConnections = limits.connections;
  const connections = createConnections(limits);
  const sockets = trackSockets(server);

  server.on('session', (session) => {
    connections.add(session);
    session.setLocalWindowSize(SESSION_WINDOW_BYTES);
    session.setTimeout(limits.idleMs, () => {
      session.goaway();
      setTimeout(() => session.destroy(), GOAWAY_MS);
    });
  });
  const patience = createPatience(limits.requestMs);
  const deps = { intake, patience, onKnown: connections.know };
  server.on('stream', (stream, headers) => serveCall(deps, stream, headers));
  // A failed handshake is dropped; what is not HTTP/2 as well.
  server.on('tlsClientError', () => {});
  server.on('unknownProtocol', (socket) => socket.destroy());

  return {
    listen: (address) => bind(server, address),
    setTls: (next) => server.setSecureContext(tlsOptions(next, clientCa)),
    connections: connections.count,
    async drain(deadlineMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // GOAWAY: open streams are answered, new ones go elsewhere.
      for (const session of connections.each()) if ('settings' in session) session.close();
      const leave = setInterval(() => {
        connections.cutStrangers();
        sockets.cutMute();
      }, STRANGERS_LEAVE_MS);
      const limit = setTimeout(sockets.cutAll, deadlineMs);
      await closed;
      clearTimeout(limit);
      clearInterval(leave);
      connections.close();
      patience.close();
    },
  };
}
