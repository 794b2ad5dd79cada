import type { IncomingMessage, ServerResponse } from 'node:http';
import { emptyResponse, partialSuccess, partialSuccessJson, type Signal } from '@svc/otlp-wire/walk';
import type { TenantId } from '#kernel';
import type { Intake, Taken } from '../admit.ts';
import type { Admitted } from '../admitted.ts';
import { type BodySink, collectKnown, collectUnknown } from '../body.ts';
import { encodeStatus, Refusal, statusToJson, toRefusal } from '../refusal.ts';

const SIGNAL_OF: Readonly<Record<string, Signal>> = { '/v1/traces': 'traces', '/v1/logs': 'logs', '/v1/metrics': 'metrics' };

const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';

/** What is left of a refused request is read for so long, so that its sender gets to read the answer. */
const LINGER_MS = 1000;

const typeOf = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

function send(response: ServerResponse, status: number, { type, body }: { type: string; body: Buffer | string }): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

interface Refused {
  request: IncomingMessage;
  response: ServerResponse;
  /** Its token was good: others keep no connection. */
  isKnown: boolean;
}

/** google.rpc.Status in the request's encoding; protobuf where that cannot be told. */
function refuseRequest({ request, response, isKnown }: Refused, refusal: Refusal): void {
  if (response.headersSent || response.destroyed) return;
  if (refusal.answer.http === 401) response.setHeader('www-authenticate', 'Bearer');
  if (refusal.reason === 'unsupported') response.setHeader('accept-encoding', 'gzip');
  if (refusal.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(refusal.retryAfterSeconds));
  const isUnread = !request.complete;
  if (isUnread || !isKnown) response.setHeader('connection', 'close');
  const asJson = typeOf(request) === JSON_TYPE;
  const body = asJson ? statusToJson(refusal) : encodeStatus(refusal);
  send(response, refusal.answer.http, { type: asJson ? JSON_TYPE : PROTOBUF, body });
  if (isUnread) readOn(request);
}

/** A cut connection could reach the sender before the answer does. */
function readOn(request: IncomingMessage): void {
  request.resume();
  setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
}

function answerTaken(response: ServerResponse, signal: Signal, { taken, isJson }: { taken: Taken; isJson: boolean }): void {
  if (response.destroyed) return;
  const { rejected, message } = taken;
  if (isJson)
    send(response, 200, { type: JSON_TYPE, body: message === '' ? '{}' : partialSuccessJson(signal, rejected, message) });
  else
    send(response, 200, {
      type: PROTOBUF,
      body: message === '' ? emptyResponse() : partialSuccess(signal, rejected, message),
    });
}

interface Export {
  signal: Signal;
  isJson: boolean;
  isGzip: boolean;
}

/** What the headers ask for. */
function readExport(request: IncomingMessage, signal: Signal): Export {
  const type = typeOf(request);
  if (type !== PROTOBUF && type !== JSON_TYPE) throw new Refusal('unsupported', `content-type is ${PROTOBUF} or ${JSON_TYPE}.`);
  const encoding = request.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding !== 'gzip' && encoding !== 'identity')
    throw new Refusal('unsupported', 'Of content-encoding only gzip and identity are known here.');
  return { signal, isJson: type === JSON_TYPE, isGzip: encoding === 'gzip' };
}

function collect(request: IncomingMessage, maxBytes: number, admitted: Admitted): BodySink {
  const length = request.headers['content-length'];
  return length === undefined ? collectUnknown(maxBytes, admitted) : collectKnown(Number(length), maxBytes, admitted);
}

/** Resolves with the body, undefined when the sender went away. */
function readBody(request: IncomingMessage, sink: BodySink): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const attempt = (work: () => void) => {
      try {
        work();
      } catch (error) {
        request.removeAllListeners('data');
        reject(error);
      }
    };
    request.on('data', (chunk: Buffer) => attempt(() => sink.take(chunk)));
    request.on('end', () => attempt(() => resolve(sink.end())));
    request.on('error', () => resolve(undefined));
    request.on('close', () => resolve(undefined));
  });
}

export interface CallDeps {
  intake: Intake;
  /** Called when the connection has shown a valid token. */
  onKnown: (tenant: TenantId) => void;
}

/** Serves one request of the HTTPS listener. */
export async function serveExport(
  { intake, onKnown }: CallDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.on('error', () => {});
  let admitted: Admitted | undefined;
  try {
    const signal = SIGNAL_OF[request.url?.split('?', 1)[0] ?? ''];
    if (!signal) throw intake.refuse(new Refusal('not_found', 'Only POST /v1/traces, /v1/logs and /v1/metrics are served here.'));
    if (request.headers.host === undefined && request.httpVersion === '1.1')
      throw intake.refuse(new Refusal('malformed', 'The header Host is missing.'));
    if (request.method !== 'POST') {
      refuseMethod(request, response);
      return;
    }
    admitted = intake.admit(request.headers.authorization, request.socket);
    response.once('close', admitted.leave);
    onKnown(admitted.entry.tenant);
    await serveAdmitted(intake, { request, response, signal }, admitted);
  } catch (error) {
    refuseRequest({ request, response, isKnown: admitted !== undefined || isForLater(error) }, toRefusal(error));
  } finally {
    admitted?.finish();
  }
}

/** Refused although its token was good. */
const isForLater = (error: unknown): boolean => error instanceof Refusal && ['busy', 'unavailable'].includes(error.reason);

function refuseMethod(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(405, { allow: 'POST', 'content-length': 0, connection: 'close' });
  response.end();
  if (!request.complete) readOn(request);
}

async function serveAdmitted(
  intake: Intake,
  { request, response, signal }: { request: IncomingMessage; response: ServerResponse; signal: Signal },
  admitted: Admitted,
): Promise<void> {
  const { wanted, body } = await readRequest(intake, { request, response, signal }, admitted).catch((error: unknown) => {
    throw intake.refuse(error, admitted.entry);
  });
  // Cut by its sender: there is nobody to answer.
  if (!body) return;
  const taken = await intake.take(admitted, { ...wanted, body });
  answerTaken(response, signal, { taken, isJson: wanted.isJson });
}

async function readRequest(
  { maxBytes, wait }: Intake,
  { request, response, signal }: { request: IncomingMessage; response: ServerResponse; signal: Signal },
  admitted: Admitted,
): Promise<{ wanted: Export; body: Buffer | undefined }> {
  const wanted = readExport(request, signal);
  await wait(admitted);
  if (request.destroyed) return { wanted, body: undefined };
  const sink = collect(request, maxBytes, admitted);
  if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue();
  return { wanted, body: await readBody(request, sink) };
}
