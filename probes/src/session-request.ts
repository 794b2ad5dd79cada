import http from 'node:http';
import type net from 'node:net';
import { runPhase } from './session-failure.ts';

export interface FetchOptions {
  readonly url: URL;
  /** The whole URL in the request line, as a proxy wants it. */
  readonly absolute: boolean;
  readonly maxBytes: number;
}

export interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  /** From sending the request to the first byte back. */
  readonly ttfbMs: number;
  readonly bytes: number;
}

/** One GET on a connected socket, which is spent afterwards. Reading stops at `maxBytes`. */
export async function fetchOnce(socket: net.Socket, options: FetchOptions, signal: AbortSignal): Promise<Answer> {
  const startedMs = performance.now();
  let ttfbMs: number | undefined;
  const request = http.request({
    createConnection: () => socket,
    method: 'GET',
    host: options.url.hostname,
    path: options.absolute ? options.url.href : options.url.pathname + options.url.search,
    headers: {
      host: options.url.host,
      connection: 'close',
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'svc-agent',
    },
  });
  const head = await runPhase<http.IncomingMessage>('request', signal, ({ done, fail }) => {
    socket.once('data', () => {
      ttfbMs ??= performance.now() - startedMs;
    });
    request.once('response', done);
    request.on('error', fail);
    request.end();
    return () => request.destroy();
  });
  const bytes = await readBody(head, options.maxBytes, signal);
  return {
    status: head.statusCode ?? 0,
    location: head.headers.location,
    ttfbMs: ttfbMs ?? performance.now() - startedMs,
    bytes,
  };
}

function readBody(answer: http.IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<number> {
  return runPhase('body', signal, ({ done, fail }) => {
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes < maxBytes) return;
      answer.destroy();
      done(bytes);
    });
    answer.once('end', () => done(bytes));
    answer.on('error', fail);
    answer.once('close', () => {
      if (!answer.complete) fail(Object.assign(new Error('cut short'), { code: 'ECONNRESET' }));
    });
    return () => answer.destroy();
  });
}
