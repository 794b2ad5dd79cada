import { type ErrorCode, HTTP_STATUS } from '@svc/contracts/error-codes';
import type { Permission } from '@svc/contracts/permissions';
import { TRPCError } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerError, toAppError } from '#edge';
import { AppError } from '#kernel';

/** The one table from our codes to tRPC's. */
const TRPC_CODE: Readonly<Record<ErrorCode, TRPCError['code']>> = {
  bad_request: 'BAD_REQUEST',
  validation: 'BAD_REQUEST',
  unauthorized: 'UNAUTHORIZED',
  forbidden: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  conflict: 'CONFLICT',
  too_large: 'PAYLOAD_TOO_LARGE',
  rate_limited: 'TOO_MANY_REQUESTS',
  upgrade_required: 'PRECONDITION_FAILED',
  writer_unavailable: 'SERVICE_UNAVAILABLE',
  query_limit: 'SERVICE_UNAVAILABLE',
  egress_denied: 'FORBIDDEN',
  cannot_author: 'UNPROCESSABLE_CONTENT',
  unavailable: 'SERVICE_UNAVAILABLE',
  internal: 'INTERNAL_SERVER_ERROR',
  no_consent: 'BAD_REQUEST',
  malformed: 'BAD_REQUEST',
  invalid_field: 'BAD_REQUEST',
};

export const toTrpcError = (error: AppError): TRPCError =>
  new TRPCError({ code: TRPC_CODE[error.code], message: error.message, cause: error });

/** The sentence names the key for programs; the fault holds it for a page that has words of its own. */
export const missingPermission = (permission: Permission): AppError =>
  new AppError('forbidden', `This needs the permission ${permission}.`, {
    faults: [{ path: 'permission', message: permission }],
  });

/** What is refused before any procedure runs, in the shape of tRPC's own errors, which its clients read. */
export function answerTrpcError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = toAppError(thrown);
  if (error.code === 'internal') {
    answerError(thrown, request, reply);
    return;
  }
  const code = TRPC_CODE[error.code];
  const httpStatus = HTTP_STATUS[error.code];
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', Math.ceil(error.retryAfterSeconds));
  const data = { code, httpStatus, requestId: request.id, appCode: error.code, faults: error.faults, more: error.more };
  const body = { error: { message: error.message, code: TRPC_ERROR_CODES_BY_KEY[code], data } };
  const isBatch = new URL(request.url, 'https://any').searchParams.get('batch') === '1';
  reply
    .code(httpStatus)
    .type('application/json')
    .send(JSON.stringify(isBatch ? [body] : body));
}
