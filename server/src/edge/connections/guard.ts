import type { Http2Session } from 'node:http2';
import { BlockList, isIPv6, type Socket } from 'node:net';
import type { Server } from 'node:tls';
import { networkOf } from '#kernel';
import type { ConnectionBounds } from './bounds.ts';
import { acceptConnection, type Connection } from './connection.ts';
import { Ledger } from './ledger.ts';

export type ConnectionCounts = ReturnType<Ledger['counts']>;

/**
 * Bounds the connections of one listener. Sockets are followed from their acceptance, so that those which never finish their handshake are
 * counted too. A connection beyond a bound costs the one that was idle longest; one with a request under way goes only where its tenant holds
 * most and all is taken (Ledger).
 */
export interface ConnectionGuard {
  /** The connection behind a TLS socket or an HTTP/2 session; undefined for one that is closed. */
  find(object: object): Connection | undefined;
  /** The same by `address:port` of the client. */
  findPeer(peer: string): Connection | undefined;
  /** A request or stream begins: until `end` its connection is not closed for others that hold as much. */
  begin(connection: Connection | undefined): void;
  end(connection: Connection | undefined): void;
  /** A request of the connection had a valid credential. False where its tenant has no room: it is closed once it is idle, or at once. */
  know(connection: Connection | undefined, tenant: string, client?: string): boolean;
  counts(): ConnectionCounts;
  /** Closes those without a credential and without a request under way, as a listener that goes down does. */
  closeStrangers(): void;
  /** Closes everything that is open. */
  closeAll(): void;
  /** Looks after overdue connections no longer. */
  stop(): void;
}

export interface GuardOptions {
  bounds: ConnectionBounds;
  /** Addresses or networks behind which there are many clients. */
  trustedProxies?: readonly string[];
  nowMs?: () => number;
}

const SWEEPS = 6;
/** Connections accepted in one turn of the event loop go beyond the bound for a moment. */
const SLACK = 512;

/** The same for a TCP connection and the TLS on it, which do not know of each other. */
const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string => `${remoteAddress} ${remotePort} ${localAddress}`;

const plainAddress = (address: string): string => address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');

function createProxyCheck(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => networks.length > 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** Follows the connections of a TLS listener: HTTPS, HTTP/2 or gRPC. To be called before it listens. */
export function guardConnections(
  server: Server,
  { bounds, trustedProxies = [], nowMs = () => performance.now() }: GuardOptions,
): ConnectionGuard {
  const ledger = new Ledger(bounds, nowMs);
  const isProxy = createProxyCheck(trustedProxies);
  const byEnds = new Map<string, Connection>();
  const byPeer = new Map<string, Connection>();
  const byObject = new WeakMap<object, Connection>();
  const close = (connection: Connection | undefined): void => {
    if (!connection) return;
    ledger.remove(connection);
    connection.socket.destroy();
  };

  server.maxConnections = bounds.total + SLACK;
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    const connection = acceptConnection(socket, isProxy(address) ? undefined : networkOf(address));
    const ends = endsOf(socket);
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    byEnds.set(ends, connection);
    byPeer.set(peer, connection);
    socket.once('close', () => {
      if (byEnds.get(ends) === connection) byEnds.delete(ends);
      if (byPeer.get(peer) === connection) byPeer.delete(peer);
      ledger.remove(connection);
    });
    // A client that cuts its connection is no fault of ours.
    socket.on('error', () => {});
    close(ledger.add(connection));
  });
  const link = (object: object, socket: Socket | undefined): void => {
    const connection = socket && byEnds.get(endsOf(socket));
    if (!connection) return;
    byObject.set(object, connection);
    ledger.secure(connection);
  };
  server.on('secureConnection', (socket) => link(socket, socket));
  server.on('session', (session: Http2Session) => link(session, session.socket));

  const closeOverdue = (): void => {
    for (const connection of ledger.findOverdue()) close(connection);
  };
  const sweep = setInterval(closeOverdue, Math.min(bounds.handshakeMs, bounds.strangerMs) / SWEEPS);
  sweep.unref();

  return {
    find: (object) => byObject.get(object),
    findPeer: (peer) => byPeer.get(peer),
    begin(connection) {
      if (connection) ledger.begin(connection);
    },
    end(connection) {
      if (connection && ledger.end(connection)) close(connection);
    },
    know(connection, tenant, client) {
      if (!connection) return true;
      // What is behind a proxy is of many tenants.
      const owner = connection.network === undefined && client === undefined ? undefined : tenant;
      const isSame = connection.state === 'known' && connection.tenant === owner;
      // One that had no room may have it now.
      if (isSame && !connection.leaves && (client === undefined || connection.client === `${owner}/${client}`)) return true;
      for (const victim of ledger.know(connection, owner, client)) close(victim);
      return !connection.leaves;
    },
    counts: () => ledger.counts(),
    closeStrangers(): void {
      for (const connection of ledger.everyone()) if (connection.state !== 'known' && connection.busy === 0) close(connection);
    },
    closeAll(): void {
      for (const connection of ledger.everyone()) close(connection);
    },
    stop: () => clearInterval(sweep),
  };
}
