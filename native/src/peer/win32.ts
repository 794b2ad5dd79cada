import type { ReadPeerUid } from './peer.ts';

/** Node gives no handle of a pipe to ask; pipe/ asks for the session of a service of the machine. */
export const readPeerUid: ReadPeerUid = () => undefined;
