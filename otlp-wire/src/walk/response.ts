import {
  EXPORT_TRACE_PARTIAL_SUCCESS_ERROR_MESSAGE,
  EXPORT_TRACE_PARTIAL_SUCCESS_REJECTED_SPANS,
  EXPORT_TRACE_SERVICE_RESPONSE_PARTIAL_SUCCESS,
} from '../generated/tags.ts';
import type { Signal } from './signal.ts';
import { sizeOfVarint, writeVarint } from './varint.ts';

const rejectedNames: Record<Signal, string> = {
  traces: 'rejectedSpans',
  logs: 'rejectedLogRecords',
  metrics: 'rejectedDataPoints',
};

/** An Export...ServiceResponse that accepts everything, as protobuf: a message without fields. */
export const emptyResponse = (): Buffer => Buffer.alloc(0);

/** The same as OTLP/JSON. */
export const emptyResponseJson = (): Buffer => Buffer.from('{}');

/** An Export...ServiceResponse with partial_success, as protobuf. `rejected` counts spans, records or points: the fields have the same numbers. */
export function partialSuccess(_signal: Signal, rejected: number, message: string): Buffer {
  const text = Buffer.from(message);
  const partial = Buffer.alloc(
    (rejected > 0 ? 1 + sizeOfVarint(rejected) : 0) + (text.length > 0 ? 1 + sizeOfVarint(text.length) + text.length : 0),
  );
  let p = 0;
  if (rejected > 0) p = writeVarint(partial, rejected, partial.writeUInt8(EXPORT_TRACE_PARTIAL_SUCCESS_REJECTED_SPANS, p));
  if (text.length > 0)
    text.copy(partial, writeVarint(partial, text.length, partial.writeUInt8(EXPORT_TRACE_PARTIAL_SUCCESS_ERROR_MESSAGE, p)));
  const response = Buffer.alloc(1 + sizeOfVarint(partial.length) + partial.length);
  partial.copy(
    response,
    writeVarint(response, partial.length, response.writeUInt8(EXPORT_TRACE_SERVICE_RESPONSE_PARTIAL_SUCCESS, 0)),
  );
  return response;
}

/** The same as OTLP/JSON: 64-bit numbers are text there. */
export function partialSuccessJson(signal: Signal, rejected: number, message: string): Buffer {
  return Buffer.from(JSON.stringify({ partialSuccess: { [rejectedNames[signal]]: String(rejected), errorMessage: message } }));
}
