import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { AgentError } from '../agent-error.ts';
import { explainUnreached, openTrusted, type Server } from './open-trusted.ts';

export interface JsonAnswer {
  status: number;
  body: unknown;
  /** The server's clock by its Date header, Unix milliseconds; undefined without one. */
  serverTimeMs: number | undefined;
}

const TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 256 * 1024;

async function readAnswer(message: IncomingMessage): Promise<JsonAnswer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of message as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES) throw new AgentError('bad_answer', 'The server’s answer is too large to be one.');
    parts.push(part);
  }
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch (cause) {
    throw new AgentError(
      'bad_answer',
      `The server answered ${message.statusCode} without a document. Is this the right address?`,
      { cause },
    );
  }
  const serverTimeMs = Date.parse(message.headers.date ?? '');
  return { status: message.statusCode ?? 0, body, serverTimeMs: Number.isNaN(serverTimeMs) ? undefined : serverTimeMs };
}

interface Place {
  server: Server;
  path: string;
}

/** POSTs one JSON document, of whose very bytes `onSending` hears just before they leave; throws `unreachable`, `untrusted` or `bad_answer`. An answer of any status is returned. */
export async function postJson(
  { server, path }: Place,
  document: unknown,
  onSending: (content: Buffer) => void,
): Promise<JsonAnswer> {
  const socket = await openTrusted(server);
  const content = Buffer.from(JSON.stringify(document));
  try {
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const call = request({
        createConnection: () => socket,
        host: new URL(server.url).host,
        path,
        method: 'POST',
        headers: {
          host: new URL(server.url).host,
          'content-type': 'application/json',
          accept: 'application/json, application/problem+json',
          'content-length': content.length,
          connection: 'close',
        },
        timeout: TIMEOUT_MS,
      });
      call.once('timeout', () => call.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
      call.once('response', resolve);
      call.once('error', (error) => reject(explainUnreached(error, server)));
      onSending(content);
      call.end(content);
    });
    return await readAnswer(message);
  } finally {
    socket.destroy();
  }
}
