import { openPipe } from '@svc/native/pipe/index';
import { type FaceListener, type ListenDeps, type MayEnter, openDoor, type Visitors } from './listen.ts';
import { openPipeDoor } from './pipe-door.ts';

/** Another person sits down now and then. */
const REVIEW_MS = 2000;

export interface SeatDeps extends Omit<ListenDeps, 'stateDir'> {
  /** Path of a socket that every user can reach; on Windows of the file that tells the pipe's name. */
  address: string;
  readSeatUser(): number | undefined;
  /** Nobody can be let in for a while; it is tried again. */
  onFault(error: unknown): void;
}

/**
 * Opens the socket of a service of the machine to the faces of whoever sits at it, and of nobody else: neither to other users who are
 * logged in, nor to root. Who is not at the seat any more is let go of within seconds. Rejects where it cannot listen.
 */
export async function listenForSeat({ address, readSeatUser, onFault, ...deps }: SeatDeps): Promise<FaceListener> {
  const sits: MayEnter = (uid) => uid !== undefined && uid === readSeatUser();
  const door: FaceListener & { visitors: Visitors } = openPipe
    ? openPipeDoor({ address, mayEnter: sits, openPipe, onFault }, deps)
    : await openDoor({ address, mode: 0o666, mayEnter: sits }, deps);
  const timer = setInterval(() => {
    if (door.visitors.count() > 0) door.visitors.review(sits);
  }, REVIEW_MS);
  timer.unref();
  return {
    ...door,
    close() {
      clearInterval(timer);
      return door.close();
    },
  };
}
