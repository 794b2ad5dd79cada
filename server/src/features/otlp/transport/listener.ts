import type { Server } from 'node:tls';
import type { ConnectionCounts } from '#connections';
import type { Address, ListenerTlsFiles } from '../messages.ts';

/** A listener of the receiver: gRPC or HTTP. */
export interface Listener {
  /** Resolves with the bound port. */
  listen(address: Address): Promise<number>;
  /** Presents this certificate to whoever connects from now on. */
  setTls(tls: ListenerTlsFiles): void;
  connections(): ConnectionCounts;
  /** Takes no more connections, answers what was accepted, and cuts what is left after the deadline. */
  drain(deadlineMs: number): Promise<void>;
}

/** What the listeners demand of TLS; with authorities, every client shows a certificate of theirs. */
export const tlsOptions = ({ key, cert }: ListenerTlsFiles, clientCa: string | undefined) => ({
  key,
  cert,
  minVersion: 'TLSv1.2' as const,
  ...(clientCa ? { ca: clientCa, requestCert: true, rejectUnauthorized: true } : {}),
});

/** A listener that goes down gives those who have shown no token yet so long. */
export const STRANGERS_LEAVE_MS = 1000;

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
