import type { ServerHttp2Session } from 'node:http2';
import type { Server as TlsServer } from 'node:tls';
import type { Server } from '@grpc/grpc-js';
import {
  type ConnectionBounds,
  type ConnectionCounts,
  type ConnectionGuard,
  endStuckSessions,
  guardConnections,
} from '#connections';
import { AppError } from '#kernel';
import type { AgentStream, VerifiedAgent } from './grpc-calls.ts';

/** Bounds of one HTTP/2 session, which the library has no names for; what is over them ends it. */
const SESSION = {
  /** MiB. */
  maxSessionMemory: 32,
  maxHeaderListPairs: 64,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  // Rapid reset: an agent opens a few streams and keeps them.
  streamResetBurst: 100,
  streamResetRate: 10,
};
const STALLED_MS = 20_000;
const SETTINGS = { maxConcurrentStreams: 16, maxHeaderListSize: 16 * 1024, enablePush: false };

/** Of grpc-js, pinned: grpc.test.ts holds what is used here. */
interface Inside {
  commonServerOptions: Record<string, unknown>;
  createHttp2Server(credentials: unknown): TlsServer;
}

export interface GrpcGuard {
  /** The stream is this agent's. AppError `rate_limited` where its tenant has no room for one more connection. */
  admit(call: AgentStream, agent: VerifiedAgent): void;
  counts(): ConnectionCounts;
  /** Cuts what is open, connections within their handshake too, which the library cannot. */
  close(): void;
}

const NO_ROOM = new AppError('rate_limited', 'The agents of this tenant have too many connections open.', {
  retryAfterSeconds: 60,
});

/** Bounds connections and sessions of a gRPC server that has not been bound yet. */
export function guardGrpc(server: Server, options: { bounds: ConnectionBounds; trustedProxies: readonly string[] }): GrpcGuard {
  const guards: ConnectionGuard[] = [];
  const stuck: { stop(): void }[] = [];
  const inside = server as unknown as Inside;
  const { handshakeMs } = options.bounds;
  Object.assign(inside.commonServerOptions, SESSION, { settings: SETTINGS, handshakeTimeout: handshakeMs });
  const create = inside.createHttp2Server.bind(server);
  // A host name may have several addresses, each with a server of its own.
  inside.createHttp2Server = (credentials) => {
    const listener = create(credentials);
    const guard = guardConnections(listener, options);
    guards.push(guard);
    stuck.push(endStuckSessions(listener, { guard, stalledMs: STALLED_MS }));
    // The library leaves sessions that end in an error without a listener.
    listener.on('session', (session: ServerHttp2Session) => session.on('error', () => {}));
    return listener;
  };
  return {
    admit(call, { tenant, agentId }) {
      const peer = call.getPeer();
      for (const guard of guards) {
        const connection = guard.findPeer(peer);
        if (!connection) continue;
        if (!guard.know(connection, tenant, agentId)) throw NO_ROOM;
        guard.begin(connection);
        let isOpen = true;
        const end = (): void => {
          if (isOpen) guard.end(connection);
          isOpen = false;
        };
        for (const event of ['cancelled', 'finish', 'close']) call.once(event, end);
      }
    },
    counts: () =>
      guards
        .map((guard) => guard.counts())
        .reduce(
          (sum, { handshake, stranger, idle, busy }) => ({
            handshake: sum.handshake + handshake,
            stranger: sum.stranger + stranger,
            idle: sum.idle + idle,
            busy: sum.busy + busy,
          }),
          { handshake: 0, stranger: 0, idle: 0, busy: 0 },
        ),
    close(): void {
      for (const guard of guards) {
        guard.closeAll();
        guard.stop();
      }
      for (const watch of stuck) watch.stop();
    },
  };
}
