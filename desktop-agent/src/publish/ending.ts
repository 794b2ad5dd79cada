import { type ServiceError, status } from '@grpc/grpc-js';
import { ERROR_CODE_METADATA } from '@svc/contracts/agent/version';

/** Why a connection ended, and with it what to do next. */
export interface Ending {
  kind:
    | 'drained' // the server goes down or moved on; everything that it took is acknowledged
    | 'network' // no connection, cut, or no answer in time
    | 'overloaded' // the server asks for time
    | 'upgrade_required'
    | 'unauthorized' // certificate expired or not accepted: renew
    | 'forbidden' // revoked or retired
    | 'unknown_agent' // the server does not know this identity
    | 'stopped';
  message: string;
  /** Not before, milliseconds, where the server said so. */
  retryAfterMs?: number;
}

const RETRY_AFTER_METADATA = 'svc-retry-after';
/** TLS alerts that a new certificate may cure. */
const CERTIFICATE_ALERT =
  /alert (certificate|bad certificate|unknown ca|handshake failure)|certificate (expired|unknown|required)/i;

const byWord: Record<string, Ending['kind']> = {
  upgrade_required: 'upgrade_required',
  unauthorized: 'unauthorized',
  forbidden: 'forbidden',
  not_found: 'unknown_agent',
  rate_limited: 'overloaded',
  unavailable: 'overloaded',
  writer_unavailable: 'overloaded',
};

/** Reads the ending of a stream from its error: the server's own word first, gRPC's status where there is none. */
export function endingOf(error: Partial<ServiceError>): Ending {
  const message = error.details || error.message || 'the connection ended';
  const word = String(error.metadata?.get(ERROR_CODE_METADATA)[0] ?? '');
  const seconds = Number(error.metadata?.get(RETRY_AFTER_METADATA)[0] ?? Number.NaN);
  const retry = Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: Math.min(seconds, 3600) * 1000 } : {};
  const named = byWord[word];
  if (named) return { kind: named, message, ...retry };
  if (error.code === status.UNAUTHENTICATED) return { kind: 'unauthorized', message };
  if (error.code === status.PERMISSION_DENIED) return { kind: 'forbidden', message };
  if (error.code === status.RESOURCE_EXHAUSTED) return { kind: 'overloaded', message, ...retry };
  if (CERTIFICATE_ALERT.test(message)) return { kind: 'unauthorized', message };
  return { kind: 'network', message, ...retry };
}
