import type { FaultKind } from '../fault-kinds.ts';
import type { Layer } from '../verdict.ts';

export const MAX_TARGET = 120;
export const MAX_CODE = 64;
/** Eleven days in milliseconds, beyond every time, ratio and signal that is measured. */
export const MAX_FIGURE = 1e9;
/** A cause that changes every second of an hour. */
export const MAX_FLIPS = 3600;

/**
 * What is wrong, in codes and figures. With cause `none` it is something that is off while nothing that a person uses is slow. The unit
 * of `value` and `usual` is milliseconds for times, a ratio of 0 to 1 for losses and shares, dBm, dB or percent for signals.
 */
export interface FaultFact {
  kind: FaultKind;
  /** The service that is waited for; null where the fault is of no service. */
  target: string | null;
  /** Short code of a failure: CERT_HAS_EXPIRED, HTTP_503, ECONNREFUSED, ENOTFOUND. */
  code: string | null;
  /** The figure that speaks for it. */
  value: number | null;
  /** What is usual of the same: the median of this network's own history, with `queueing` of a quiet line; null where too little is known. */
  usual: number | null;
  /** Where on the path it begins, and how many hops the path has. */
  hop: number | null;
  hops: number | null;
}

/** Names longer than what is sent are cut; what is not given is null. */
export const faultFact = ({ target, code, ...part }: Pick<FaultFact, 'kind'> & Partial<FaultFact>): FaultFact => ({
  value: null,
  usual: null,
  hop: null,
  hops: null,
  ...part,
  target: target?.slice(0, MAX_TARGET) ?? null,
  code: code?.slice(0, MAX_CODE) ?? null,
});

/** Layers that were measured, of those that this device has and policy asks for. */
export interface Coverage {
  measured: Layer[];
  needed: Layer[];
  /** Needed ones that have no reading yet: after a start, a sleep or in a new network. Absent where there is none. */
  measuring?: Layer[] | undefined;
}

/** Whether all was measured that has to be before anybody may say "healthy". */
export const isCovered = ({ measured, needed }: Coverage): boolean => needed.every((layer) => measured.includes(layer));

/** Whether measuring has only just begun, so that nobody can say yet how it is. */
export const isMeasuring = ({ measuring = [] }: Coverage): boolean => measuring.length > 0;

/** Beside the measures of a verdict: what is wrong, what was looked at, and how often the cause changed in the last hour. */
export interface VerdictNotes {
  /** Null where nothing is wrong, or the agent is too old to say. */
  fault: FaultFact | null;
  /** Null: an agent too old to say. */
  coverage: Coverage | null;
  /** Another fault, of something else than the first: named second. Absent or null where there is none. */
  also?: FaultFact | null | undefined;
  flips: number;
}

export const NO_NOTES: VerdictNotes = { fault: null, coverage: null, flips: 0 };
