import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { whenClosed } from './when-closed.ts';

export interface ReaderBounds {
  /** A client that takes less than `LEAST_BYTES` of what waits for it in this time is cut off, milliseconds. */
  stalledMs: number;
  /** At the pace at which a client takes its answer in that time it has to end within this one, milliseconds. */
  finishMs?: number;
  /** What all clients together may leave unread; beyond it those go that would take longest to read theirs. */
  unreadBytes: number;
}

interface Reader {
  response: ServerResponse;
  /** The TCP socket. */
  socket: Socket;
  markBytes: number;
  markMs: number;
  /** What waited then. */
  markLeft: number;
  lastBytes: number;
  /** What it takes between two looks: each look counts for less than the one after it. */
  pace: number;
}

/** What all clients of one listener together may leave unread. */
export const UNREAD_BYTES = 256 * 1024 * 1024;
const LEAST_BYTES = 64 * 1024;
/** The largest answer is 64 MiB: 36 KiB per second. */
const FINISH_MS = 30 * 60_000;
/** Of what it took before, and what one is believed to take that has just begun. */
const PACE_KEPT = 0.7;
const PACE_AT_FIRST = 1024 * 1024;
const CHECKS = 5;
const MOST_CHECK_MS = 1000;

/** What an answer holds beside its bytes: request, response and what is kept for them. */
export const ANSWER_BYTES = 32 * 1024;

interface Behind {
  waiting: number;
  pace: number;
}

/** Looks until the client has it all, at its pace. */
const looksLeft = ({ waiting, pace }: Behind): number => waiting / Math.max(1, pace);

/**
 * What the client's side of the connection has taken. Node counts all of an answer as written once it has handed it over, however large;
 * what of it the system has not taken yet only the handle knows.
 */
function bytesTaken(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  const waiting = typeof handle === 'object' && handle !== null ? Number(Reflect.get(handle, 'writeQueueSize') ?? 0) : 0;
  return socket.bytesWritten - waiting;
}

/** Cuts clients off that ask and do not read what they asked for: it waits in this process's memory. */
export function watchReaders({ stalledMs, finishMs = FINISH_MS, unreadBytes }: ReaderBounds) {
  const leastOf = (waiting: number): number => Math.max(LEAST_BYTES, (waiting * stalledMs) / finishMs);
  const readers = new Set<Reader>();
  const check = (): void => {
    const now = performance.now();
    let unread = 0;
    // Answers that wait for their turn on one connection are one client's.
    const behind = new Map<Socket, Behind>();
    for (const reader of readers) {
      const { response, socket } = reader;
      const left = response.writableLength;
      const taken = bytesTaken(socket);
      reader.pace = reader.pace * PACE_KEPT + (taken - reader.lastBytes) * (1 - PACE_KEPT);
      // What it waits for may have been written after the mark.
      reader.markLeft = Math.max(reader.markLeft, left);
      if (left === 0 || taken - reader.markBytes >= leastOf(reader.markLeft)) {
        reader.markBytes = taken;
        reader.markMs = now;
        reader.markLeft = left;
      }
      const waiting = left === 0 ? 0 : left + ANSWER_BYTES;
      if (now - reader.markMs > stalledMs) socket.destroy();
      else if (waiting > 0) {
        const before = behind.get(socket)?.waiting ?? 0;
        behind.set(socket, { waiting: before + waiting, pace: reader.pace });
        unread += waiting;
      }
      reader.lastBytes = taken;
    }
    if (unread <= unreadBytes) return;
    const ordered = [...behind].sort(([, a], [, b]) => looksLeft(b) - looksLeft(a));
    for (const [socket, { waiting }] of ordered) {
      if (unread <= unreadBytes) return;
      socket.destroy();
      unread -= waiting;
    }
  };
  const timer = setInterval(check, Math.min(MOST_CHECK_MS, stalledMs / CHECKS));
  timer.unref();
  return {
    add(response: ServerResponse, socket: Socket): void {
      const taken = bytesTaken(socket);
      const reader: Reader = {
        ...{ response, socket, markBytes: taken, markMs: performance.now(), markLeft: 0 },
        ...{ lastBytes: taken, pace: PACE_AT_FIRST },
      };
      readers.add(reader);
      whenClosed(response, () => readers.delete(reader));
    },
    stop: () => clearInterval(timer),
  };
}
