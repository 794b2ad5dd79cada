/** Why a request is not accepted; the words of counters, of `otlp.refusals` and of metrics. */
export const REFUSAL_REASONS = [
  'missing_token',
  'unknown_token',
  'expired_token',
  'revoked_token',
  'wrong_tenant',
  'malformed',
  'too_large',
  'unsupported',
  'not_found',
  'timeout',
  'busy',
  'unavailable',
  'internal',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

interface Answer {
  http: number;
  /** google.rpc.Code, which is gRPC's status as well. */
  grpc: number;
}

/** The one table of answers (docs/telemetry/otlp.md; OTLP decides which of them a client may try again). */
const ANSWERS: Readonly<Record<RefusalReason, Answer>> = {
  missing_token: { http: 401, grpc: 16 },
  unknown_token: { http: 401, grpc: 16 },
  expired_token: { http: 401, grpc: 16 },
  revoked_token: { http: 401, grpc: 16 },
  wrong_tenant: { http: 403, grpc: 7 },
  malformed: { http: 400, grpc: 3 },
  too_large: { http: 413, grpc: 8 },
  unsupported: { http: 415, grpc: 12 },
  not_found: { http: 404, grpc: 12 },
  timeout: { http: 408, grpc: 4 },
  busy: { http: 429, grpc: 14 },
  unavailable: { http: 503, grpc: 14 },
  internal: { http: 500, grpc: 13 },
};

/** The message is shown to the sender. With `retryAfterSeconds` the same request may come again, without it may not. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  readonly retryAfterSeconds: number | undefined;
  /** Place of the resource that is to blame, from 0. */
  readonly resourceIndex: number | undefined;

  constructor(reason: RefusalReason, message: string, more: { retryAfterSeconds?: number; resourceIndex?: number } = {}) {
    super(message);
    this.name = 'Refusal';
    this.reason = reason;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.resourceIndex = more.resourceIndex;
  }

  get answer(): Answer {
    return ANSWERS[this.reason];
  }
}

/** Anything that is not a refusal stays inside and says only that it failed. */
export const toRefusal = (error: unknown): Refusal =>
  error instanceof Refusal ? error : new Refusal('internal', 'The receiver failed on this request.');

const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return bytes;
}

const field = (number: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(bytes.length)]), bytes]);

/** google.rpc.Status in protobuf: body of an HTTP error and `grpc-status-details-bin`. */
export function encodeStatus({ answer, message, retryAfterSeconds }: Refusal): Buffer {
  const parts = [Buffer.from([8, ...varint(answer.grpc)]), field(2, Buffer.from(message))];
  if (retryAfterSeconds !== undefined) {
    const delay = field(1, Buffer.from([8, ...varint(retryAfterSeconds)]));
    parts.push(field(3, Buffer.concat([field(1, Buffer.from(RETRY_INFO)), field(2, delay)])));
  }
  return Buffer.concat(parts);
}

/** The same as JSON. */
export const statusToJson = ({ answer, message, retryAfterSeconds }: Refusal): string =>
  JSON.stringify({
    code: answer.grpc,
    message,
    ...(retryAfterSeconds === undefined ? {} : { details: [{ '@type': RETRY_INFO, retryDelay: `${retryAfterSeconds}s` }] }),
  });
