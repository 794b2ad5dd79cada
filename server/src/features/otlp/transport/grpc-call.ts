import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { emptyResponse, partialSuccess, type Signal } from '@svc/otlp-wire/walk';
import type { TenantId } from '#kernel';
import type { Intake, Taken } from '../admit.ts';
import type { Admitted } from '../admitted.ts';
import { type BodySink, collectKnown } from '../body.ts';
import { encodeStatus, Refusal, toRefusal } from '../refusal.ts';
import { encodeMessage, frame, PREFIX_BYTES, readPrefix, readTimeout } from './grpc-frames.ts';
import type { Patience } from './patience.ts';

const SIGNAL_OF: Readonly<Record<string, Signal>> = {
  '/opentelemetry.proto.collector.trace.v1.TraceService/Export': 'traces',
  '/opentelemetry.proto.collector.logs.v1.LogsService/Export': 'logs',
  '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export': 'metrics',
};

const LONGEST_TIMER_MS = 2 ** 31 - 1;

const TYPE = 'application/grpc';
/** As a list, which node takes as it is: a new one each time, since it appends the date. */
const okHeaders = (): string[] => [':status', '200', 'content-type', TYPE];
const WITH_TRAILERS = { waitForTrailers: true };
const OK_TRAILERS = { 'grpc-status': '0' };
const EMPTY = frame(emptyResponse());

/** Ends the stream with a status and no message; what the client still sends is not read. */
function refuseStream(stream: ServerHttp2Stream, refusal: Refusal): void {
  if (stream.destroyed || stream.closed) return;
  const trailers = {
    'grpc-status': String(refusal.answer.grpc),
    'grpc-message': encodeMessage(refusal.message),
    'grpc-status-details-bin': encodeStatus(refusal).toString('base64').replace(/=+$/, ''),
    ...(refusal.reason === 'unsupported' ? { 'grpc-accept-encoding': 'gzip' } : {}),
  };
  if (!stream.headersSent) stream.respond({ ':status': 200, 'content-type': TYPE, ...trailers }, { endStream: true });
  stream.close(constants.NGHTTP2_NO_ERROR);
}

/** What is no gRPC at all is told in HTTP's words. */
function refuseHttp(stream: ServerHttp2Stream, status: number): void {
  stream.respond({ ':status': status }, { endStream: true });
  stream.close(constants.NGHTTP2_NO_ERROR);
}

function answerTaken(stream: ServerHttp2Stream, signal: Signal, { rejected, message }: Taken): void {
  if (stream.destroyed || stream.closed) return;
  stream.respond(okHeaders(), WITH_TRAILERS);
  stream.on('wantTrailers', sendOk);
  stream.end(message === '' ? EMPTY : frame(partialSuccess(signal, rejected, message)));
}

function sendOk(this: ServerHttp2Stream): void {
  this.sendTrailers(OK_TRAILERS);
}

interface Call {
  signal: Signal;
  isGzip: boolean;
  timeoutMs: number | undefined;
}

/** What the headers ask for; a Refusal for anything that is not one of the three exports. */
function readCall(headers: IncomingHttpHeaders): Call {
  const signal = SIGNAL_OF[headers[':path'] ?? ''];
  if (!signal) throw new Refusal('not_found', 'There is no such method here.');
  const encoding = headers['grpc-encoding'] ?? 'identity';
  if (encoding !== 'gzip' && encoding !== 'identity')
    throw new Refusal('unsupported', 'Of grpc-encoding only gzip and identity are known here.');
  return { signal, isGzip: encoding === 'gzip', timeoutMs: readTimeout(headers['grpc-timeout'] as string | undefined) };
}

const isGrpc = (headers: IncomingHttpHeaders): boolean => /^application\/grpc(\+proto)?(;|$)/.test(headers['content-type'] ?? '');

interface Message {
  body: Buffer;
  isGzip: boolean;
}

/** Exactly one message with its prefix, out of a stream's chunks. */
class MessageReader {
  private readonly admitted: Admitted;
  private readonly limits: { maxBytes: number; isGzip: boolean };
  /** Where not all of it came at once. */
  private prefix: Buffer | undefined;
  private isCompressed = false;
  private body: BodySink | undefined;

  constructor(admitted: Admitted, limits: { maxBytes: number; isGzip: boolean }) {
    this.admitted = admitted;
    this.limits = limits;
  }

  take(chunk: Buffer): void {
    if (this.body) this.body.take(chunk);
    else this.begin(this.prefix ? Buffer.concat([this.prefix, chunk]) : chunk);
  }

  private begin(chunk: Buffer): void {
    if (chunk.length < PREFIX_BYTES) {
      this.prefix = chunk;
      return;
    }
    const { length, isCompressed } = readPrefix(chunk);
    if (isCompressed && !this.limits.isGzip)
      throw new Refusal('malformed', 'The message is compressed, but no grpc-encoding is named.');
    this.isCompressed = isCompressed;
    this.body = collectKnown(length, this.limits.maxBytes, this.admitted);
    if (chunk.length > PREFIX_BYTES) this.body.take(chunk.subarray(PREFIX_BYTES));
  }

  end(): Message {
    if (!this.body) throw new Refusal('malformed', 'The call has no message.');
    return { body: this.body.end(), isGzip: this.isCompressed };
  }
}

export interface GrpcDeps {
  intake: Intake;
  /** For messages that do not come. */
  patience: Patience;
  /** Called when the connection has shown a valid token. */
  onKnown: (session: ServerHttp2Session, tenant: TenantId) => void;
}

const ignore = (): void => {};

/** Serves one unary call: one message in, one answer with trailers out, whatever the client does meanwhile. */
export function serveCall(deps: GrpcDeps, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  const { intake, onKnown } = deps;
  const { session } = stream;
  // A client that resets its stream is no fault of ours; without a listener it would end the process.
  stream.on('error', ignore);
  if (headers[':method'] !== 'POST' || !isGrpc(headers)) {
    refuseHttp(stream, headers[':method'] === 'POST' ? 415 : 405);
    return;
  }
  let call: Call;
  try {
    call = readCall(headers);
  } catch (error) {
    refuseStream(stream, intake.refuse(error));
    return;
  }
  try {
    const admitted = intake.admit(headers.authorization, session ?? stream);
    stream.once('close', admitted.leave);
    if (session) onKnown(session as ServerHttp2Session, admitted.entry.tenant);
    void serveAdmitted(deps, { stream, call }, admitted);
  } catch (error) {
    refuseStream(stream, toRefusal(error));
  }
}

async function serveAdmitted(
  { intake, patience }: GrpcDeps,
  { stream, call }: { stream: ServerHttp2Stream; call: Call },
  admitted: Admitted,
): Promise<void> {
  const { signal, isGzip, timeoutMs } = call;
  const refuseLate = () => refuseStream(stream, new Refusal('timeout', 'The deadline of the call is over.'));
  const deadline = timeoutMs === undefined ? undefined : setTimeout(refuseLate, Math.min(timeoutMs, LONGEST_TIMER_MS));
  try {
    const turn = intake.wait(admitted);
    if (turn) await turn;
    if (stream.destroyed || stream.closed) return;
    const reader = new MessageReader(admitted, { maxBytes: intake.maxBytes, isGzip });
    const message = await readMessage(stream, reader, patience).catch((error: unknown) => {
      throw intake.refuse(error, admitted.entry);
    });
    // Reset or cut by its client: there is nobody to answer.
    if (message) answerTaken(stream, signal, await intake.take(admitted, { signal, isJson: false, ...message }));
  } catch (error) {
    refuseStream(stream, toRefusal(error));
  } finally {
    clearTimeout(deadline);
    admitted.finish();
  }
}

/** Resolves with the message when the client has ended, undefined when it went away; a Refusal when it takes too long. */
function readMessage(stream: ServerHttp2Stream, reader: MessageReader, patience: Patience): Promise<Message | undefined> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      patience.takeBack(giveUp);
      stream.removeAllListeners('data');
      stream.pause();
      reject(error);
    };
    const giveUp = (): void => fail(new Refusal('timeout', 'The request took too long to arrive.'));
    patience.wait(giveUp);
    stream.on('data', (chunk: Buffer) => {
      try {
        reader.take(chunk);
      } catch (error) {
        fail(error);
      }
    });
    stream.on('end', () => {
      patience.takeBack(giveUp);
      try {
        resolve(reader.end());
      } catch (error) {
        reject(error);
      }
    });
    stream.on('close', () => {
      patience.takeBack(giveUp);
      resolve(undefined);
    });
  });
}
