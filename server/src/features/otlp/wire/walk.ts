import {
  walkExportLogsServiceRequest,
  walkExportMetricsServiceRequest,
  walkExportTraceServiceRequest,
} from './generated/walk-messages.ts';
import { explainOutOfTime, findTimeBounds, type Signal } from './out-of-time.ts';
import { stampTenant } from './stamp.ts';
import { WalkState } from './walk-state.ts';

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

const requests = {
  traces: walkExportTraceServiceRequest,
  logs: walkExportLogsServiceRequest,
  metrics: walkExportMetricsServiceRequest,
};

const state = new WalkState();
const nothing = Buffer.alloc(0);
let lastTenant = '';
const noWords = state.words;

/**
 * Checks an export request as a whole and its tenant, and stamps `svc.tenant.id` on resources without one. Synchronous, in one pass.
 * @throws OtlpFault for the whole request
 */
export function walk(signal: Signal, body: Buffer, options: WalkOptions): Walked {
  const { tenant, nowMs, allocate = Buffer.allocUnsafeSlow, room = 0 } = options;
  const { oldestMs, newestMs } = findTimeBounds(signal, nowMs);
  state.bytes = body;
  state.words = new DataView(body.buffer, body.byteOffset, body.byteLength);
  if (tenant !== lastTenant) state.tenant = Buffer.from(tenant);
  lastTenant = tenant;
  state.nowMs = nowMs;
  state.oldestMs = oldestMs;
  state.newestMs = newestMs;
  state.items = 0;
  state.rejected = 0;
  state.resources = 0;
  state.minTs = Number.POSITIVE_INFINITY;
  state.maxTs = Number.NEGATIVE_INFINITY;
  state.edits.length = 0;
  try {
    requests[signal](state, 0, body.length, 1);
    const { items, rejected, minTs, maxTs, edits } = state;
    const bytes = edits.length === 0 ? body : stampTenant(body, { edits, tenant: state.tenant, allocate, room });
    return { bytes, items, rejected, rejectReason: explainOutOfTime(signal, rejected), minTs, maxTs };
  } finally {
    state.bytes = nothing;
    state.words = noWords;
  }
}
