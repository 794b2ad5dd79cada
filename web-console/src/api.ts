import type { ErrorCode } from '@svc/contracts/error-codes';
import { createTRPCUntypedClient, httpLink, TRPCClientError } from '@trpc/client';
import type { Input, MutationName, Output, QueryName } from './api-types.ts';
import { isPermission, refusalWords } from './ui/permission/permission-words.ts';

/** An answer of something before the service, a proxy's page for one. The client would say that its JSON is broken, and lose its status. */
class ForeignAnswer extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`Status ${status} without JSON.`);
    this.status = status;
  }
}

async function fetchJson(url: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.headers.get('content-type')?.includes('json')) throw new ForeignAnswer(response.status);
  return response;
}

/** One request a procedure: a slow or failing one holds up none of its neighbours, which a batch would. */
const client = createTRPCUntypedClient({ links: [httpLink({ url: '/trpc', fetch: fetchJson as typeof fetch })] });

/** What is wrong with one part of an input: where, as keys with dots between them, and why. */
interface Fault {
  path: string;
  message: string;
}

/** A failed call in words for a person; `code` is a machine word of contracts, or `network` when no answer came. */
export class ApiError extends Error {
  readonly code: ErrorCode | 'network';
  readonly requestId: string | undefined;
  /** For forms and pages, which know what the parts of an input are called. */
  readonly faults: readonly Fault[];
  /** What the problem of this code has beside its sentence. */
  readonly more: unknown;
  constructor(
    code: ErrorCode | 'network',
    message: string,
    {
      requestId,
      faults = [],
      more,
    }: { requestId?: string | undefined; faults?: readonly Fault[] | undefined; more?: unknown } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.requestId = requestId;
    this.faults = faults;
    this.more = more;
  }
}

interface ErrorShape {
  appCode?: ErrorCode;
  httpStatus?: number;
  requestId?: string;
  faults?: readonly Fault[];
  more?: unknown;
}

/** Longer than any answer of the server takes by its own bounds, milliseconds. */
const ANSWER_LIMIT_MS = 30_000;

/** A proxy's words for a server that is away. */
const isGateway = (status: number | undefined): boolean => status === 502 || status === 503 || status === 504;

const codeOfStatus = (status: number | undefined): ErrorCode | 'network' => {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  if (status === 503) return 'unavailable';
  if (status === undefined) return 'network';
  return status >= 500 ? 'internal' : 'bad_request';
};

/** A refused input comes as a JSON list of issues. */
function readIssues(message: string): Fault[] {
  if (!message.startsWith('[')) return [];
  try {
    const issues = JSON.parse(message) as { path?: unknown[]; message?: string }[];
    return issues.map(({ path = [], message: words = 'not valid' }) => ({ path: path.join('.'), message: words }));
  } catch {
    return [];
  }
}

function toApiError(error: unknown): unknown {
  if (!(error instanceof TRPCClientError)) return error;
  if (error.cause?.name === 'AbortError') return error.cause;
  const data = error.data as ErrorShape | null | undefined;
  // An answer that is none of tRPC's (a proxy's, a rate limit's) still has its status.
  const response: unknown = error.meta?.response;
  const foreign = error.cause instanceof ForeignAnswer ? error.cause.status : undefined;
  const status = data?.httpStatus ?? foreign ?? (response instanceof Response ? response.status : undefined);
  const code = data || !isGateway(status) ? (data?.appCode ?? codeOfStatus(status)) : 'network';
  const faults = data?.faults?.length ? data.faults : readIssues(error.message);
  const permission = code === 'forbidden' ? faults.find(({ path }) => path === 'permission')?.message : undefined;
  const words = faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' ');
  // Without our data in it, what the client says of it is about JSON, and of no use to a person.
  const told = isPermission(permission)
    ? refusalWords(permission)
    : data
      ? words || error.message
      : `What answered was not this service: status ${status}.`;
  const message = code === 'network' ? 'The server did not answer.' : told;
  return new ApiError(code, message, { requestId: data?.requestId, faults, more: data?.more });
}

/** Where a signed-out person goes; comes back to the same page with the same filters. */
export const loginUrl = (): string => `/auth/login?return_to=${encodeURIComponent(location.pathname + location.search)}`;

const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.code === 'unauthorized';

let leaving = false;

/** Leads to the sign-in page once; never settles, so that no page shows a failure on the way out. */
function leave(): Promise<never> {
  if (!leaving) {
    leaving = true;
    location.assign(loginUrl());
  }
  return new Promise(() => {});
}

async function guarded<T>(call: Promise<unknown>): Promise<T> {
  try {
    return (await call) as T;
  } catch (cause) {
    const error = toApiError(cause);
    if (isSignedOut(error)) return leave();
    throw error;
  }
}

/** Reads. Throws ApiError, `network` after 30 s without an answer; a missing session leads to the sign-in page. */
export async function ask<Name extends QueryName>(name: Name, input: Input<Name>, signal?: AbortSignal): Promise<Output<Name>> {
  const limit = AbortSignal.timeout(ANSWER_LIMIT_MS);
  try {
    return await guarded(client.query(name, input, { signal: signal ? AbortSignal.any([signal, limit]) : limit }));
  } catch (error) {
    if (limit.aborted && !signal?.aborted) throw new ApiError('network', 'The server did not answer in time.');
    throw error;
  }
}

/** Changes something. Throws ApiError; never retried by itself. */
export const tell = <Name extends MutationName>(name: Name, input: Input<Name>): Promise<Output<Name>> =>
  guarded(client.mutation(name, input));
