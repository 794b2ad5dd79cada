import { closeSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import type { OpenPipe, WaitingPipe } from '@svc/native/pipe/pipe';
import { newPipeName, pipePath } from './address.ts';
import { createVisitors, type FaceListener, type ListenDeps, type MayEnter, type Visitors } from './listen.ts';

/** A person's window may wait so long. A look is a read of memory. */
const LOOK_MS = 200;

export interface PipeDoor {
  /** The file that tells faces the name of the pipe that waits now. */
  address: string;
  /** Is asked for the session of each visitor. */
  mayEnter: MayEnter;
  openPipe: OpenPipe;
  /** No pipe waits any more; it is tried again until one does. Told once for each such time. */
  onFault(error: unknown): void;
}

/**
 * Opens pipes for faces of other people than this service's own user, and asks the kernel in which session each visitor runs. Every
 * pipe is for one face and has a name of its own: who was refused leaves it as it is, and a name that was used is not told again, so
 * that nobody can be there in its place. Throws where it cannot listen. The file stays: a service of the machine is installed.
 */
export function openPipeDoor(door: PipeDoor, deps: Omit<ListenDeps, 'stateDir'>): FaceListener & { visitors: Visitors } {
  const visitors = createVisitors(door.mayEnter, deps);
  let waiting: WaitingPipe | undefined = openNext(door);
  let isFaulty = false;
  const look = (): void => {
    waiting ??= openNext(door);
    isFaulty = false;
    if (!waiting.visited()) return;
    const session = waiting.visitorSession();
    const visited = waiting;
    if (!visitors.mayEnter(session)) {
      visited.refuse();
      return;
    }
    // The old name is told no more before its pipe can end.
    waiting = openNext(door);
    visitors.admit(socketOf(visited), session);
  };
  const timer = setInterval(() => {
    try {
      look();
    } catch (error) {
      waiting?.close();
      waiting = undefined;
      if (!isFaulty) door.onFault(error);
      isFaulty = true;
    }
  }, LOOK_MS);
  return {
    address: door.address,
    visitors,
    refused: visitors.refused,
    async close() {
      clearInterval(timer);
      waiting?.close();
      visitors.review(() => false);
    },
  };
}

function socketOf(visited: WaitingPipe): Socket {
  const fd = visited.take();
  try {
    return new Socket({ fd, readable: true, writable: true });
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** A new pipe whose name stands in the file. */
function openNext({ address, openPipe }: PipeDoor): WaitingPipe {
  const name = newPipeName();
  const pipe = openPipe(pipePath(name));
  try {
    writeFileSync(address, name);
    return pipe;
  } catch (error) {
    pipe.close();
    throw error;
  }
}
