/** The closed list of machine words that an error may carry; docs/errors.md says what each means. */
export const ERROR_CODES = [
  'bad_request',
  'validation',
  'unauthorized',
  'forbidden',
  'not_found',
  'conflict',
  'too_large',
  'rate_limited',
  'upgrade_required',
  'writer_unavailable',
  'query_limit',
  'egress_denied',
  'cannot_author',
  'unavailable',
  'internal',
  // Of beacons alone (docs/contract/rum.md).
  'no_consent',
  'malformed',
  'invalid_field',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** The status each code has over HTTP; gRPC and tRPC have tables of their own in the server's edge. */
export const HTTP_STATUS: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  validation: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  upgrade_required: 426,
  writer_unavailable: 503,
  query_limit: 503,
  egress_denied: 403,
  cannot_author: 422,
  unavailable: 503,
  internal: 500,
  no_consent: 400,
  malformed: 400,
  invalid_field: 400,
};
