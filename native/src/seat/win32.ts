import type { ReadSeatUser } from './seat.ts';

/** Windows has no user ids, and Node gives no handle of a pipe to ask whose it is. */
export const readSeatUser: ReadSeatUser = () => undefined;
