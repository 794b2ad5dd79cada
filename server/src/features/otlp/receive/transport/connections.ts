import type { ServerHttp2Session } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { ReceiverLimits } from '../messages.ts';

export type Connection = TLSSocket | ServerHttp2Session;

const SWEEPS = 6;

/**
 * Who is connected. Beyond the bound of strangers the oldest of them goes. Strangers are few and short-lived, so that nobody without a token can take the places of those that have one.
 */
export function createConnections({ strangers: maxStrangers, strangerMs }: ReceiverLimits) {
  const strangers = new Map<Connection, number>();
  const all = new Set<Connection>();
  const sweep = setInterval(() => {
    const before = performance.now() - strangerMs;
    for (const [connection, since] of strangers) {
      if (since > before) break;
      connection.destroy();
    }
  }, strangerMs / SWEEPS);
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
      if (strangers.size > maxStrangers) strangers.keys().next().value?.destroy();
    },
    /** A request of this connection had a valid token. */
    know(connection: Connection): void {
      strangers.delete(connection);
    },
    /** For a listener that goes down: who has shown no token by now is not waited for. */
    cutStrangers(): void {
      for (const connection of strangers.keys()) connection.destroy();
    },
    count: () => all.size,
    each: (): Iterable<Connection> => all,
    /** Looks after strangers no longer. */
    close: (): void => clearInterval(sweep),
  };
}

export type Connections = ReturnType<typeof createConnections>;
