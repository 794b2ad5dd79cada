import { explainOutOfTime, findTimeBounds, type Signal } from './out-of-time.ts';
import { stampTenant } from './stamp.ts';
import { walkBody } from './walker.ts';

export interface Walked {
  /** The body itself when no resource had to be stamped; else the body's memory from within its room on, or a new buffer that `allocate` gave. */
  bytes: Buffer;
  /** Spans, log records or data points, the rejected ones included. */
  items: number;
  /** Of these, out of time. They stay in the bytes; who stores them leaves them out by `isOutOfTime`. */
  rejected: number;
  /** A sentence for the sender, '' when nothing is rejected. */
  rejectReason: string;
  /** Unix ms of the items kept; Infinity and -Infinity when there are none. */
  minTs: number;
  maxTs: number;
}

export interface WalkOptions {
  tenant: string;
  nowMs: number;
  /** Gives memory for a stamped body; default: new memory of its own. */
  allocate?: (bytes: number) => Buffer;
  /** Bytes in front of the body, in its own memory, that stamping may use; the body is not to be read any more then. Default 0. */
  room?: number;
}

let lastTenant = Buffer.alloc(0);
let lastName = '';

/** Of one sender come many requests. */
function bytesOf(tenant: string): Buffer {
  if (tenant !== lastName) lastTenant = Buffer.from(tenant);
  lastName = tenant;
  return lastTenant;
}

/**
 * Checks an export request as a whole and its tenant, and stamps `svc.tenant.id` on resources without one. Synchronous, in one pass.
 * @throws OtlpFault for the whole request
 */
export function walk(signal: Signal, body: Buffer, options: WalkOptions): Walked {
  const { tenant, nowMs, allocate = Buffer.allocUnsafeSlow, room = 0 } = options;
  const named = bytesOf(tenant);
  const { items, rejected, minTs, maxTs, edits } = walkBody(signal, body, {
    tenant: named,
    nowMs,
    ...findTimeBounds(signal, nowMs),
  });
  const bytes = edits.length === 0 ? body : stampTenant(body, { edits, tenant: named, allocate, room });
  return { bytes, items, rejected, rejectReason: explainOutOfTime(signal, rejected), minTs, maxTs };
}
