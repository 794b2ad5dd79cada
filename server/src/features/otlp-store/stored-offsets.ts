import type { BusBatch, BusMessage } from '#bus';
import type { TenantId } from '#kernel';
import type { WriteClaim } from '#telemetry';
import { type BlockStore, createOffsetReader, type OffsetTable } from './offset-reader.ts';

/** Days that the store has of a message, by `keyOf` it. */
export type StoredDays = ReadonlyMap<string, readonly number[]>;

/** A message of a tenant and partition: the receive time tells it from one at the same place of a bus that was made anew. */
export const keyOf = (tenant: string, offset: bigint, at: number): string => `${tenant} ${offset} ${at}`;

const NOTHING: StoredDays = new Map();

interface Partition {
  /** Changes when the partition was lost and came back: another process may have read it meanwhile. */
  signal: AbortSignal;
  /** Nothing is stored of the partition under another; undefined until it is needed. */
  claim: Promise<WriteClaim> | undefined;
  /** The last offset of each tenant in the batches that were begun: the bus keeps the order of a tenant, and may hand tenants over apart. */
  lasts: Map<TenantId, bigint>;
  /** The first offset of each tenant in these batches: a batch may overtake the one before it and ask first. */
  firsts: Map<TenantId, bigint>;
  /** The last offset of each tenant that was in the store when doubt began; beyond it there is nothing to ask. */
  ceilings: Map<TenantId, bigint>;
}

/** What the store has of a batch, and the claim to write the rest under. */
export interface Found {
  stored: StoredDays;
  claim: WriteClaim;
}

/**
 * Knows which messages of a batch the store has already, and lets no other process store more of them. Only what was in flight when a
 * process died, an insert failed or the partition changed hands can be there, and nothing beyond it: so each tenant is asked about once
 * after that, and batches of what is new cost nothing.
 */
export interface StoredOffsets {
  /** Batches of a partition begin in their order; whoever begins one may then find out about it, which rejects as the store does. */
  begin(batch: BusBatch, signal: AbortSignal): () => Promise<Found>;
  /** An insert of this partition failed: what it stored is not known. */
  doubt(partition: number): void;
}

/** `writerOf` names who writes for a partition. */
export function createStoredOffsets(
  store: BlockStore,
  table: OffsetTable,
  writerOf: (partition: number) => string,
): StoredOffsets {
  const stored = createOffsetReader(store, table);
  const partitions = new Map<number, Partition>();

  function stateOf({ partition, messages }: BusBatch, signal: AbortSignal): Partition {
    const known = partitions.get(partition);
    const isNew = ({ tenant, offset }: BusMessage): boolean => offset > (known?.lasts.get(tenant) ?? -1n);
    if (known && known.signal === signal && messages.every(isNew)) return known;
    const fresh: Partition = { signal, claim: undefined, lasts: new Map(), firsts: new Map(), ceilings: new Map() };
    partitions.set(partition, fresh);
    return fresh;
  }

  async function ceilingOf(state: Partition, tenant: TenantId, partition: number): Promise<bigint> {
    const known = state.ceilings.get(tenant);
    if (known !== undefined) return known;
    const ceiling = await stored.last(tenant, { partition, first: state.firsts.get(tenant) ?? 0n });
    state.ceilings.set(tenant, ceiling);
    return ceiling;
  }

  async function find(state: Partition, { partition, messages }: BusBatch): Promise<Found> {
    // Before the question: what a former reader stored after it would be doubled.
    state.claim ??= store.claim(writerOf(partition), state.signal);
    const claim = await state.claim;
    const ranges = new Map<TenantId, { first: bigint; last: bigint }>();
    for (const { tenant, offset } of messages) {
      const range = ranges.get(tenant);
      if (range) range.last = offset;
      else ranges.set(tenant, { first: offset, last: offset });
    }
    let found: Map<string, readonly number[]> | undefined;
    for (const [tenant, { first, last }] of ranges) {
      if ((await ceilingOf(state, tenant, partition)) < first) continue;
      found ??= new Map();
      for (const { offset, received, days } of await stored.messages(tenant, { partition, first, last }))
        found.set(keyOf(tenant, BigInt(offset), received), days);
    }
    return { stored: found ?? NOTHING, claim };
  }

  return {
    begin(batch, signal) {
      const state = stateOf(batch, signal);
      for (const { tenant, offset } of batch.messages) {
        if (!state.firsts.has(tenant)) state.firsts.set(tenant, offset);
        state.lasts.set(tenant, offset);
      }
      return () => find(state, batch);
    },
    doubt: (partition) => void partitions.delete(partition),
  };
}
