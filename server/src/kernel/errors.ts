import type { ErrorCode } from '@svc/contracts/error-codes';

/** One fault of one input, in the words of the caller. */
export interface Fault {
  path: string;
  message: string;
}

/**
 * The one error class of the server. `message` is safe to show to the caller; what is not goes into `cause`.
 * No HTTP word here: edge/ and api/ translate the code, by one table each.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly faults: readonly Fault[];
  /** Seconds after which trying again makes sense; for rate_limited, unavailable and writer_unavailable. */
  readonly retryAfterSeconds: number | undefined;
  /** Members that the problem document of this code has beside the usual ones; safe to show. */
  readonly more: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      cause?: unknown;
      faults?: readonly Fault[];
      retryAfterSeconds?: number;
      more?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.faults = options.faults ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.more = options.more;
  }
}
