import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { connect, getCACertificates, type TLSSocket } from 'node:tls';
import { AgentError } from '../agent-error.ts';
import { checkPin, presentedChain } from './pin.ts';

export interface JsonAnswer {
  status: number;
  body: unknown;
  /** The server's clock by its Date header, Unix milliseconds; undefined without one. */
  serverTimeMs: number | undefined;
}

export interface Server {
  /** `https://host:port` */
  url: string;
  pin?: string | undefined;
}

const TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 256 * 1024;

function explain(error: NodeJS.ErrnoException, server: Server): AgentError {
  if (error instanceof AgentError) return error;
  const code = error.code ?? '';
  if (/^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code))
    return new AgentError(
      'untrusted',
      `This device does not trust the certificate of ${server.url} (${code}). A token with a pin, or a certificate of a known authority, is needed.`,
      { cause: error },
    );
  return new AgentError('unreachable', `${server.url} cannot be reached: ${code || error.message}.`, { cause: error });
}

/** Opens TLS and proves the server before a single byte of ours is sent. */
function openTrusted(server: Server): Promise<TLSSocket> {
  const { hostname, port } = new URL(server.url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const trust = server.pin === undefined ? { ca: [...getCACertificates('default'), ...getCACertificates('system')] } : {};
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      ...(isIP(host) ? {} : { servername: host }),
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
      rejectUnauthorized: server.pin === undefined,
      timeout: TIMEOUT_MS,
      ...trust,
    });
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
    socket.once('error', (error) => reject(explain(error, server)));
    socket.once('secureConnect', () => {
      try {
        if (server.pin !== undefined) checkPin(presentedChain(socket), server.pin, Date.now());
        resolve(socket);
      } catch (error) {
        socket.destroy();
        reject(error);
      }
    });
  });
}

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

/** POSTs one JSON document; throws `unreachable`, `untrusted` or `bad_answer`. An answer of any status is returned. */
export async function postJson(server: Server, path: string, document: unknown): Promise<JsonAnswer> {
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
      call.once('error', (error) => reject(explain(error, server)));
      call.end(content);
    });
    return await readAnswer(message);
  } finally {
    socket.destroy();
  }
}
