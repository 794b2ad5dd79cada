import type { Socket } from 'node:net';

/** A way to one peer for lines of text, over whatever carries them. */
export interface Channel {
  /** Takes one line without its end. A peer that does not read is cut off rather than waited for. */
  send(line: string): void;
  /** Called once, before anything is read. */
  start(listener: { line(text: string): void; closed(): void }): void;
  close(): void;
}

export interface ChannelBounds {
  /** Bytes of one line. */
  frame: number;
  /** Bytes that may wait for a peer that does not read. */
  backlog: number;
}

const NEWLINE = 0x0a;

/** Cuts a stream into lines; `onFault` is called once for a line over the bound, and nothing after it. */
export function createLineReader(maxBytes: number, onLine: (text: string) => void, onFault: () => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  let failed = false;
  return (chunk) => {
    for (let from = 0; !failed && from < chunk.length; ) {
      const end = chunk.indexOf(NEWLINE, from);
      const part = chunk.subarray(from, end < 0 ? chunk.length : end);
      held += part.length;
      if (held > maxBytes) {
        failed = true;
        parts = [];
        onFault();
        return;
      }
      parts.push(part);
      if (end < 0) return;
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      held = 0;
      from = end + 1;
      onLine(line);
    }
  };
}

/** Lines over a local socket or pipe. */
export function socketChannel(socket: Socket, bounds: ChannelBounds): Channel {
  socket.on('error', () => undefined);
  return {
    send(line) {
      if (socket.destroyed) return;
      socket.write(`${line}\n`);
      if (socket.writableLength > bounds.backlog) socket.destroy();
    },
    start({ line, closed }) {
      const read = createLineReader(bounds.frame, line, () => socket.destroy());
      socket.on('data', (chunk) => {
        if (!socket.destroyed) read(chunk);
      });
      socket.once('close', closed);
      socket.resume();
    },
    close: () => socket.destroy(),
  };
}

/** The part of a MessagePort that is used: Node's, and Electron's of a utility process, are alike in it. */
export interface PortLike {
  postMessage(text: string): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
  start?(): void;
  close(): void;
}

/** Lines over a port, one a message. Node hands the text over, Electron an event that holds it. */
export function portChannel(port: PortLike, bounds: ChannelBounds): Channel {
  return {
    send: (line) => port.postMessage(line),
    start({ line, closed }) {
      port.once('close', closed);
      port.on('message', (message) => {
        const text = typeof message === 'object' && message !== null && 'data' in message ? message.data : message;
        if (typeof text === 'string' && Buffer.byteLength(text) <= bounds.frame) line(text);
        else port.close();
      });
      port.start?.();
    },
    close: () => port.close(),
  };
}
