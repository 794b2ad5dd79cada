/** Where a batch ends in a spool; opaque to everybody else. */
export interface SpoolMark {
  segment: number;
  offset: number;
  /** Records of that segment up to here. */
  records: number;
}

export interface SpooledBatch {
  records: Uint8Array[];
  end: SpoolMark;
}

export interface SpoolStatus {
  /** Waiting: appended, neither acknowledged nor dropped. */
  results: number;
  bytes: number;
  /** Lost to the bound or to a full disk since the spool was made. */
  dropped: number;
  /** The disk was full at the last append: older ones made room for it, or it was dropped itself. */
  diskFull: boolean;
}

/**
 * What was measured and is not yet acknowledged, in order. Bounded: the oldest goes first, and every loss is counted.
 * `append` resolves when the records survive a crash of process and machine (disk) or are held (memory); it does not reject for
 * a full disk. Only one reader; `next` hands out each record once until `rewind`; `ack` removes everything up to a mark.
 */
export interface Spool {
  append(records: readonly Uint8Array[]): Promise<void>;
  /** The next records in order, at least one if any waits, within the bounds given; undefined when all are handed out. */
  next(bounds: { results: number; bytes: number }): Promise<SpooledBatch | undefined>;
  ack(end: SpoolMark): Promise<void>;
  /** Hands out again, from the oldest that was not acknowledged. */
  rewind(): Promise<void>;
  status(): SpoolStatus;
  close(): Promise<void>;
}
