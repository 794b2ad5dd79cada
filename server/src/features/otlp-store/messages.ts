import type { BuildCounts, BuiltSeries, MetricClocks, SeriesBounds, SeriesInStore } from '@svc/otlp-wire/rows';
import type { Signal } from '@svc/otlp-wire/walk';
import { AppError } from '#kernel';

/** A tenant of a batch. */
export interface BatchTenant {
  tenant: string;
  /** It brings enough in this batch to have blocks of its own. */
  large: boolean;
}

/**
 * Numbers that tell one message of a batch: places in its lists of tenants and memory, where its bytes begin and end there, receive time,
 * the low and high 32 bits of its offset, and the seed and crc of its checksum, -1 where it needs none. Numbers of thousands of messages
 * pass to another thread for what one object costs.
 */
export const MESSAGE_NUMBERS = 9;

/** A message is not as it was published, and nothing was built: it comes again, or is left out. */
export class DamagedMessage extends AppError {
  constructor() {
    super('unavailable', 'The bus gave back a message that is not as it was published.');
    this.name = 'DamagedMessage';
  }
}

/** Blocks to be built. The memory is shared and lent until the answer. */
export interface BuildRequest {
  kind: 'build';
  id: number;
  signal: Signal;
  partition: number;
  memory: readonly SharedArrayBuffer[];
  tenants: readonly BatchTenant[];
  /** MESSAGE_NUMBERS for each message. */
  messages: Float64Array;
  /** Days that the store already has of a message, by its place in the batch. */
  stored: ReadonlyMap<number, readonly number[]>;
}

/** What became of the blocks of a build: stored, or to be forgotten. Their memory is free again. */
export interface BuildDone {
  kind: 'done';
  id: number;
  stored: boolean;
  memory: readonly SharedArrayBuffer[];
}

/** What the store has of the series of a tenant. */
export interface SeriesRead {
  kind: 'series';
  series: SeriesInStore;
}

export type ToStoreThread = BuildRequest | BuildDone | SeriesRead;

/** What the thread begins with. */
export interface StoreThreadData {
  days: MetricClocks;
  bounds: SeriesBounds;
}

/** A block in Native format; its memory, where it is shared, is lent until `done`. */
export interface BuiltBlock {
  table: string;
  rows: number;
  columns: readonly string[];
  bytes: Uint8Array;
}

export interface BuildAnswer {
  id: number;
  blocks: readonly BuiltBlock[];
  counts: ReadonlyMap<string, BuildCounts>;
  /** The first so many messages are in the blocks or refused; the others were more than the builder holds. */
  taken: number;
  /** Places in the batch of what is no request: left out. */
  refused: readonly number[];
  /** Of metrics. */
  series?: BuiltSeries | undefined;
  /** Why nothing was built; the other fields are then empty. */
  fault?: string;
  isDamaged?: boolean;
}
