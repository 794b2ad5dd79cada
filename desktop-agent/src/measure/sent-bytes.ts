import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const CHANNEL = 'net.client.socket';
const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

export interface SentBytes {
  /** Bytes written to the counted addresses in the last 24 hours (whole hours, so up to one more), TLS and framing included. */
  lastDay(): number;
  close(): void;
}

/**
 * Counts what this process really puts on the wire towards some addresses: on the TCP sockets themselves, below TLS and HTTP/2,
 * so that nothing of the protocol is forgotten. `steady` is in milliseconds and never jumps.
 */
export function countSentBytes(isCounted: (socket: Socket) => boolean, steady: () => number): SentBytes {
  const open = new Map<Socket, number>();
  const hours = new Map<number, number>();
  const add = (bytes: number): void => {
    const hour = Math.floor(steady() / HOUR_MS);
    hours.set(hour, (hours.get(hour) ?? 0) + bytes);
    for (const old of hours.keys()) if (old < hour - DAY_HOURS) hours.delete(old);
  };
  const collect = (socket: Socket): void => {
    const seen = open.get(socket);
    if (seen === undefined) return;
    add(socket.bytesWritten - seen);
    open.set(socket, socket.bytesWritten);
  };
  const watch = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    socket.once('connect', () => {
      if (isCounted(socket)) open.set(socket, 0);
    });
    socket.once('close', () => {
      collect(socket);
      open.delete(socket);
    });
  };
  subscribe(CHANNEL, watch);
  return {
    lastDay() {
      for (const socket of open.keys()) collect(socket);
      let sum = 0;
      const oldest = Math.floor(steady() / HOUR_MS) - DAY_HOURS;
      for (const [hour, bytes] of hours) if (hour > oldest) sum += bytes;
      return sum;
    },
    close: () => unsubscribe(CHANNEL, watch),
  };
}
