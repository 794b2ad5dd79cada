import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '@svc/contracts/error-codes';
import { MOST_UNANSWERED } from '#connections';
import { AppError } from '#kernel';
import { toProblem } from './problem.ts';

/** The longest address of a request. */
export const MAX_URL_CHARS = 12 * 1024;
export const MAX_HEADERS = 100;
const MAX_HEADER_BYTES = 16 * 1024;
/** What the parser takes of address and headers together: enough that it is seen which of them is too long. */
export const MAX_HEAD_BYTES = 2 * MAX_HEADER_BYTES;

interface Refused {
  status: number;
  code: ErrorCode;
  message: string;
}

const MALFORMED: Refused = { status: 400, code: 'bad_request', message: 'This is not a valid HTTP/1.1 request.' };
const LONG_URL: Refused = { status: 414, code: 'too_large', message: `The address is longer than ${MAX_URL_CHARS / 1024} KiB.` };
const LARGE_HEADERS: Refused = {
  status: 431,
  code: 'too_large',
  message: `The headers are larger than ${MAX_HEADER_BYTES / 1024} KiB.`,
};
const REFUSED: Readonly<Record<string, Refused>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'too_large', message: `The headers are larger than ${MAX_HEADER_BYTES / 1024} KiB.` },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, code: 'too_large', message: 'The chunk extensions are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'bad_request', message: 'The request took too long to arrive.' },
};

/** What the parser saw last, where it is the start of a request whose first line has no end. */
const isLongUrl = ({ rawPacket }: { rawPacket?: unknown }): boolean => {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1', 0, MAX_URL_CHARS) : '';
  return /^[A-Z]{3,7} /.test(text) && !text.includes('\r\n');
};

function toText({ status, code, message }: Refused): string {
  const id = randomUUID();
  const body = JSON.stringify({ ...toProblem(new AppError(code, message), id), status });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${id}`,
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Answers what Node's parser refuses, before there is a request, with a problem document, and closes. */
export function answerClientError(error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void {
  // Half an answer cannot be followed by another.
  const current = (socket as Socket & { _httpMessage?: ServerResponse })._httpMessage;
  if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent) {
    socket.destroy();
    return;
  }
  const refused = REFUSED[error.code ?? ''] ?? MALFORMED;
  const isTooLong = error.code === 'HPE_HEADER_OVERFLOW' && isLongUrl(error);
  socket.end(toText(isTooLong ? LONG_URL : refused));
  // A client that does not read its refusal is not waited for.
  setTimeout(() => socket.destroy(), 1000).unref();
}

/** What Node would answer itself, or take without a word: the fault of a request whose headers have come. */
export function findHeadFault(request: IncomingMessage): Refused | undefined {
  if ((request.url?.length ?? 0) > MAX_URL_CHARS) return LONG_URL;
  // Node reads no more than this many and drops the rest.
  if (request.rawHeaders.length >= 2 * MAX_HEADERS)
    return { status: 431, code: 'too_large', message: `The request has ${MAX_HEADERS} headers or more.` };
  if (request.rawHeaders.reduce((sum, text) => sum + text.length, 0) > MAX_HEADER_BYTES) return LARGE_HEADERS;
  if (request.httpVersion === '1.1' && request.headers.host === undefined)
    return { ...MALFORMED, message: 'The header Host is missing.' };
  return undefined;
}

/** An expectation other than 100-continue. */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const id = randomUUID();
  const error = new AppError('bad_request', 'Only Expect: 100-continue is supported.');
  response.writeHead(417, { 'content-type': 'application/problem+json', 'x-request-id': id, connection: 'close' });
  response.end(JSON.stringify({ ...toProblem(error, id), status: 417 }));
}

/** The first request of a connection beyond those that may wait for their answers. */
export function refuseUnanswered(response: ServerResponse): void {
  const id = randomUUID();
  const message = `More than ${MOST_UNANSWERED} requests of this connection wait for their answers.`;
  const body = JSON.stringify(toProblem(new AppError('rate_limited', message), id));
  response.writeHead(429, {
    'content-length': Buffer.byteLength(body),
    'content-type': 'application/problem+json',
    'x-request-id': id,
    'retry-after': '1',
    connection: 'close',
  });
  response.end(body);
}

export const headProblem = (refused: Refused, id: string): string =>
  JSON.stringify({ ...toProblem(new AppError(refused.code, refused.message), id), status: refused.status });
