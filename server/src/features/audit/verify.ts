import type { TenantId } from '#kernel';
import type { Relational } from '#relational';
import { type ChainBreak, type ChainPlace, walkChain } from './domain/walk-chain.ts';
import { countUnchained, genesis, hashEntry, readChunk, readHead } from './store.ts';

export interface Verification {
  /** False as soon as one entry does not fit. */
  ok: boolean;
  /** Entries walked by this call. */
  checked: number;
  /** How far the chain reached when the walk began. */
  headSeq: bigint;
  /** Where the walk stands; undefined once the whole chain was walked. */
  next: ChainPlace | undefined;
  broken: ChainBreak | undefined;
}

const CHUNK_ENTRIES = 2000;

/**
 * Walks a tenant's chain in chunks, each a short transaction of its own, on from `start` (from the beginning without one) and at most
 * `maxEntries` far. Names the first entry that does not fit: changed, removed, moved, or added past the chain.
 */
export async function verifyChain(
  relational: Pick<Relational, 'withTenantSql'>,
  tenant: TenantId,
  options: { start?: ChainPlace | undefined; maxEntries: number },
): Promise<Verification> {
  const head = (await relational.withTenantSql(tenant, readHead)) ?? genesis(tenant);
  let place = options.start ?? genesis(tenant);
  let checked = 0;
  const result = (broken?: ChainBreak): Verification => ({
    ok: broken === undefined,
    checked,
    headSeq: head.seq,
    next: broken === undefined && place.seq < head.seq ? place : undefined,
    broken,
  });
  while (place.seq < head.seq) {
    if (checked >= options.maxEntries) return result();
    const window = { upTo: head.seq, limit: CHUNK_ENTRIES };
    const rows = await relational.withTenantSql(tenant, (sql) => readChunk(sql, place.seq, window));
    const missing = place.seq + 1n;
    if (rows.length === 0) return result({ seq: missing, id: null, reason: `Entry ${missing} is missing.` });
    const walked = walkChain(place, rows, hashEntry);
    checked += rows.length;
    if ('reason' in walked) return result(walked);
    place = walked;
  }
  if (!place.hash.equals(head.hash)) {
    return result({ seq: head.seq, id: null, reason: `Entry ${head.seq} is not the one the chain ends with.` });
  }
  const unchained = await relational.withTenantSql(tenant, countUnchained);
  if (unchained > 0) {
    const seq = head.seq + 1n;
    return result({ seq, id: null, reason: `${unchained} entries stand outside the chain, which ends at ${head.seq}.` });
  }
  return result();
}
