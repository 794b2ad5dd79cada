import http from 'node:http';
import type { Socket } from 'node:net';
import { type OutboundAnswer, OutboundError, type OutboundRequest } from './request.ts';

const MAX_HEAD_BYTES = 32_768;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

interface Exchange {
  request: OutboundRequest;
  url: URL;
  socket: Socket;
  maxBytes: number;
  signal: AbortSignal;
  isLocal: boolean;
}

const flat = (headers: http.IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
    ),
  );

/** What an answer must not be, known from its head. */
function findFault({ url, maxBytes }: Exchange, answer: http.IncomingMessage): OutboundError | undefined {
  const { statusCode = 0, headers } = answer;
  if (REDIRECTS.includes(statusCode))
    return new OutboundError(
      'redirect',
      `${url.host} answered with a redirect (status ${statusCode}); redirects are not followed.`,
    );
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    return new OutboundError('encoding', `${url.host} answered in an encoding that was not asked for.`);
  return Number(headers['content-length'] ?? 0) > maxBytes ? tooLarge(url, maxBytes) : undefined;
}

const tooLarge = (url: URL, maxBytes: number): OutboundError =>
  new OutboundError('too_large', `${url.host} answered with more than ${maxBytes.toLocaleString('en')} bytes.`);

/** Sends one request over an open connection, which it then ends, and reads the answer as far as it may be long. */
export async function exchange(one: Exchange): Promise<OutboundAnswer> {
  const { request, url, socket, maxBytes, signal, isLocal } = one;
  const { method = 'GET', headers = {}, body } = request;
  const asked = http.request({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    signal,
    maxHeaderSize: MAX_HEAD_BYTES,
    headers: {
      ...headers,
      host: url.host,
      'accept-encoding': 'identity',
      connection: 'close',
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    },
  });
  return await new Promise<OutboundAnswer>((resolve, reject) => {
    const fail = (error: OutboundError): void => {
      asked.destroy();
      reject(error);
    };
    const cut = (cause?: unknown): void =>
      signal.aborted
        ? reject(signal.reason)
        : fail(new OutboundError('cut', `${url.host} ended the connection before its answer.`, cause));
    asked.once('error', cut);
    asked.once('response', (answer) => {
      const fault = findFault(one, answer);
      if (fault) return fail(fault);
      const parts: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > maxBytes) return fail(tooLarge(url, maxBytes));
        parts.push(part);
      });
      answer.once('error', cut);
      answer.once('aborted', () => cut());
      answer.once('end', () =>
        resolve({ ok: true, status: answer.statusCode ?? 0, headers: flat(answer.headers), body: Buffer.concat(parts), isLocal }),
      );
    });
    asked.end(body);
  });
}
