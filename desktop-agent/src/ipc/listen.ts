import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { readPeerUid } from '@svc/native/peer/index';
import { addressToListen } from './address.ts';
import { socketChannel } from './channel.ts';
import type { IpcServer } from './server.ts';

export interface FaceListener {
  address: string;
  /** Connections of other users, which were refused. */
  refused(): number;
  close(): Promise<void>;
}

export interface ListenDeps {
  stateDir: string;
  server: IpcServer;
  onRefused(uid: number | undefined): void;
}

/** A connection of another user than this process' own; root is another user too. Windows keeps them out by the pipe's own rights. */
const isOwn = (uid: number | undefined): boolean => process.platform === 'win32' || uid === process.getuid?.();

/** File descriptor of a connected socket, as libuv has it; undefined where the system has none. */
function descriptorOf(socket: Socket): number | undefined {
  const handle = (socket as unknown as { _handle?: { fd?: unknown } })._handle;
  return typeof handle?.fd === 'number' && handle.fd >= 0 ? handle.fd : undefined;
}

function peerOf(socket: Socket): number | undefined {
  const descriptor = descriptorOf(socket);
  return descriptor === undefined ? undefined : readPeerUid(descriptor);
}

/** Who may be answered; undefined is who the system does not name. */
export type MayEnter = (uid: number | undefined) => boolean;

export interface Door {
  address: string;
  /** Who may open the socket file, beside what `mayEnter` says of each. */
  mode: 0o600 | 0o666;
  mayEnter: MayEnter;
}

export interface Visitors {
  /** Asks for each; a refusal is counted and told. */
  mayEnter: MayEnter;
  /** Takes one in who may enter. */
  admit(socket: Socket, uid: number | undefined): void;
  refused(): number;
  /** Connections now. */
  count(): number;
  /** Lets go of whoever may not stay. */
  review(mayStay: MayEnter): void;
}

/** Knows who is connected, and whose each connection is. */
export function createVisitors(mayEnter: MayEnter, { server, onRefused }: Omit<ListenDeps, 'stateDir'>): Visitors {
  const sockets = new Map<Socket, number | undefined>();
  let refused = 0;
  return {
    mayEnter(uid) {
      if (mayEnter(uid)) return true;
      refused += 1;
      onRefused(uid);
      return false;
    },
    admit(socket, uid) {
      sockets.set(socket, uid);
      socket.once('close', () => sockets.delete(socket));
      server.accept((bounds) => socketChannel(socket, bounds)).catch(() => socket.destroy());
    },
    refused: () => refused,
    count: () => sockets.size,
    review(mayStay) {
      for (const [socket, uid] of sockets) if (!mayStay(uid)) socket.destroy();
    },
  };
}

interface OpenDoor extends FaceListener {
  visitors: Visitors;
}

/** Opens one socket or pipe for faces; asks the kernel for each peer's user. Rejects where it cannot listen. */
export async function openDoor({ address, mode, mayEnter }: Door, deps: Omit<ListenDeps, 'stateDir'>): Promise<OpenDoor> {
  const isPipe = process.platform === 'win32';
  if (!isPipe) await rm(address, { force: true });
  const visitors = createVisitors(mayEnter, deps);
  const net = createServer({ pauseOnConnect: true }, (socket) => {
    const uid = isPipe ? undefined : peerOf(socket);
    if (visitors.mayEnter(uid)) visitors.admit(socket, uid);
    else socket.destroy();
  });
  const mask = isPipe ? undefined : process.umask(0o777 & ~mode);
  try {
    await new Promise<void>((resolve, reject) => {
      net.once('error', reject);
      net.listen(address, resolve);
    });
  } finally {
    if (mask !== undefined) process.umask(mask);
  }
  net.on('error', () => undefined);
  return {
    address,
    visitors,
    refused: visitors.refused,
    close: () =>
      new Promise((resolve) => {
        net.close(() => resolve());
        visitors.review(() => false);
      }),
  };
}

/**
 * Opens the local socket (0600, and each peer's user is asked of the kernel) or the named pipe for faces. The state directory must
 * be locked: what an agent that was killed left behind is removed. Rejects where it cannot listen.
 */
export async function listenForFaces({ stateDir, ...deps }: ListenDeps): Promise<FaceListener> {
  return await openDoor({ address: await addressToListen(stateDir), mode: 0o600, mayEnter: isOwn }, deps);
}
