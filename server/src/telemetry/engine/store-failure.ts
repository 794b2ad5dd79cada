import { AppError } from '#kernel';
import type { Engine } from './engine.ts';

/** Codes of ClickHouse for a query that was larger than its bounds: too slow, too many rows, too much memory. */
const BOUND_CODES: Readonly<Record<string, string>> = {
  '159': 'took longer than allowed',
  '160': 'would take longer than allowed',
  '396': 'has more rows than allowed',
  '241': 'needs more memory than allowed',
};

/** Codes for what the operator has to put right: user or password, database. */
const SETUP_CODES: Readonly<Record<string, string>> = {
  '516': 'refuses the user and password it was given',
  '497': 'does not let this user do what is needed',
  '81': 'has no such database',
};

/** By ClickHouse's names: what refuses a write whatever its block holds, and passes. Anything else may be about the block. */
export const NOT_NOW = {
  // Files and disks.
  CANNOT_READ_FROM_FILE_DESCRIPTOR: 74,
  CANNOT_WRITE_TO_FILE_DESCRIPTOR: 75,
  CANNOT_OPEN_FILE: 76,
  CANNOT_CLOSE_FILE: 77,
  CANNOT_CREATE_DIRECTORY: 172,
  CANNOT_FSYNC: 204,
  CANNOT_STATVFS: 214,
  NOT_ENOUGH_SPACE: 243,
  S3_ERROR: 499,
  AZURE_BLOB_STORAGE_ERROR: 500,
  // Tables that are missing, of another version, or not to be written to.
  NO_SUCH_COLUMN_IN_TABLE: 16,
  UNKNOWN_IDENTIFIER: 47,
  UNKNOWN_TABLE: 60,
  UNKNOWN_FORMAT: 73,
  READONLY: 164,
  TABLE_IS_DROPPED: 218,
  TABLE_IS_READ_ONLY: 242,
  TABLE_IS_BEING_RESTARTED: 733,
  TABLE_IS_PERMANENTLY_READ_ONLY: 774,
  // Too much at once: parts, statements, sessions, threads, memory of the process.
  CANNOT_ALLOCATE_MEMORY: 173,
  QUOTA_EXCEEDED: 201,
  TOO_MANY_SIMULTANEOUS_QUERIES: 202,
  NO_FREE_CONNECTION: 203,
  TOO_MANY_PARTS: 252,
  LIMIT_EXCEEDED: 290,
  RECEIVED_ERROR_TOO_MANY_REQUESTS: 364,
  CANNOT_SCHEDULE_TASK: 439,
  TOO_MANY_MUTATIONS: 692,
  USER_SESSION_LIMIT_EXCEEDED: 700,
  SERVER_OVERLOADED: 745,
  TCP_CONNECTION_LIMIT_REACHED: 749,
  HTTP_CONNECTION_LIMIT_REACHED: 762,
  RESOURCE_LIMIT_EXCEEDED: 776,
  // Networks, replicas and Keeper.
  CANNOT_READ_FROM_SOCKET: 95,
  CANNOT_WRITE_TO_SOCKET: 96,
  DNS_ERROR: 198,
  SOCKET_TIMEOUT: 209,
  NETWORK_ERROR: 210,
  NO_ZOOKEEPER: 225,
  UNEXPECTED_ZOOKEEPER_ERROR: 244,
  NO_ACTIVE_REPLICAS: 254,
  ALL_CONNECTION_TRIES_FAILED: 279,
  TOO_FEW_LIVE_REPLICAS: 285,
  UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE: 286,
  UNKNOWN_STATUS_OF_INSERT: 319,
  ALL_REPLICAS_LOST: 415,
  REPLICA_STATUS_CHANGED: 416,
  NOT_A_LEADER: 529,
  RAFT_ERROR: 568,
  KEEPER_EXCEPTION: 999,
  // Deadlines and stops.
  TIMEOUT_EXCEEDED: 159,
  TOO_SLOW: 160,
  ABORTED: 236,
  QUERY_WAS_CANCELLED: 394,
  DEADLOCK_AVOIDED: 473,
  THREAD_WAS_CANCELED: 677,
  QUERY_WAS_CANCELLED_BY_CLIENT: 735,
} as const;

/** Memory that others may have taken: a smaller block may fit, and the same one may later. */
export const NO_MEMORY = {
  MEMORY_LIMIT_EXCEEDED: 241,
  MEMORY_RESERVATION_KILLED: 777,
  MEMORY_RESERVATION_FAILED: 778,
} as const;

const asCodes = (codes: Readonly<Record<string, number>>): ReadonlySet<string> => new Set(Object.values(codes).map(String));
const NOT_NOW_CODES = asCodes(NOT_NOW);
const NO_MEMORY_CODES = asCodes(NO_MEMORY);

const codeOf = (cause: unknown): string | undefined =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : undefined;

type Place = Pick<Engine, 'place'>;

function setupFailure(engine: Place, cause: unknown): AppError | undefined {
  const setup = SETUP_CODES[codeOf(cause) ?? ''];
  return setup === undefined ? undefined : new AppError('unavailable', `${engine.place} ${setup}.`, { cause });
}

/** Numeric codes come from the engine, which then answered; words (ECONNREFUSED) from the way to it. */
function otherFailure(engine: Place, cause: unknown): AppError {
  if (/^\d+$/.test(codeOf(cause) ?? '')) return new AppError('internal', 'The column store refused a statement.', { cause });
  return new AppError('unavailable', `${engine.place} does not answer.`, { cause, retryAfterSeconds: 2 });
}

/** The client's error as ours: over a bound is `query_limit`, not reachable `unavailable`, anything else is a fault of ours. */
export function storeFailure(engine: Place, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const bound = BOUND_CODES[codeOf(cause) ?? ''];
  if (bound)
    return new AppError('query_limit', `The query of the column store ${bound}. Narrow the time range.`, {
      cause,
      retryAfterSeconds: 5,
    });
  return setupFailure(engine, cause) ?? otherFailure(engine, cause);
}

/**
 * The same of a write: `unavailable` where no block would have been stored, `too_large` where the memory did not suffice for it now, and
 * `internal` where the engine refused what it holds.
 */
export function writeFailure(engine: Place, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  const code = codeOf(cause) ?? '';
  if (NO_MEMORY_CODES.has(code))
    return new AppError('too_large', 'The column store has too little memory for a block.', { cause });
  if (NOT_NOW_CODES.has(code))
    return new AppError('unavailable', `${engine.place} cannot store anything now.`, { cause, retryAfterSeconds: 5 });
  return setupFailure(engine, cause) ?? otherFailure(engine, cause);
}
