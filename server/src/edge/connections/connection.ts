import type { Socket } from 'node:net';

/** One connection of a listener, from its acceptance to its end. */
export interface Connection {
  readonly socket: Socket;
  /** Undefined for a trusted proxy, behind which are many. */
  readonly network: string | undefined;
  /** `known` from the first valid credential on. */
  state: 'handshake' | 'stranger' | 'known';
  tenant: string | undefined;
  client: string | undefined;
  /** Requests or streams under way. */
  busy: number;
  /** Since when it has nothing under way, of a monotonic clock. */
  idleSinceMs: number;
  /** Since when it has had something under way without a pause. */
  busySinceMs: number;
  /** There was no room for it when its tenant became known: it goes once it is idle. */
  leaves: boolean;
}

export const acceptConnection = (socket: Socket, network: string | undefined): Connection => ({
  ...{ socket, network, state: 'handshake', tenant: undefined, client: undefined },
  ...{ busy: 0, idleSinceMs: 0, busySinceMs: 0, leaves: false },
});
