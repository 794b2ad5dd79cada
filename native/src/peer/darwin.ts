import koffi from 'koffi';
import { allocate } from '../ffi/memory.ts';
import type { ReadPeerUid } from './peer.ts';

type GetPeerEid = (fd: number, user: Buffer, group: Buffer) => number;
let getpeereid: GetPeerEid | undefined;

/** getpeereid(3): effective user and group at the time of connecting. */
export const readPeerUid: ReadPeerUid = (descriptor) => {
  getpeereid ??= koffi.load(null).func('int getpeereid(int, void *, void *)') as unknown as GetPeerEid;
  const user = allocate(4);
  return getpeereid(descriptor, user, allocate(4)) === 0 ? user.readUInt32LE(0) : undefined;
};
