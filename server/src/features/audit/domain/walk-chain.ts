/** One stored entry as the chain sees it. */
export interface ChainRow {
  seq: bigint;
  id: string;
  body: string;
  prevHash: Buffer | null;
  hash: Buffer | null;
}

/** Where the chain stands: the place and hash of the last entry that was found sound. */
export interface ChainPlace {
  seq: bigint;
  hash: Buffer;
}

/** The first entry that does not fit, and why, for a person. */
export interface ChainBreak {
  seq: bigint;
  id: string | null;
  reason: string;
}

/** Hash of one entry, from the hash before it, its place and its text; given, so that the domain needs no crypto. */
export type HashEntry = (prevHash: Buffer, seq: bigint, body: string) => Buffer;

/** Walks rows in order of `seq` on from `place`; gives the new place, or the first break. */
export function walkChain(place: ChainPlace, rows: readonly ChainRow[], hashEntry: HashEntry): ChainPlace | ChainBreak {
  let { seq, hash } = place;
  for (const row of rows) {
    const expected = seq + 1n;
    if (row.seq !== expected) return { seq: expected, id: null, reason: `Entry ${expected} is missing.` };
    if (!row.prevHash?.equals(hash)) return broken(row, 'does not follow the entry before it');
    const computed = hashEntry(hash, row.seq, row.body);
    if (!row.hash?.equals(computed)) return broken(row, 'was changed after it was written');
    seq = expected;
    hash = computed;
  }
  return { seq, hash };
}

const broken = (row: ChainRow, what: string): ChainBreak => ({ seq: row.seq, id: row.id, reason: `Entry ${row.seq} ${what}.` });
