import { AgentError } from '../agent-error.ts';
import { type FaceListener, type ListenDeps, openDoor } from './listen.ts';

/** Another person sits down now and then. */
const REVIEW_MS = 2000;

export interface SeatDeps extends Omit<ListenDeps, 'stateDir'> {
  /** Path of a socket that every user can reach. */
  address: string;
  readSeatUser(): number | undefined;
}

/**
 * Opens the socket of a service of the machine to the faces of whoever sits at it, and of nobody else: neither to other users who are
 * logged in, nor to root. Who is not at the seat any more is let go of within seconds. Rejects where it cannot listen.
 */
export async function listenForSeat({ address, readSeatUser, ...deps }: SeatDeps): Promise<FaceListener> {
  if (process.platform === 'win32')
    throw new AgentError('usage', '--seat is not for Windows: its pipes do not tell whose they are.');
  const sits = (uid: number | undefined): boolean => uid !== undefined && uid === readSeatUser();
  const door = await openDoor({ address, mode: 0o666, mayEnter: sits }, deps);
  const timer = setInterval(() => {
    if (door.visitors() > 0) door.review(sits);
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
