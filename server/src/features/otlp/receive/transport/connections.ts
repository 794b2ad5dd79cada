import type { ServerHttp2Session } from 'node:http2';
import type { TLSSocket } from 'node:tls';

export type Connection = TLSSocket | ServerHttp2Session;

/** Connections that have shown no valid token yet; beyond it the oldest of them goes. */
const MAX_STRANGERS = 1000;
/** A stranger has so long to show one. */
const STRANGER_MS = 30_000;
const SWEEP_MS = 5000;

/**
 * Who is connected. Strangers are few and short-lived, so that nobody without a token can take the places of those that have one.
 */
export function createConnections() {
  const strangers = new Map<Connection, number>();
  const all = new Set<Connection>();
  const sweep = setInterval(() => {
    const before = performance.now() - STRANGER_MS;
    for (const [connection, since] of strangers) {
      if (since > before) break;
      connection.destroy();
    }
  }, SWEEP_MS);
  sweep.unref();

  return {
    add(connection: Connection): void {
      // A client that cuts its connection is no fault of ours.
      connection.on('error', () => {});
      all.add(connection);
      strangers.set(connection, performance.now());
      connection.once('close', () => {
        all.delete(connection);
        strangers.delete(connection);
      });
      if (strangers.size > MAX_STRANGERS) strangers.keys().next().value?.destroy();
    },
    /** A request of this connection had a valid token. */
    know(connection: Connection): void {
      strangers.delete(connection);
    },
    count: () => all.size,
    each: (): Iterable<Connection> => all,
    /** Cuts what is open. */
    close(): void {
      clearInterval(sweep);
      for (const connection of all) connection.destroy();
    },
  };
}

export type Connections = ReturnType<typeof createConnections>;
