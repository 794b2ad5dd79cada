import { ERROR_CODES, type ErrorCode, HTTP_STATUS } from '@svc/contracts/error-codes';
import { TRPCError } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { AppError, type Fault } from '#kernel';
import { createStormLog } from './log-storm.ts';

/** RFC 9457, with our stable machine word (docs/errors.md). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** Id of the request, as in the logs. */
  instance: string;
  code: ErrorCode;
  errors?: readonly Fault[];
  /** Members that a code has beside these. */
  [member: string]: unknown;
}

const TITLE: Readonly<Record<ErrorCode, string>> = {
  bad_request: 'The request cannot be understood',
  validation: 'The request does not fit its schema',
  unauthorized: 'Not signed in',
  forbidden: 'Not permitted',
  not_found: 'Not found',
  conflict: 'In conflict with what is there',
  too_large: 'Too large',
  rate_limited: 'Too many requests',
  upgrade_required: 'Upgrade required',
  writer_unavailable: 'Writes are not available right now',
  query_limit: 'The query is over its limits',
  egress_denied: 'No consent to send this elsewhere',
  cannot_author: 'No test can be made of this',
  unavailable: 'Not available right now',
  internal: 'Internal error',
  no_consent: 'Consent is missing',
  malformed: 'The beacon cannot be read',
  invalid_field: 'The beacon does not fit its schema',
};

const ERRORS_PAGE = '/docs/errors';

const CODE_OF_STATUS = new Map<number, ErrorCode>([
  [400, 'bad_request'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [405, 'bad_request'],
  [408, 'bad_request'],
  [413, 'too_large'],
  [414, 'too_large'],
  [415, 'bad_request'],
  [429, 'rate_limited'],
  [503, 'unavailable'],
]);

const TRPC_CODE = new Map<TRPCError['code'], ErrorCode>([
  ['BAD_REQUEST', 'validation'],
  ['PARSE_ERROR', 'bad_request'],
  ['NOT_FOUND', 'not_found'],
  ['UNAUTHORIZED', 'unauthorized'],
  ['FORBIDDEN', 'forbidden'],
]);

/** Any thrown thing as an error of ours; what nobody meant for the caller becomes `internal` with the cause kept for the log. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof TRPCError) {
    if (thrown.cause instanceof AppError) return thrown.cause;
    const code = TRPC_CODE.get(thrown.code);
    return code
      ? new AppError(code, thrown.message, { cause: thrown })
      : new AppError('internal', 'Internal error.', { cause: thrown });
  }
  if (hasZodFastifySchemaValidationErrors(thrown)) {
    const faults = thrown.validation.map((one) => ({
      path: one.instancePath.split('/').filter(Boolean).join('.'),
      message: one.message ?? 'is not valid',
    }));
    return new AppError('validation', 'The request does not fit its schema.', { faults });
  }
  const status = statusOf(thrown);
  const code = status === undefined ? undefined : CODE_OF_STATUS.get(status);
  // Fastify's own refusals (body too large, bad JSON, unsupported media type) carry a status below 500 and a safe message.
  if (code && thrown instanceof Error) return new AppError(code, thrown.message, { cause: thrown });
  return new AppError('internal', 'Internal error.', { cause: thrown });
}

function statusOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('statusCode' in thrown)) return undefined;
  return typeof thrown.statusCode === 'number' ? thrown.statusCode : undefined;
}

export function toProblem(error: AppError, requestId: string): Problem {
  return {
    type: `${ERRORS_PAGE}#${error.code}`,
    title: TITLE[error.code],
    status: HTTP_STATUS[error.code],
    detail: error.message,
    instance: requestId,
    code: error.code,
    ...(error.faults.length > 0 ? { errors: error.faults } : {}),
    ...error.more,
  };
}

/** The page that the `type` of every problem points at; it holds nothing of this server. */
export function mountErrorCodes(app: FastifyInstance): void {
  const rows = ERROR_CODES.map(
    (code) => `<dt id="${code}"><code>${code}</code> (${HTTP_STATUS[code]})</dt><dd>${TITLE[code]}.</dd>`,
  );
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Errors</title><h1>Errors</h1>
<p>The codes that a problem document of this API may carry.</p><dl>${rows.join('\n')}</dl></html>\n`;
  app.get(ERRORS_PAGE, { config: { rate: 'pages' as const }, logLevel: 'silent' as const }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(page),
  );
}

const logError = createStormLog();

/** Fastify's error handler: logs what is ours to mend, answers problem+json. */
export function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = toAppError(thrown);
  const err = error.cause ?? error;
  if (error.code === 'internal') logError(request.log, 'error', { err, text: 'request failed' });
  else if (error.code === 'unavailable' || error.code === 'query_limit') logError(request.log, 'warn', { err, text: error.code });
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', Math.ceil(error.retryAfterSeconds));
  reply
    .code(HTTP_STATUS[error.code])
    .type('application/problem+json')
    .send(JSON.stringify(toProblem(error, request.id)));
}
