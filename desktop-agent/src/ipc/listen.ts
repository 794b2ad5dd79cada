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
function isForeign(uid: number | undefined): boolean {
  return process.platform !== 'win32' && uid !== process.getuid?.();
}

/** File descriptor of a connected socket, as libuv has it; undefined where the system has none. */
function descriptorOf(socket: Socket): number | undefined {
  const handle = (socket as unknown as { _handle?: { fd?: unknown } })._handle;
  return typeof handle?.fd === 'number' && handle.fd >= 0 ? handle.fd : undefined;
}

function peerOf(socket: Socket): number | undefined {
  const descriptor = descriptorOf(socket);
  return descriptor === undefined ? undefined : readPeerUid(descriptor);
}

/**
 * Opens the local socket (0600, and each peer's user is asked of the kernel) or the named pipe for faces. The state directory must
 * be locked: what an agent that was killed left behind is removed. Rejects where it cannot listen.
 */
export async function listenForFaces({ stateDir, server, onRefused }: ListenDeps): Promise<FaceListener> {
  const address = await addressToListen(stateDir);
  if (process.platform !== 'win32') await rm(address, { force: true });
  const sockets = new Set<Socket>();
  let refused = 0;
  const net = createServer({ pauseOnConnect: true }, (socket) => {
    const uid = process.platform === 'win32' ? undefined : peerOf(socket);
    if (isForeign(uid)) {
      refused += 1;
      socket.destroy();
      onRefused(uid);
      return;
    }
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    server.accept((bounds) => socketChannel(socket, bounds)).catch(() => socket.destroy());
  });
  const mask = process.platform === 'win32' ? undefined : process.umask(0o177);
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
    refused: () => refused,
    close: () =>
      new Promise((resolve) => {
        net.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
