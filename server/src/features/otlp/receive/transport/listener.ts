import type { Socket } from 'node:net';
import type { Server } from 'node:tls';
import type { Address, ListenerTlsFiles } from '../messages.ts';

/** One of the two listeners of the receiver. */
export interface Listener {
  /** Resolves with the bound port. */
  listen(address: Address): Promise<number>;
  /** Presents this certificate to whoever connects from now on. */
  setTls(tls: ListenerTlsFiles): void;
  connections(): number;
  /** Takes no more connections, answers what was accepted, and cuts what is left after the deadline. */
  drain(deadlineMs: number): Promise<void>;
}

/** What both listeners demand of TLS; with authorities, every client shows a certificate of theirs. */
export const tlsOptions = ({ key, cert }: ListenerTlsFiles, clientCa: string | undefined) => ({
  key,
  cert,
  minVersion: 'TLSv1.2' as const,
  handshakeTimeout: 10_000,
  ...(clientCa ? { ca: clientCa, requestCert: true, rejectUnauthorized: true } : {}),
});

/** A listener that goes down gives those who have shown no token yet so long. */
export const STRANGERS_LEAVE_MS = 1000;

export interface Sockets {
  /** Cuts every connection. Of an HTTP/2 session that was asked to close, destroying it only ends our half. */
  cutAll(): void;
  /** Cuts those that have not begun their handshake. */
  cutMute(): void;
}

/** Connections of a listener, those within their handshake too. */
export function trackSockets(server: Server): Sockets {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const cut = (isMeant: (socket: Socket) => boolean) => (): void => {
    for (const socket of sockets) if (isMeant(socket)) socket.destroy();
  };
  return { cutAll: cut(() => true), cutMute: cut(({ bytesRead }) => bytesRead === 0) };
}

export async function bind(server: Server, { host, port }: Address): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  // Many senders start together: with the usual 511 their connections would have to come again.
  server.listen({ host, port, backlog: 2048 }, resolve);
  await promise;
  server.off('error', reject);
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : port;
}
