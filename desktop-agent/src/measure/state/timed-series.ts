import { READINGS_JUDGED } from '../../attribution/series.ts';

export interface Timed<T> {
  atMs: number;
  value: T;
}

/** The newest reading counts for two of its intervals. */
export const isFresh = ({ atMs }: Timed<unknown>, nowMs: number, intervalMs: number): boolean => nowMs - atMs <= 2 * intervalMs;

/** Older readings stand beside the newest while they are of the same while. */
const COMPANY_INTERVALS = READINGS_JUDGED + 1;

/** The newest readings of one thing with their times, on a clock that never jumps. */
export interface TimedSeries<T> {
  add(value: T, atMs: number): void;
  newest(): Timed<T> | undefined;
  /** Oldest first, however old. */
  all(): T[];
  timed(): readonly Timed<T>[];
  /** The newest five, oldest first; none where the newest is older than two intervals. */
  fresh(nowMs: number, intervalMs: number): T[];
  clear(): void;
}

export function createTimedSeries<T>(): TimedSeries<T> {
  let kept: Timed<T>[] = [];
  return {
    add(value, atMs) {
      kept = [...kept.slice(1 - READINGS_JUDGED), { value, atMs }];
    },
    newest: () => kept.at(-1),
    timed: () => kept,
    all: () => kept.map(({ value }) => value),
    fresh(nowMs, intervalMs) {
      const newest = kept.at(-1);
      if (!newest || !isFresh(newest, nowMs, intervalMs)) return [];
      return kept.filter(({ atMs }) => newest.atMs - atMs <= COMPANY_INTERVALS * intervalMs).map(({ value }) => value);
    },
    clear: () => {
      kept = [];
    },
  };
}
