import koffi from 'koffi';
import { allocate } from '../ffi/memory.ts';
import type { ReadPeerUid } from './peer.ts';

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
/** struct ucred: process, user and group, four bytes each. */
const UCRED_BYTES = 12;

type GetSockOpt = (...args: [fd: number, level: number, name: number, value: Buffer, length: Buffer]) => number;
let getsockopt: GetSockOpt | undefined;

export const readPeerUid: ReadPeerUid = (descriptor) => {
  getsockopt ??= koffi.load(null).func('int getsockopt(int, int, int, void *, void *)') as unknown as GetSockOpt;
  const credentials = allocate(UCRED_BYTES);
  const length = allocate(4);
  length.writeUInt32LE(UCRED_BYTES);
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, credentials, length) !== 0) return undefined;
  return credentials.readUInt32LE(4);
};
