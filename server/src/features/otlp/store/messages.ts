import type { BuildCounts } from '../build/index.ts';
import type { Signal } from '../wire/index.ts';

/** One message of a batch, for the thread: its bytes lie in the batch's memory. */
export interface BatchMessage {
  tenant: string;
  start: number;
  end: number;
  at: number;
  offset: bigint;
  /** The tenant brings enough in this batch to have blocks of its own. */
  large: boolean;
  /** Days that the store already has of this message. */
  stored?: readonly number[];
}

/** Blocks to be built; `memory` goes over by transfer and comes back with the answer. */
export interface BuildRequest {
  kind: 'build';
  id: number;
  signal: Signal;
  partition: number;
  memory: ArrayBuffer;
  messages: readonly BatchMessage[];
}

/** What became of the blocks of a build: stored, or to be forgotten. Their memory goes back. */
export interface BuildDone {
  kind: 'done';
  id: number;
  stored: boolean;
  memory: readonly ArrayBuffer[];
}

export type ToStoreThread = BuildRequest | BuildDone;

/** A block in Native format: the first `length` bytes of `memory`. */
export interface BuiltBlock {
  table: string;
  rows: number;
  columns: readonly string[];
  memory: ArrayBuffer;
  length: number;
}

export interface BuildAnswer {
  id: number;
  memory: ArrayBuffer;
  blocks: readonly BuiltBlock[];
  counts: ReadonlyMap<string, BuildCounts>;
  /** Places in `messages` of what is no request: left out. */
  refused: readonly number[];
  /** Why nothing was built; the other fields are then empty. */
  fault?: string;
}
