import { connect, type Socket } from 'node:net';
import { createMessageReader, encodeAddMatch, encodeGetProperty, encodeHello, type Message } from './dbus-message.ts';

/** The name under which a desktop offers a tray (StatusNotifierItem); Chromium asks for the very same. */
const WATCHER = 'org.kde.StatusNotifierWatcher';
const RULE = `type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='${WATCHER}'`;
const HELLO = 1;
const ADD_MATCH = 2;
/** A panel takes its name first and registers as host a moment later. */
const SETTLE_MS = 500;

export interface TrayWatch {
  close(): void;
}

/** Path of the session bus out of an address such as `unix:path=/run/user/1000/bus,guid=...`; undefined where it is no path. */
export function busPath(address: string | undefined, runtimeDir: string | undefined): string | undefined {
  if (!address) return runtimeDir ? `${runtimeDir}/bus` : undefined;
  for (const one of address.split(';')) {
    const path = /^unix:(?:.*,)?path=([^,]+)/.exec(one)?.[1];
    if (path) return decodeURIComponent(path);
  }
  return undefined;
}

interface Watching {
  socket: Socket;
  serial: number;
  asked: number;
  timer: NodeJS.Timeout | undefined;
}

function ask(w: Watching): void {
  w.serial += 1;
  w.asked = w.serial;
  w.socket.write(encodeGetProperty(w.serial, WATCHER, 'IsStatusNotifierHostRegistered'));
}

function hear(w: Watching, message: Message, onChange: (has: boolean) => void): void {
  if (message.kind === 'signal' && message.member === 'NameOwnerChanged') {
    clearTimeout(w.timer);
    w.timer = setTimeout(() => ask(w), SETTLE_MS);
  }
  if (message.replyTo === undefined || message.replyTo !== w.asked) return;
  // Nobody has the name: the bus answers with an error.
  onChange(message.kind === 'return' && message.flag === true);
}

/**
 * Tells whether this desktop shows tray icons, now and each time that changes: a panel may start after us, stock GNOME never has one.
 * Where the bus cannot be asked `onChange` is not called at all. Linux only.
 */
export function watchTray(path: string, onChange: (has: boolean) => void): TrayWatch {
  const socket = connect(path);
  const w: Watching = { socket, serial: ADD_MATCH, asked: 0, timer: undefined };
  const read = createMessageReader((message) => hear(w, message, onChange));
  let greeted = false;
  socket.on('error', () => undefined);
  socket.once('connect', () => {
    const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
    socket.write(`\0AUTH EXTERNAL ${uid}\r\n`);
  });
  socket.on('data', (chunk) => {
    if (greeted) return read(chunk);
    if (!chunk.toString('latin1').startsWith('OK ')) return void socket.destroy();
    greeted = true;
    socket.write('BEGIN\r\n');
    socket.write(encodeHello(HELLO));
    socket.write(encodeAddMatch(ADD_MATCH, RULE));
    ask(w);
  });
  return {
    close() {
      clearTimeout(w.timer);
      socket.destroy();
    },
  };
}
