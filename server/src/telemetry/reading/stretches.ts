const FIRST_MS = 15 * 60_000;
/** Each begins so many times as long before the end as the one before. */
const LONGER = 8;
const DAY_MS = 86_400_000;

/** From (inclusive) to (exclusive), Unix milliseconds. */
export interface TimeSpan {
  fromMs: number;
  toMs: number;
}

/**
 * A window in stretches, the newest first, each about eight times as long as what it goes on from; together they are the window. Long ones
 * begin at midnight UTC, as partitions do: what is cut elsewhere is read twice.
 */
export function stretchesOf({ fromMs, toMs }: TimeSpan): TimeSpan[] {
  const stretches: TimeSpan[] = [];
  let end = toMs;
  for (let back = FIRST_MS; end > fromMs; back *= LONGER) {
    // A short rest is not worth a question of its own.
    const enough = toMs - back < fromMs + back ? fromMs : toMs - back;
    const begin = back < DAY_MS / 2 ? enough : Math.max(fromMs, enough - (enough % DAY_MS));
    stretches.push({ fromMs: begin, toMs: end });
    end = begin;
  }
  return stretches;
}
