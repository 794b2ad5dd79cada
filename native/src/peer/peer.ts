/**
 * User id of the process at the other end of a connected local socket, as the kernel noted it when it connected; undefined where
 * this system does not tell or the socket is none.
 */
export type ReadPeerUid = (descriptor: number) => number | undefined;
