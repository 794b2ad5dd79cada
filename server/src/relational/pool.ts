import pg from 'pg';
import { AppError } from '#kernel';

const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;

/** Bounded pool: connecting, one statement, waiting for a lock and idling inside a transaction all end by themselves. */
export function createPool(url: string, size: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'svc',
    keepAlive: true,
  });
  // The pool hears only its idle connections: one that breaks in use would end the process. Its next query tells whoever has it.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** 40: two changes that waited for each other, of which one was taken back. */
const SQLSTATE_UNAVAILABLE = /^(08|40|53|57P0|57014$|55P03$|25P0[34]$|28)/;
/** Sockets and certificates. */
const NODE_NETWORK =
  /^(ECONN|EPIPE$|ETIMEDOUT$|ENOTFOUND$|EHOSTUNREACH$|ENETUNREACH$|EAI_AGAIN$|ENOENT$|CERT_|ERR_TLS|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/;

const textOf = (error: unknown, key: 'code' | 'message'): string => {
  const value = typeof error === 'object' && error !== null ? Reflect.get(error, key) : undefined;
  return typeof value === 'string' ? value : '';
};

/** PostgreSQL's own code: Prisma has it in the error of its driver adapter. */
function sqlStateOf(error: unknown): string {
  const adapterError = Reflect.get(Object(Reflect.get(Object(error), 'meta')), 'driverAdapterError');
  const original = Reflect.get(Object(Reflect.get(Object(adapterError), 'cause')), 'originalCode');
  return typeof original === 'string' ? original : textOf(error, 'code');
}

/** True when the database was not reached, is going down, refused the login or ran into one of the pool's bounds. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const code = sqlStateOf(error);
  if (SQLSTATE_UNAVAILABLE.test(code) || NODE_NETWORK.test(code)) return true;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  return /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Cannot use a pool after/.test(
    textOf(error, 'message'),
  );
}

/** True when the database refused a change because its disk is full; reading goes on. */
export const isDiskFull = (error: unknown): boolean => sqlStateOf(error) === '53100';

/** AppError `unavailable` for a database that does not answer or has no room; anything else as it is. */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof AppError || !isDatabaseUnavailable(error)) return error;
  if (isDiskFull(error)) {
    const message = "The disk of the database is full: nothing was changed. Make room on the server's disk, then try again.";
    return new AppError('unavailable', message, { cause: error, retryAfterSeconds: 30 });
  }
  return new AppError('unavailable', 'The database does not answer in time. Try again.', { cause: error, retryAfterSeconds: 2 });
}

/** SQLSTATE classes 22 and 23: the database refuses what it is given, and will again. */
const DATA_REFUSED = /^2[23]/;
const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * AppError `unavailable` with these words for a fault that is the database's own, so that the bus gives the batch again (bus/port.ts,
 * BatchHandler); what is the data's fault stays as it is.
 */
export function toTransient(error: unknown, words: string): unknown {
  const code = textOf(error, 'code');
  if (error instanceof AppError || !SQLSTATE.test(code) || DATA_REFUSED.test(code)) return error;
  return new AppError('unavailable', words, { cause: error, retryAfterSeconds: 2 });
}

/** True for a unique violation (23505), of the named constraint or of any; works for raw SQL and through Prisma. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const code = textOf(error, 'code');
  if (code === 'P2002')
    return constraint === undefined || JSON.stringify(Reflect.get(Object(error), 'meta') ?? '').includes(constraint);
  return code === '23505' && (constraint === undefined || Reflect.get(Object(error), 'constraint') === constraint);
}
