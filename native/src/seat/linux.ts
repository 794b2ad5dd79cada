import { lazily, openLibrary } from '../ffi/library.ts';
import { allocate } from '../ffi/memory.ts';
import type { ReadSeatUser } from './seat.ts';

/** sd_seat_get_active(3): what logind says of the first seat. */
const seatGetActive = lazily(() =>
  openLibrary('libsystemd.so.0').bind<(seat: string, session: null, user: Buffer) => number>('sd_seat_get_active', {
    returns: 'int',
    takes: ['str', 'void *', 'void *'],
  }),
);

export const readSeatUser: ReadSeatUser = () => {
  const user = allocate(4);
  try {
    return seatGetActive()('seat0', null, user) >= 0 ? user.readUInt32LE(0) : undefined;
  } catch {
    // A system without logind has no seats.
    return undefined;
  }
};
