import type { TimeSpan } from '../hour-sources.ts';

const FIRST_MS = 15 * 60_000;
/** Each begins so many times as long before the end as the one before. */
const LONGER = 8;

/** A window in stretches, the newest first, each eight times as long as what it goes on from; together they are the window. */
export function stretchesOf({ fromMs, toMs }: TimeSpan): TimeSpan[] {
  const stretches: TimeSpan[] = [];
  let end = toMs;
  for (let back = FIRST_MS; end > fromMs; back *= LONGER) {
    // A short rest is not worth a question of its own.
    const begin = toMs - back < fromMs + back ? fromMs : toMs - back;
    stretches.push({ fromMs: begin, toMs: end });
    end = begin;
  }
  return stretches;
}
