import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { ERROR_CODE_METADATA } from '@svc/contracts/agent/version';
import type { ErrorCode } from '@svc/contracts/error-codes';
import { AppError } from '#kernel';

/** The one table from our codes to gRPC's. */
export const GRPC_STATUS: Readonly<Record<ErrorCode, status>> = {
  bad_request: status.INVALID_ARGUMENT,
  validation: status.INVALID_ARGUMENT,
  unauthorized: status.UNAUTHENTICATED,
  forbidden: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  conflict: status.ABORTED,
  too_large: status.RESOURCE_EXHAUSTED,
  rate_limited: status.RESOURCE_EXHAUSTED,
  upgrade_required: status.FAILED_PRECONDITION,
  writer_unavailable: status.UNAVAILABLE,
  query_limit: status.RESOURCE_EXHAUSTED,
  egress_denied: status.PERMISSION_DENIED,
  cannot_author: status.FAILED_PRECONDITION,
  unavailable: status.UNAVAILABLE,
  internal: status.INTERNAL,
  no_consent: status.INVALID_ARGUMENT,
  malformed: status.INVALID_ARGUMENT,
  invalid_field: status.INVALID_ARGUMENT,
};

/** Seconds after which trying again makes sense, as text, beside `svc-error-code`. */
export const RETRY_AFTER_METADATA = 'svc-retry-after';

/** What a caller sees of an error: our code and a safe sentence; anything that is not an AppError says only that it failed. */
export function toGrpcError(error: unknown): ServiceError {
  const known = error instanceof AppError ? error : new AppError('internal', 'Internal error.', { cause: error });
  const metadata = new Metadata();
  metadata.set(ERROR_CODE_METADATA, known.code);
  if (known.retryAfterSeconds !== undefined) metadata.set(RETRY_AFTER_METADATA, String(known.retryAfterSeconds));
  return Object.assign(new Error(known.message), { code: GRPC_STATUS[known.code], details: known.message, metadata });
}
