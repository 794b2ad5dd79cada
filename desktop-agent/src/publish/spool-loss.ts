import type { SpoolStatus } from './spool.ts';

/** Tells of losses of the spool in words, when they begin and then at most once an hour; undefined where nothing is new. */
export function createSpoolLossWords(steady: () => number): (status: SpoolStatus) => string | undefined {
  const HOUR_MS = 3_600_000;
  let told: number | undefined;
  let toldAtMs = Number.NEGATIVE_INFINITY;
  let wasFull = false;
  return ({ dropped, diskFull, results }) => {
    // What was lost before this start was told then.
    told ??= dropped;
    const isNew = dropped > told && steady() - toldAtMs >= HOUR_MS;
    const filledUp = diskFull && !wasFull;
    wasFull = diskFull;
    if (!isNew && !filledUp) return undefined;
    const lost = dropped - told;
    told = dropped;
    toldAtMs = steady();
    const why = diskFull ? 'The disk is full' : 'The spool is at its bound';
    return `${why}: the oldest ${lost} readings were dropped, ${results} wait.`;
  };
}
