import http from 'node:http';
import type net from 'node:net';
import { codeOf } from '../../session-failure.ts';
import { brokenFailure } from '../connect/dial.ts';
import { tlsFailure } from '../connect/secure.ts';
import { beginPhase, endPhase, type Run } from '../run.ts';
import { RunFailure, waitOn } from '../run-failure.ts';
import { type Body, readBody } from './read-body.ts';

/** All header fields of an answer together. */
const MAX_HEAD = 32 * 1024;

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  /** Bytes of the answer's body that are wanted. */
  readonly keep: number;
}

export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly version: string;
  /** Names and values in turn, as they came. */
  readonly fields: readonly string[];
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Body;
}

function answerFailure(error: unknown): RunFailure {
  const code = codeOf(error);
  if (code === 'HPE_HEADER_OVERFLOW')
    return new RunFailure('too_large', `The head of the answer has more than ${MAX_HEAD / 1024} KiB.`);
  if (code.startsWith('HPE_')) return new RunFailure('protocol', `What came back is no HTTP (${code}).`);
  // TLS 1.3 tells only now that it wanted a client's certificate.
  if (code.startsWith('ERR_SSL')) return tlsFailure(error);
  return brokenFailure(error, 'the answer was waited for');
}

/** One request on a connection of its own, which is spent afterwards. */
export async function exchange(run: Run, socket: net.Socket, sent: Sent): Promise<Answer> {
  beginPhase(run, 'first_byte');
  const head = await waitOn<http.IncomingMessage>(run.signal, ({ done, fail }) => {
    const request = http.request({
      createConnection: () => socket,
      method: sent.method,
      path: sent.path,
      headers: [...sent.headers, ...(sent.body ? ['content-length', String(sent.body.length)] : [])],
      setHost: false,
      maxHeaderSize: MAX_HEAD,
      insecureHTTPParser: false,
    });
    request.once('response', done);
    request.on('error', (error) => fail(answerFailure(error)));
    request.once('upgrade', (_answer, other) => {
      other.destroy();
      fail(new RunFailure('protocol', 'The server changed to another protocol, which nobody asked for.'));
    });
    request.once('close', () => fail(new RunFailure('closed', 'The server closed the connection without an answer.')));
    socket.once('data', () => beginPhase(run, 'transfer'));
    request.end(sent.body);
    return () => request.destroy();
  });
  const body = await readBody(head, sent, run.signal);
  endPhase(run);
  return {
    status: head.statusCode ?? 0,
    reason: head.statusMessage ?? '',
    version: head.httpVersion,
    fields: head.rawHeaders,
    headers: head.headers,
    body,
  };
}
