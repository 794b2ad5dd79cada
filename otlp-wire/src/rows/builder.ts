import type { EncodedBlock } from '@svc/bytes';
import type { SeriesInStore } from './metrics/known-series.ts';
import type { SeriesReport } from './metrics/overflow.ts';

/** One stamped and validated request, as it came from the bus. */
export interface BuildMessage {
  tenant: string;
  bytes: Buffer;
  /** Receive time, Unix ms: what time is judged by, and the time of what has none. */
  at: number;
  partition: number;
  /** Position on the bus, as its low and high 32 bits. */
  offsetLow: number;
  offsetHigh: number;
  /** The tenant brings enough in this batch to have blocks of its own; others share. */
  large: boolean;
  /** Days (since 1970) of this message that the store already has; to be left out. */
  stored: ReadonlySet<number> | undefined;
}

/** What became of a tenant's records in one batch. */
export interface BuildCounts {
  /** Rows built: spans, log records, data points. */
  rows: number;
  /** Records of which something was cut. */
  truncated: number;
  /** Records that are out of time or, for points, no number. */
  leftOut: number;
  /** Records that the store had already. */
  repeated: number;
}

/** What became of the series of metrics in a batch. */
export interface BuiltSeries {
  /** Tenants whose series are to be read from the store: then the batch is built again, and these blocks are not stored. */
  unread: readonly string[];
  reports: readonly SeriesReport[];
}

export interface Built {
  /** To be inserted one after the other; each is of one table. Their bytes are their own until `giveMemory`. */
  blocks: EncodedBlock[];
  counts: Map<string, BuildCounts>;
  /** Called once the blocks are stored, and not where they were not: for what is remembered from batch to batch. */
  stored?: () => void;
  series?: BuiltSeries;
}

/** Messages of one signal -> blocks of its tables; lives on the store's thread and is used for one batch after the other. */
export interface SignalBuilder {
  /** What was added is to be finished before more is: it takes as much memory as one batch may. */
  readonly isFull: boolean;
  /** Throws BuildFault for bytes that no walker let through; nothing but `reset` may follow. */
  add(message: BuildMessage): void;
  /** Encodes what was added and is empty again. */
  finish(): Built;
  /** Forgets what was added. */
  reset(): void;
  /** What the store has of a tenant that `finish` called unread. */
  learn?(series: SeriesInStore): void;
}

export const newCounts = (): BuildCounts => ({ rows: 0, truncated: 0, leftOut: 0, repeated: 0 });

/** The counters of a tenant, new ones if need be. */
export function countsOf(counts: Map<string, BuildCounts>, tenant: string): BuildCounts {
  const known = counts.get(tenant);
  if (known) return known;
  const made = newCounts();
  counts.set(tenant, made);
  return made;
}

export function addCounts(sums: Map<string, BuildCounts>, counts: ReadonlyMap<string, BuildCounts>): void {
  for (const [tenant, added] of counts) {
    const sum = countsOf(sums, tenant);
    sum.rows += added.rows;
    sum.truncated += added.truncated;
    sum.leftOut += added.leftOut;
    sum.repeated += added.repeated;
  }
}
