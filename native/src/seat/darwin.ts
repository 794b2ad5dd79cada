import { statSync } from 'node:fs';
import type { ReadSeatUser } from './seat.ts';

/** The console belongs to who is logged in at the screen; to root while nobody is. */
export const readSeatUser: ReadSeatUser = () => {
  const { uid } = statSync('/dev/console');
  return uid === 0 ? undefined : uid;
};
