import type { ErrorCode } from '@svc/contracts/error-codes';
import { createTRPCUntypedClient, httpLink, TRPCClientError } from '@trpc/client';
import type { Input, MutationName, Output, QueryName } from './api-types.ts';

/** One request a procedure: a slow or failing one holds up none of its neighbours, which a batch would. */
const client = createTRPCUntypedClient({ links: [httpLink({ url: '/trpc' })] });

/** A failed call in words for a person; `code` is a machine word of contracts, or `network` when no answer came. */
export class ApiError extends Error {
  readonly code: ErrorCode | 'network';
  readonly requestId: string | undefined;
  constructor(code: ErrorCode | 'network', message: string, requestId?: string) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.requestId = requestId;
  }
}

interface ErrorShape {
  appCode?: ErrorCode;
  httpStatus?: number;
  requestId?: string;
  faults?: readonly { path: string; message: string }[];
}

const codeOfStatus = (status: number | undefined): ErrorCode | 'network' => {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  if (status === 503) return 'unavailable';
  if (status === undefined) return 'network';
  return status >= 500 ? 'internal' : 'bad_request';
};

function toApiError(error: unknown): unknown {
  if (!(error instanceof TRPCClientError)) return error;
  if (error.cause?.name === 'AbortError') return error.cause;
  const data = error.data as ErrorShape | null | undefined;
  const code = data?.appCode ?? codeOfStatus(data?.httpStatus);
  const faults = data?.faults?.map((fault) => `${fault.path}: ${fault.message}`).join(' ');
  const message = code === 'network' ? 'The server did not answer.' : faults || error.message;
  return new ApiError(code, message, data?.requestId);
}

/** Where a signed-out person goes; comes back to the same page with the same filters. */
export const loginUrl = (): string => `/auth/login?return_to=${encodeURIComponent(location.pathname + location.search)}`;

function leaveIfSignedOut(error: unknown): void {
  if (error instanceof ApiError && error.code === 'unauthorized') location.assign(loginUrl());
}

async function guarded<T>(call: Promise<unknown>): Promise<T> {
  try {
    return (await call) as T;
  } catch (cause) {
    const error = toApiError(cause);
    leaveIfSignedOut(error);
    throw error;
  }
}

/** Reads. Throws ApiError; a missing session leads to the sign-in page. */
export const ask = <Name extends QueryName>(name: Name, input: Input<Name>, signal?: AbortSignal): Promise<Output<Name>> =>
  guarded(client.query(name, input, signal ? { signal } : {}));

/** Changes something. Throws ApiError; never retried by itself. */
export const tell = <Name extends MutationName>(name: Name, input: Input<Name>): Promise<Output<Name>> =>
  guarded(client.mutation(name, input));
