import { kernel32 } from '../ffi/kernel32.ts';
import type { ReadSeatUser } from './seat.ts';

/** No session has the console, while it changes hands. */
const NONE = 0xffff_ffff;
/** Where services run; no person does. */
const SERVICES = 0;

/** Windows has no user ids: the session that the console belongs to stands for who sits there. */
export const readSeatUser: ReadSeatUser = () => {
  const session = kernel32.consoleSession()();
  return session === NONE || session === SERVICES ? undefined : session;
};
