import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { emptyResponse, partialSuccess, type Signal } from '../../wire/index.ts';
import { type BodySink, collectKnown } from '../body.ts';
import type { Admitted, Intake, Taken } from '../intake.ts';
import { encodeStatus, Refusal, toRefusal } from '../refusal.ts';
import { encodeMessage, frame, PREFIX_BYTES, readPrefix, readTimeout } from './grpc-frames.ts';

const SIGNAL_OF: Readonly<Record<string, Signal>> = {
  '/opentelemetry.proto.collector.trace.v1.TraceService/Export': 'traces',
  '/opentelemetry.proto.collector.logs.v1.LogsService/Export': 'logs',
  '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export': 'metrics',
};

const LONGEST_TIMER_MS = 2 ** 31 - 1;

const OK = { ':status': 200, 'content-type': 'application/grpc' };

/** Ends the stream with a status and no message; what the client still sends is not read. */
function refuseStream(stream: ServerHttp2Stream, refusal: Refusal): void {
  if (stream.destroyed || stream.closed) return;
  const trailers = {
    'grpc-status': String(refusal.answer.grpc),
    'grpc-message': encodeMessage(refusal.message),
    'grpc-status-details-bin': encodeStatus(refusal).toString('base64').replace(/=+$/, ''),
    ...(refusal.reason === 'unsupported' ? { 'grpc-accept-encoding': 'gzip' } : {}),
  };
  if (!stream.headersSent) stream.respond({ ...OK, ...trailers }, { endStream: true });
  stream.close(constants.NGHTTP2_NO_ERROR);
}

/** What is no gRPC at all is told in HTTP's words. */
function refuseHttp(stream: ServerHttp2Stream, status: number): void {
  stream.respond({ ':status': status }, { endStream: true });
  stream.close(constants.NGHTTP2_NO_ERROR);
}

function answerTaken(stream: ServerHttp2Stream, signal: Signal, { rejected, rejectReason }: Taken): void {
  if (stream.destroyed || stream.closed) return;
  const message = rejected > 0 ? partialSuccess(signal, rejected, rejectReason) : emptyResponse();
  stream.respond(OK, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(frame(message));
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

/** Reads exactly one message with its prefix out of the stream's chunks. */
function collectMessage(limits: { maxBytes: number; isGzip: boolean }, { held }: Admitted) {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  let prefixFilled = 0;
  let isCompressed = false;
  let body: BodySink | undefined;
  return {
    take(chunk: Buffer): void {
      let rest = chunk;
      if (!body) {
        const taken = rest.copy(prefix, prefixFilled, 0, PREFIX_BYTES - prefixFilled);
        prefixFilled += taken;
        if (prefixFilled < PREFIX_BYTES) return;
        const read = readPrefix(prefix);
        isCompressed = read.isCompressed;
        if (isCompressed && !limits.isGzip)
          throw new Refusal('malformed', 'The message is compressed, but no grpc-encoding is named.');
        body = collectKnown(read.length, limits.maxBytes, held);
        rest = rest.subarray(taken);
      }
      body.take(rest);
    },
    end(): { body: Buffer; isGzip: boolean } {
      if (!body) throw new Refusal('malformed', 'The call has no message.');
      return { body: body.end(), isGzip: isCompressed };
    },
  };
}

export interface CallDeps {
  intake: Intake;
  /** Called when the connection has shown a valid token. */
  onKnown: () => void;
}

/** Serves one unary call: one message in, one answer with trailers out, whatever the client does meanwhile. */
export async function serveCall(deps: CallDeps, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
  const { intake, onKnown } = deps;
  // A client that resets its stream is no fault of ours; without a listener it would end the process.
  stream.on('error', () => {});
  if (headers[':method'] !== 'POST' || !isGrpc(headers)) {
    refuseHttp(stream, headers[':method'] === 'POST' ? 415 : 405);
    return;
  }
  let call: Call;
  let admitted: Admitted | undefined;
  try {
    call = readCall(headers);
  } catch (error) {
    refuseStream(stream, intake.refuse(error));
    return;
  }
  try {
    admitted = intake.admit(headers.authorization, stream.session ?? stream);
    onKnown();
    await serveAdmitted(intake, { stream, call }, admitted);
  } catch (error) {
    refuseStream(stream, toRefusal(error));
  } finally {
    if (admitted) intake.finish(admitted);
  }
}

async function serveAdmitted(intake: Intake, { stream, call }: { stream: ServerHttp2Stream; call: Call }, admitted: Admitted) {
  const { signal, isGzip, timeoutMs } = call;
  const refuseLate = () => refuseStream(stream, new Refusal('timeout', 'The deadline of the call is over.'));
  const deadline = timeoutMs === undefined ? undefined : setTimeout(refuseLate, Math.min(timeoutMs, LONGEST_TIMER_MS));
  try {
    await intake.wait(admitted);
    if (stream.destroyed || stream.closed) return;
    const message = collectMessage({ maxBytes: intake.maxBytes, isGzip }, admitted);
    const request = await readMessage(stream, message, intake.requestMs).catch((error: unknown) => {
      throw intake.refuse(error, admitted.entry);
    });
    // Reset or cut by its client: there is nobody to answer.
    if (request) answerTaken(stream, signal, await intake.take(admitted, { signal, isJson: false, ...request }));
  } finally {
    clearTimeout(deadline);
  }
}

/** Resolves with the message when the client has ended, undefined when it went away; a Refusal when it takes too long. */
function readMessage(
  stream: ServerHttp2Stream,
  message: ReturnType<typeof collectMessage>,
  limitMs: number,
): Promise<{ body: Buffer; isGzip: boolean } | undefined> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => fail(new Refusal('timeout', 'The request took too long to arrive.')), limitMs);
    const fail = (error: unknown) => {
      clearTimeout(limit);
      stream.removeAllListeners('data');
      stream.pause();
      reject(error);
    };
    stream.on('data', (chunk: Buffer) => {
      try {
        message.take(chunk);
      } catch (error) {
        fail(error);
      }
    });
    stream.on('end', () => {
      clearTimeout(limit);
      try {
        resolve(message.end());
      } catch (error) {
        reject(error);
      }
    });
    stream.on('close', () => {
      clearTimeout(limit);
      resolve(undefined);
    });
  });
}
