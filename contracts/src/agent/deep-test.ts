import { z } from 'zod';
import { UNAVAILABLE_CODES } from '../verdict.ts';
import { DEEP_TEST_PARTS } from './deep-test-facts.ts';

/** `not_offered`: a control plane of before; `too_often`: this device, or all together, had their tests for now. */
export const LINE_FAULTS = ['not_enrolled', 'not_offered', 'too_often', 'failed'] as const;
export type LineFault = (typeof LINE_FAULTS)[number];

const ms = z.number().nonnegative();
const word = z.string().max(256);

const LoadedLine = z.strictObject({
  bytes: z.int().nonnegative(),
  tookMs: ms,
  /** Median round trip of the echoes sent meanwhile; null where it was over before three of them. */
  echoMs: ms.nullable(),
});

/** Round trips to the control plane without and with load. */
const LineView = z.strictObject({
  idleMs: ms.nullable(),
  upload: LoadedLine.nullable(),
  download: LoadedLine.nullable(),
  fault: z.enum(LINE_FAULTS).nullable(),
});
export type LineView = z.infer<typeof LineView>;

/** See `PathMtuMeasurement` of the probes. */
const MtuView = z.strictObject({
  host: word,
  mtuBytes: z.int().positive().nullable(),
  lostBytes: z.int().positive().nullable(),
  isBlackHole: z.boolean(),
});
export type MtuView = z.infer<typeof MtuView>;

const PingsView = z.strictObject({
  sent: z.int().nonnegative(),
  received: z.int().nonnegative(),
  medianMs: ms.nullable(),
  worstMs: ms.nullable(),
  unavailable: z.enum(UNAVAILABLE_CODES).nullable(),
});
export type PingsView = z.infer<typeof PingsView>;

const TraceView = z.strictObject({
  target: word,
  hops: z.int().nonnegative(),
  reached: z.boolean(),
  /** Distance of the provider's edge; null where it did not answer. */
  edgeHop: z.int().positive().nullable(),
  /** Median to the last hop that answers. */
  rttMs: ms.nullable(),
  /** From where on all later hops lose as well, and how much; null: nowhere. */
  lossHop: z.int().positive().nullable(),
  lossRatio: z.number().min(0).max(1).nullable(),
  /** The hop at which the confirmed delay grows most, and by how much; null where one hop stands out by less than half. */
  delayHop: z.int().positive().nullable(),
  delayMs: ms.nullable(),
  unavailable: z.enum(UNAVAILABLE_CODES).nullable(),
});
export type TraceView = z.infer<typeof TraceView>;

/** Facts, each null until it is there; the face writes the words. Nothing of it is sent. */
export const DeepTestView = z.strictObject({
  running: z.boolean(),
  startedMs: ms,
  /** When it ends at the latest. */
  endsMs: ms,
  done: z.array(z.enum(DEEP_TEST_PARTS)),
  failed: z.boolean(),
  line: LineView.nullable(),
  mtu: z.array(MtuView).max(8).nullable(),
  pings: PingsView.nullable(),
  path: TraceView.nullable(),
});
export type DeepTestView = z.infer<typeof DeepTestView>;
