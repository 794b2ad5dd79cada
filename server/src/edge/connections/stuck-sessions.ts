import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Server } from 'node:tls';
import type { ConnectionGuard } from './guard.ts';
import { ANSWER_BYTES, UNREAD_BYTES } from './slow-readers.ts';

const CHECKS = 20;
/** What a frame holds that the session could not hand to its connection yet, about. */
const FRAME_BYTES = 1024;

/** Since when something waits of which the client takes nothing. */
interface Mark {
  /** At the last look: frames of a session, bytes of a stream. */
  waiting: number;
  /** Bytes that the connection had taken at `sinceMs`. */
  taken: number;
  sinceMs: number;
}

interface Behind {
  waiting: number;
  isStill: boolean;
}

export interface SessionBounds {
  guard: ConnectionGuard;
  /** A client that takes nothing of what waits for it is cut off after this time, milliseconds. */
  stalledMs: number;
  /** What all clients together may leave unread; beyond it those go that took nothing lately, the largest first. */
  unreadBytes?: number;
}

/** What is left unread now, by connection. */
class Unread {
  private readonly behind = new Map<Socket, Behind>();

  add(socket: Socket, waiting: number, isStill: boolean): void {
    const before = this.behind.get(socket);
    this.behind.set(socket, { waiting: (before?.waiting ?? 0) + waiting, isStill: (before?.isStill ?? true) && isStill });
  }

  cutBeyond(bound: number): void {
    let unread = 0;
    for (const { waiting } of this.behind.values()) unread += waiting;
    if (unread <= bound) return;
    const ordered = [...this.behind].sort(([, a], [, b]) => Number(b.isStill) - Number(a.isStill) || b.waiting - a.waiting);
    for (const [socket, { waiting }] of ordered) {
      if (unread <= bound) return;
      socket.destroy();
      unread -= waiting;
    }
  }
}

/**
 * Looks after HTTP/2 clients that leave what waits for them in this process's memory. A session whose connection takes nothing is ended. A
 * stream of which nothing is taken, since the client keeps its window closed, is reset, whatever else keeps its session alive.
 */
export function endStuckSessions(server: Server, { guard, stalledMs, unreadBytes = UNREAD_BYTES }: SessionBounds) {
  const sessions = new Map<Http2Session, Mark | undefined>();
  const streams = new Map<ServerHttp2Stream, Mark | undefined>();
  server.on('session', (session: Http2Session) => {
    sessions.set(session, undefined);
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream: ServerHttp2Stream) => {
    streams.set(stream, undefined);
    stream.once('close', () => streams.delete(stream));
  });
  const isOverdue = ({ sinceMs }: Mark, nowMs: number): boolean => nowMs - sinceMs >= stalledMs;

  function checkSessions(unread: Unread, nowMs: number): void {
    for (const [session, mark] of sessions) {
      const socket = guard.find(session)?.socket;
      if (!socket || session.destroyed) continue;
      const [waiting, taken] = [session.state.outboundQueueSize ?? 0, socket.bytesWritten];
      const isStill = mark?.taken === taken;
      const next = waiting === 0 ? undefined : { waiting, taken, sinceMs: mark && isStill ? mark.sinceMs : nowMs };
      sessions.set(session, next);
      if (next && isOverdue(next, nowMs)) socket.destroy();
      else if (next) unread.add(socket, waiting * FRAME_BYTES, isStill);
    }
  }

  function checkStreams(unread: Unread, nowMs: number): void {
    for (const [stream, mark] of streams) {
      const socket = stream.session && guard.find(stream.session)?.socket;
      const waiting = stream.writableLength;
      if (!socket || stream.destroyed || (waiting === 0 && !mark)) continue;
      const taken = socket.bytesWritten;
      // More may have been written meanwhile: something was taken only where less waits now.
      const isStill = mark !== undefined && waiting >= mark.waiting;
      const next = waiting === 0 ? undefined : isStill ? { ...mark, waiting } : { waiting, taken, sinceMs: nowMs };
      streams.set(stream, next);
      if (!next) continue;
      if (isOverdue(next, nowMs)) {
        if (next.taken === taken) socket.destroy();
        else stream.close(constants.NGHTTP2_CANCEL);
      } else if (mark) unread.add(socket, waiting + ANSWER_BYTES, isStill);
    }
  }

  const timer = setInterval(() => {
    const unread = new Unread();
    const nowMs = performance.now();
    checkSessions(unread, nowMs);
    checkStreams(unread, nowMs);
    unread.cutBeyond(unreadBytes);
  }, stalledMs / CHECKS);
  timer.unref();
  return { stop: (): void => clearInterval(timer) };
}
