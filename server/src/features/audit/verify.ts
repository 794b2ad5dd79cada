import type { TenantId } from '#kernel';
import type { Relational } from '#relational';
import { type Checkpoint, type CheckpointSigner, readCheckpoint } from './checkpoint.ts';
import { findHeadFault, type KnownHead } from './domain/known-head.ts';
import { type ChainBreak, type ChainPlace, walkChain } from './domain/walk-chain.ts';
import type { Heads } from './heads.ts';
import { countUnchained, findNextSeq, genesis, hashEntry, readChunk, readHead, readStanding } from './store.ts';

export interface Verification {
  /** False as soon as one entry, or the checkpoint, does not fit. */
  ok: boolean;
  /** Entries walked by this call. */
  checked: number;
  /** How far the chain reached when the walk began. */
  headSeq: bigint;
  /** What the chain follows since its oldest entries were removed; undefined while all are there. */
  checkpoint: Checkpoint | undefined;
  /** Where the walk stands; undefined once the whole chain was walked. */
  next: ChainPlace | undefined;
  broken: ChainBreak | undefined;
  /** The end of the chain as this server remembers it, which the chain was held against; undefined where it remembers none. */
  remembered: KnownHead | undefined;
}

export interface VerifyDeps {
  relational: Pick<Relational, 'withTenantSql'>;
  signer: Pick<CheckpointSigner, 'findFault'>;
  /** What this server remembers of the chains outside of the database. */
  heads?: Pick<Heads, 'recall'> | undefined;
}

/** Hashed in one go: a few milliseconds in which nobody else has the event loop. */
const CHUNK_ENTRIES = 200;
const ACCEPT = 'After a restore, say so with "svc verify-audit --accept-head".';

/** Walks on from `from` up to the entry `upTo`, in chunks, each a short transaction of its own, and at most `maxEntries` far. */
export async function walkEntries(
  relational: VerifyDeps['relational'],
  tenant: TenantId,
  walk: { from: ChainPlace; upTo: bigint; maxEntries: number },
): Promise<{ place: ChainPlace; checked: number; broken?: ChainBreak }> {
  let place = walk.from;
  let checked = 0;
  while (place.seq < walk.upTo && checked < walk.maxEntries) {
    const after = place.seq;
    const window = { upTo: walk.upTo, limit: CHUNK_ENTRIES };
    const rows = await relational.withTenantSql(tenant, (sql) => readChunk(sql, after, window));
    const missing = after + 1n;
    if (rows.length === 0) return { place, checked, broken: { seq: missing, id: null, reason: `Entry ${missing} is missing.` } };
    const walked = walkChain(place, rows, hashEntry);
    checked += rows.length;
    if ('reason' in walked) return { place, checked, broken: walked };
    place = walked;
  }
  return { place, checked };
}

/** The checkpoint a chain follows, found to be ours, and the place it stands for; or what is wrong with it. */
export async function readStart(
  { relational, signer }: VerifyDeps,
  tenant: TenantId,
): Promise<{ checkpoint: Checkpoint | undefined; place: ChainPlace; broken?: ChainBreak }> {
  const checkpoint = await relational.withTenantSql(tenant, readCheckpoint);
  if (!checkpoint) return { checkpoint, place: genesis(tenant) };
  const { seq, hash } = checkpoint;
  const reason = await signer.findFault(tenant, checkpoint);
  return { checkpoint, place: { seq, hash }, ...(reason !== undefined && { broken: { seq, id: null, reason } }) };
}

/** Says of a chain whose first entries are missing how many are, and that no checkpoint accounts for them. */
async function nameMissingStart(
  { relational }: VerifyDeps,
  tenant: TenantId,
  found: { broken: ChainBreak; begin: bigint },
): Promise<ChainBreak> {
  const { broken, begin } = found;
  if (broken.id !== null || broken.seq !== begin + 1n) return broken;
  const next = await relational.withTenantSql(tenant, (sql) => findNextSeq(sql, begin));
  if (next === undefined) return broken;
  const last = next - 1n;
  const missing = last === broken.seq ? `Entry ${last} is missing` : `Entries ${broken.seq} to ${last} are missing`;
  return { ...broken, reason: `${missing}, and no checkpoint accounts for that.` };
}

/** What tells the chain from the one that this server remembers. */
async function findChange({ relational }: VerifyDeps, tenant: TenantId, known: KnownHead): Promise<ChainBreak | undefined> {
  const standing = await relational.withTenantSql(tenant, (sql) => readStanding(sql, tenant, known.seq));
  const reason = findHeadFault(known, standing);
  const seq = standing.head.seq < known.seq ? standing.head.seq + 1n : known.seq;
  return reason === undefined ? undefined : { seq, id: null, reason: `${reason} ${ACCEPT}` };
}

/**
 * Walks a tenant's chain on from `start` (from the checkpoint, or the beginning where there is none) and at most `maxEntries` far. Names
 * the first entry that does not fit: changed, removed, moved, or added past the chain; and a checkpoint that is not ours. Entries that
 * retention removes meanwhile break nothing: the walk goes on from the new checkpoint. A chain that is sound in itself is then held against
 * its end as this server remembers it.
 */
export async function verifyChain(
  deps: VerifyDeps,
  tenant: TenantId,
  options: { start?: ChainPlace | undefined; maxEntries: number },
): Promise<Verification> {
  const { relational } = deps;
  // Before the chain is read: what grows meanwhile is remembered too.
  const remembered = await deps.heads?.recall(tenant);
  const head = (await relational.withTenantSql(tenant, readHead)) ?? genesis(tenant);
  const began = await readStart(deps, tenant);
  let { checkpoint } = began;
  let place = options.start && options.start.seq > began.place.seq ? options.start : began.place;
  let checked = 0;
  const result = (broken?: ChainBreak): Verification => ({
    ok: broken === undefined,
    checked,
    headSeq: head.seq,
    checkpoint,
    next: broken === undefined && place.seq < head.seq ? place : undefined,
    broken,
    remembered,
  });
  if (began.broken) return result(began.broken);
  for (;;) {
    const walked = await walkEntries(relational, tenant, {
      from: place,
      upTo: head.seq,
      maxEntries: options.maxEntries - checked,
    });
    checked += walked.checked;
    place = walked.place;
    if (!walked.broken) break;
    const moved = await readStart(deps, tenant);
    if (moved.place.seq <= place.seq)
      return result(await nameMissingStart(deps, tenant, { broken: walked.broken, begin: began.place.seq }));
    ({ checkpoint, place } = moved);
    if (moved.broken) return result(moved.broken);
  }
  const changed = remembered && (await findChange(deps, tenant, remembered));
  if (changed) return result(changed);
  if (place.seq < head.seq) return result();
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
