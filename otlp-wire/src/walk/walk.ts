import { explainOutOfTime, findTimeBounds } from './out-of-time.ts';
import type { Signal } from './signal.ts';
import { stampTenant } from './stamp.ts';
import { walkBody } from './walker.ts';
import { chargeOf, cutToWeight, explainWeight, weightLimit } from './weight.ts';

export interface Walked {
  /** The body itself when no resource had to be stamped; else the body's memory from within its room on, or a new buffer that `allocate` gave. */
  bytes: Buffer;
  /** Spans, log records or data points, the rejected ones included. */
  items: number;
  /** Of these, out of time or beyond the weight. The former stay in the bytes; who stores them leaves them out by `isOutOfTime`. */
  rejected: number;
  /** Of these, beyond the weight: the last ones, which are not in the bytes any more. */
  tooHeavy: number;
  /** A sentence for the sender, '' when nothing is rejected. */
  rejectReason: string;
  /** Its parts: why those out of time, and why those beyond the weight. */
  reasons: { outOfTime: string; tooHeavy: string };
  /** Bytes that its tenant is charged for what is kept. */
  charge: number;
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
  const judge = { tenant: named, nowMs, ...findTimeBounds(signal, nowMs) };
  const { items, rejected, minTs, maxTs, weight, edits } = walkBody(signal, body, judge);
  const bytes = edits.length === 0 ? body : stampTenant(body, { edits, tenant: named, allocate, room });
  const outOfTime = explainOutOfTime(signal, rejected);
  const reasons = { outOfTime, tooHeavy: '' };
  const charge = chargeOf(body.length, weight);
  const walked = { bytes, items, rejected, rejectReason: outOfTime, reasons, tooHeavy: 0, charge, minTs, maxTs };
  return weight > weightLimit(body.length) ? cutWalked(signal, walked, judge) : walked;
}

/** Leaves out what is beyond the weight. Rare, so that what is left is simply walked again. */
function cutWalked(signal: Signal, walked: Walked, judge: Parameters<typeof walkBody>[2]): Walked {
  const bytes = cutToWeight(signal, walked.bytes, weightLimit(walked.bytes.length));
  if (bytes === walked.bytes) return walked;
  const { items, rejected, minTs, maxTs, weight } = walkBody(signal, bytes, judge);
  const charge = chargeOf(bytes.length, weight);
  const tooHeavy = walked.items - items;
  const reasons = { outOfTime: explainOutOfTime(signal, rejected), tooHeavy: explainWeight(signal, tooHeavy) };
  const rejectReason = Object.values(reasons).filter(Boolean).join(' ');
  return { bytes, items: walked.items, rejected: rejected + tooHeavy, rejectReason, reasons, tooHeavy, charge, minTs, maxTs };
}
