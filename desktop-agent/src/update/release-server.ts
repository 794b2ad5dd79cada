import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { AgentError } from '../agent-error.ts';
import { openTrusted, type Server } from '../identity/open-trusted.ts';
import { UpdateFault } from './update-fault.ts';

/** A server that says nothing for so long is gone. */
const STALLED_MS = 60_000;

/** Hears of each request just before it leaves: its path. */
export type OnRequest = (path: string) => void;
export interface ReleaseServer extends Server {
  onRequest?: OnRequest | undefined;
}

export interface WantedFile {
  /** Base64, as feeds have it. */
  sha512: string;
  /** Bytes. */
  size: number;
  destination: string;
}

function explain(error: unknown, server: Server): UpdateFault {
  if (error instanceof UpdateFault) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof AgentError && code === 'untrusted') return new UpdateFault('untrusted_server', message, { cause: error });
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new UpdateFault('disk_full', 'There is no room on the disk for the update.', { cause: error });
  return new UpdateFault('unreachable', `${server.url}: ${message}`, { cause: error });
}

/** Opens a GET over a proved connection and hands its answer on; the connection ends with `use`. Redirects are not followed. */
async function get<T>(server: ReleaseServer, path: string, use: (message: IncomingMessage) => Promise<T>): Promise<T> {
  try {
    const socket = await openTrusted(server);
    socket.setTimeout(STALLED_MS);
    try {
      const { host } = new URL(server.url);
      const message = await new Promise<IncomingMessage>((resolve, reject) => {
        const call = request({ createConnection: () => socket, host, path, headers: { host, connection: 'close' } });
        call.once('response', resolve);
        call.once('error', reject);
        server.onRequest?.(path);
        call.end();
      });
      return await use(message);
    } finally {
      socket.destroy();
    }
  } catch (error) {
    throw explain(error, server);
  }
}

/** The whole of a small file, or undefined where the server has none. Throws UpdateFault. */
export function fetchSmall(server: ReleaseServer, path: string, maxBytes: number): Promise<Buffer | undefined> {
  return get(server, path, async (message) => {
    if (message.statusCode === 404) return undefined;
    if (message.statusCode !== 200) throw new Error(`status ${message.statusCode}`);
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of message as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > maxBytes) throw new UpdateFault('bad_feed', `${path} is larger than ${maxBytes} bytes.`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  });
}

async function writeChecked(message: IncomingMessage, { sha512, size, destination }: WantedFile): Promise<void> {
  const hash = createHash('sha512');
  const file = await open(destination, 'w', 0o600);
  let received = 0;
  try {
    for await (const part of message as AsyncIterable<Buffer>) {
      received += part.length;
      if (received > size) throw new UpdateFault('bad_size', `The file is larger than the ${size} bytes that were signed.`);
      hash.update(part);
      await file.writeFile(part);
    }
    await file.sync();
  } catch (error) {
    const cut = (error as NodeJS.ErrnoException).code === 'ECONNRESET';
    throw cut ? new UpdateFault('cut_off', `The download ended after ${received} of ${size} bytes.`, { cause: error }) : error;
  } finally {
    await file.close();
  }
  if (received < size) throw new UpdateFault('cut_off', `The download ended after ${received} of ${size} bytes.`);
  if (hash.digest('base64') !== sha512) throw new UpdateFault('bad_hash', 'The file is not the one that was signed.');
}

/** Writes a file that has exactly this size and hash, or leaves none behind and throws UpdateFault. */
export function fetchFile(server: ReleaseServer, path: string, wanted: WantedFile): Promise<void> {
  return get(server, path, async (message) => {
    if (message.statusCode !== 200) throw new Error(`status ${message.statusCode} for ${path}`);
    const announced = Number(message.headers['content-length'] ?? wanted.size);
    if (announced !== wanted.size)
      throw new UpdateFault('bad_size', `The file has ${announced} bytes; ${wanted.size} were signed.`);
    try {
      await writeChecked(message, wanted);
    } catch (error) {
      await rm(wanted.destination, { force: true });
      throw error;
    }
  });
}
