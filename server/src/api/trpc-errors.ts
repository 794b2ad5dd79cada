import type { ErrorCode } from '@svc/contracts/error-codes';
import { TRPCError } from '@trpc/server';
import type { AppError } from '#kernel';

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
  unavailable: 'SERVICE_UNAVAILABLE',
  internal: 'INTERNAL_SERVER_ERROR',
};

export const toTrpcError = (error: AppError): TRPCError =>
  new TRPCError({ code: TRPC_CODE[error.code], message: error.message, cause: error });
