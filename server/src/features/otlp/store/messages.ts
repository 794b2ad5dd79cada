import type { BuildCounts } from '../build/index.ts';
import type { Signal } from '../wire/index.ts';

/** One message of a batch, for the thread: its bytes lie in `memory` of the batch. */
export interface BatchMessage {
  tenant: string;
  /** Place in the batch's list of memory. */
  memory: number;
  start: number;
  end: number;
  at: number;
  offset: bigint;
  /** The tenant brings enough in this batch to have blocks of its own. */
  large: boolean;
  /** Days that the store already has of this message. */
  stored?: readonly number[];
}

/** Blocks to be built. The memory is shared and lent until the answer. */
export interface BuildRequest {
  kind: 'build';
  id: number;
  signal: Signal;
  partition: number;
  memory: readonly SharedArrayBuffer[];
  messages: readonly BatchMessage[];
}

/** What became of the blocks of a build: stored, or to be forgotten. Their memory is free again. */
export interface BuildDone {
  kind: 'done';
  id: number;
  stored: boolean;
  memory: readonly SharedArrayBuffer[];
}

export type ToStoreThread = BuildRequest | BuildDone;

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
  /** Places in `messages` of what is no request: left out. */
  refused: readonly number[];
  /** Why nothing was built; the other fields are then empty. */
  fault?: string;
}
