import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { MOST_UNANSWERED } from '#connections';
import { encodeStatus, Refusal, statusToJson } from '../refusal.ts';

const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
const REFUSALS: Readonly<Record<number, Refusal>> = {
  408: new Refusal('timeout', 'The request took too long to arrive.'),
  413: new Refusal('too_large', 'The chunk extensions are too large.'),
  431: new Refusal('too_large', 'The headers are larger than 16 KiB.'),
};
const MALFORMED = new Refusal('malformed', 'This is not a valid HTTP/1.1 request.');
const LINGER_MS = 1000;

/** Answers what Node's parser refuses with google.rpc.Status, in JSON where the part it failed on names that, and closes. */
export function answerClientError(error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void {
  const current: unknown = Reflect.get(socket, '_httpMessage');
  const hasBegun = Boolean(Reflect.get(Object(current), 'headersSent'));
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) {
    socket.destroy();
    return;
  }
  const http = STATUS[error.code ?? ''] ?? 400;
  const refusal = REFUSALS[http] ?? MALFORMED;
  const asJson = Buffer.isBuffer(error.rawPacket) && error.rawPacket.includes('application/json');
  const body = Buffer.from(asJson ? statusToJson(refusal) : encodeStatus(refusal));
  const type = asJson ? 'application/json' : 'application/x-protobuf';
  const head = `HTTP/1.1 ${http} ${STATUS_CODES[http]}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
  socket.end(Buffer.concat([Buffer.from(head), body]));
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function close(response: ServerResponse, status: number, refusal: Refusal): void {
  const body = encodeStatus(refusal);
  const headers = { 'content-type': 'application/x-protobuf', 'content-length': body.length, connection: 'close' };
  response.writeHead(status, headers).end(body);
}

/** The first request of a connection beyond those that may wait for their answers. */
export function refuseUnanswered(response: ServerResponse): void {
  const message = `More than ${MOST_UNANSWERED} requests of this connection wait for their answers.`;
  response.setHeader('retry-after', '1');
  close(response, 429, new Refusal('busy', message));
}

/** An expectation other than 100-continue. */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  close(response, 417, new Refusal('malformed', 'Only Expect: 100-continue is supported.'));
}
