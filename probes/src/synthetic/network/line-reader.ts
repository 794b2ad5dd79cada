import type net from 'node:net';
import { brokenFailure } from '../connect/dial.ts';
import { RunFailure, waitOn } from '../run-failure.ts';

/** A greeting or a reply has no need of more. */
const MAX_BYTES = 16_384;

/** Reads replies off a socket one after the other, and lets go of it so that TLS may take over. */
export interface ReplyReader {
  /** Until `end` gives a length: that of the reply. What comes behind it stays for the next. */
  readonly read: (end: (bytes: Buffer) => number | undefined) => Promise<Buffer>;
  readonly send: (bytes: Buffer | string) => void;
  /** Throws where something came that nobody asked for: it would be taken for a part of what comes encrypted (CVE-2011-0411). */
  readonly release: () => void;
}

export function readReplies(socket: net.Socket, signal: AbortSignal): ReplyReader {
  let bytes: Buffer = Buffer.alloc(0);
  let ended: RunFailure | undefined;
  let wake: () => void = () => undefined;
  const onData = (chunk: Buffer): void => {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length > MAX_BYTES) {
      ended = new RunFailure('too_large', `A reply has more than ${MAX_BYTES / 1024} KiB.`);
      socket.pause();
    }
    wake();
  };
  const onEnd = (): void => {
    ended ??= new RunFailure('closed', 'The other side closed the connection before TLS began.');
    wake();
  };
  const onError = (error: unknown): void => {
    ended ??= brokenFailure(error, 'TLS was being agreed on');
    wake();
  };
  socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onError);
  return {
    read: (end) =>
      waitOn(signal, ({ done, fail }) => {
        wake = () => {
          const length = end(bytes);
          if (length === undefined) return ended && fail(ended);
          const reply = bytes.subarray(0, length);
          bytes = bytes.subarray(length);
          done(reply);
        };
        wake();
        return () => undefined;
      }),
    send: (out) => void socket.write(out),
    release() {
      socket.pause();
      socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError);
      if (bytes.length > 0)
        throw new RunFailure('protocol', 'The other side sends more than its reply before TLS begins, as attackers do.');
    },
  };
}
