/** The end of a chain as a server saw it at a moment and remembers it outside of the database. */
export interface KnownHead {
  seq: bigint;
  hash: Buffer;
  /** Unix milliseconds of the moment. */
  atMs: number;
}

/** A chain as it stands now, held against what is remembered of it. */
export interface Standing {
  head: { seq: bigint; hash: Buffer };
  /** Hash of the entry at the remembered place; undefined where there is none. */
  hashAtKnown: Buffer | undefined;
  /** Place of the last entry that retention removed; 0 where none was. Its checkpoint's signature is checked elsewhere. */
  removedSeq: bigint;
}

/**
 * Why a chain cannot be the one that is remembered, or undefined: it is shorter, or has another entry in the remembered place. Whoever
 * writes to the database can make a chain that is sound in itself; they cannot change what a server remembers.
 */
export function findHeadFault(known: KnownHead, { head, hashAtKnown, removedSeq }: Standing): string | undefined {
  const since = new Date(known.atMs).toISOString();
  if (head.seq < known.seq) {
    const cut = known.seq - head.seq === 1n ? 'Its newest entry was' : `Its newest ${known.seq - head.seq} entries were`;
    return `This server remembers entry ${known.seq} of ${since}, and the trail ends at ${head.seq}. ${cut} cut off, or the database was restored from a backup.`;
  }
  if (known.seq <= removedSeq || hashAtKnown?.equals(known.hash)) return undefined;
  return `Entry ${known.seq} is not the one that this server remembers of ${since}. The trail was rewritten, or the database was restored from a backup.`;
}
