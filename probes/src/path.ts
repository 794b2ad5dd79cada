import type { Segment } from '@svc/contracts/endpoint-results';
import type { ProbeMethod } from '@svc/native/path/path';
import type { Reading } from '@svc/native/reading';

export interface PathRequest {
  /** Host name or numeric address, chosen by the caller. */
  readonly target: string;
  /** Numeric address to trace to where the caller resolved the target already. */
  readonly address?: string;
  readonly family?: 4 | 6;
  readonly method?: ProbeMethod;
  /** Default 30, at most 64. */
  readonly maxHops?: number;
  /** Default 3. */
  readonly rounds?: number;
  readonly roundMs?: number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface PathHop {
  /** Distance, from 1. */
  readonly hop: number;
  /** null: the hop did not answer. Public addresses are the caller's to withhold: see `isPublic`. */
  readonly address: string | null;
  readonly isPublic: boolean;
  /** null: a silent hop where it cannot be told. */
  readonly segment: Segment | null;
  readonly sent: number;
  readonly received: number;
  readonly rttAvgMs: number | null;
  readonly rttMinMs: number | null;
  readonly rttMaxMs: number | null;
  /** As measured, 0 to 1; null for a silent hop. */
  readonly lossRatio: number | null;
  /** Probes lost that count: a hop's loss is real only as far as every later hop that answers loses too. */
  readonly countedLost: number;
}

/** A band of the path, by the hop that stands for it: the last local one, the first public one, the last one beyond. */
export interface PathSegment {
  readonly segment: Segment;
  readonly hop: number;
  readonly rttAvgMs: number;
  readonly sent: number;
  /** Counted losses, as in `PathHop.countedLost`. */
  readonly lost: number;
  readonly lossRatio: number;
}

export interface PathMeasurement {
  readonly target: string;
  readonly address: string | null;
  readonly family: 4 | 6 | null;
  readonly method: ProbeMethod | null;
  readonly reached: boolean;
  readonly hops: readonly PathHop[];
  /** Only bands that a hop answered for. */
  readonly segments: readonly PathSegment[];
  readonly sent: number;
  readonly durationMs: number;
  /** dns, or the system's name of an error such as ENETUNREACH. */
  readonly error?: string;
}

/** Traces to one target in rounds. Rejects with the signal's reason when aborted. */
export type MeasurePath = (request: PathRequest) => Promise<Reading<PathMeasurement>>;
