import { setTimeout as sleep } from 'node:timers/promises';
import type { BusBatch } from '#bus';
import { AppError, type TenantId } from '#kernel';
import { type BlockStore, createOffsetReader, type OffsetTable } from './offset-reader.ts';

/** Days that the store has of a message, by `keyOf` it. */
export type StoredDays = ReadonlyMap<string, readonly number[]>;

/** A message of a tenant and partition: the receive time tells it from one at the same place of a bus that was made anew. */
export const keyOf = (tenant: string, offset: bigint, at: number): string => `${tenant} ${offset} ${at}`;

const FORMER_WRITES_MS = 60_000;
const LOOK_AGAIN_MS = 50;

const NOTHING: StoredDays = new Map();

interface Partition {
  /** Changes when the partition was lost and came back: another process may have read it meanwhile. */
  signal: AbortSignal;
  /** No write of a former reader is on its way. */
  settled: boolean;
  /** The last offset that was handed to the store. */
  last: bigint;
  /** The last offset of each tenant that was in the store when doubt began; beyond it there is nothing to ask. */
  ceilings: Map<TenantId, bigint>;
}

/**
 * Knows which messages of a batch the store has already. Only what was in flight when a process died, an insert failed or the partition
 * changed hands can be there, and nothing beyond it: so each tenant is asked about once after that, and batches of what is new cost
 * nothing.
 */
export interface StoredOffsets {
  /** Whether the partition came to this process since its last batch: another one may still store what it had in hand of it. */
  isGained(partition: number, signal: AbortSignal): boolean;
  /** What of the batch is stored; rejects as the store does. */
  find(batch: BusBatch, signal: AbortSignal): Promise<StoredDays>;
  /** An insert of this partition failed: what it stored is not known. */
  doubt(partition: number): void;
}

/** What a former reader of the partition sent to the store may still be on its way into it: to ask before it is there would double it. */
async function waitForFormerWrites(store: BlockStore, writer: string, signal: AbortSignal): Promise<void> {
  // Memory has no writer but this process.
  if (!('isWriting' in store)) return;
  for (const end = performance.now() + FORMER_WRITES_MS; await store.isWriting(writer); await sleep(LOOK_AGAIN_MS)) {
    signal.throwIfAborted();
    if (performance.now() > end)
      throw new AppError('unavailable', `The column store still works on an earlier write of ${writer}.`);
  }
}

/** `writerOf` names who writes for a partition. */
export function createStoredOffsets(
  store: BlockStore,
  table: OffsetTable,
  writerOf: (partition: number) => string,
): StoredOffsets {
  const stored = createOffsetReader(store, table);
  const partitions = new Map<number, Partition>();
  const gainedBy = new Map<number, AbortSignal>();

  function stateOf({ partition, messages }: BusBatch, signal: AbortSignal): Partition {
    const known = partitions.get(partition);
    const first = messages[0]?.offset ?? 0n;
    if (known && known.signal === signal && first > known.last) return known;
    const fresh = { signal, settled: false, last: -1n, ceilings: new Map() };
    partitions.set(partition, fresh);
    return fresh;
  }

  async function ceilingOf(state: Partition, tenant: TenantId, where: { partition: number; first: bigint }): Promise<bigint> {
    const known = state.ceilings.get(tenant);
    if (known !== undefined) return known;
    const ceiling = await stored.last(tenant, where);
    state.ceilings.set(tenant, ceiling);
    return ceiling;
  }

  return {
    isGained: (partition, signal) => gainedBy.get(partition) !== signal,
    async find(batch, signal) {
      const state = stateOf(batch, signal);
      const { partition } = batch;
      if (!state.settled) await waitForFormerWrites(store, writerOf(partition), signal);
      state.settled = true;
      gainedBy.set(partition, signal);
      const ranges = new Map<TenantId, { first: bigint; last: bigint }>();
      for (const { tenant, offset } of batch.messages) {
        const range = ranges.get(tenant);
        if (range) range.last = offset;
        else ranges.set(tenant, { first: offset, last: offset });
      }
      let found: Map<string, readonly number[]> | undefined;
      for (const [tenant, { first, last }] of ranges) {
        if ((await ceilingOf(state, tenant, { partition, first })) < first) continue;
        const messages = await stored.messages(tenant, { partition, first, last });
        found ??= new Map();
        for (const { offset, received, days } of messages) found.set(keyOf(tenant, BigInt(offset), received), days);
      }
      state.last = batch.messages.at(-1)?.offset ?? state.last;
      return found ?? NOTHING;
    },
    doubt: (partition) => void partitions.delete(partition),
  };
}
