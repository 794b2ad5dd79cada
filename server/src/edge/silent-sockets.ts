import type { IncomingMessage } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/** The same for a connection and for the TLS on it, which do not know of each other. */
const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string => `${remoteAddress} ${remotePort} ${localAddress}`;

/**
 * Connections on which no request has come yet, those within their handshake too: Node takes neither for idle, and a server that closes
 * waits for them. The function cuts them.
 */
export function trackSilentSockets(server: Server): () => void {
  const silent = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const ends = endsOf(socket);
    silent.set(ends, socket);
    socket.once('close', () => {
      if (silent.get(ends) === socket) silent.delete(ends);
    });
  });
  server.on('request', ({ socket }: IncomingMessage) => silent.delete(endsOf(socket)));
  return () => {
    for (const socket of silent.values()) socket.destroy();
  };
}
