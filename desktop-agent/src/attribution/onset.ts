import type { Cause } from '@svc/contracts/verdict';

/** The present cause and when it began. */
export interface Onset {
  cause: Cause;
  /** Unix time, milliseconds. */
  sinceMs: number;
}

/** After a longer while without a verdict nobody knows whether the cause went and came back: it begins anew. */
const LONGEST_GAP_MS = 15 * 60_000;

/** Whether a cause that was last seen then still counts as the present one. A clock that was set back tells of no past. */
export const isStillPresent = (seenMs: number, nowMs: number): boolean => seenMs <= nowMs && nowMs - seenMs <= LONGEST_GAP_MS;

/** Carries the onset over verdicts of the same cause; a new cause begins now. */
export const nextOnset = (previous: Onset | undefined, cause: Cause, nowMs: number): Onset =>
  previous?.cause === cause ? previous : { cause, sinceMs: nowMs };

const HOUR_MS = 3_600_000;

/** When the cause changed lately; times are of a clock that never jumps. */
export interface CauseChanges {
  note(atMs: number): void;
  /** In the last hour. */
  count(nowMs: number): number;
}

export function createCauseChanges(): CauseChanges {
  let changes: number[] = [];
  const recent = (nowMs: number): number[] => changes.filter((atMs) => nowMs - atMs <= HOUR_MS);
  return {
    note(atMs) {
      changes = [...recent(atMs), atMs];
    },
    count: (nowMs) => recent(nowMs).length,
  };
}

/** `08:42` on this machine's clock and zone; with the day in front where it is not today. */
export function clockWords(sinceMs: number, nowMs: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const at = new Date(sinceMs);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  const sameDay = new Date(nowMs).toDateString() === at.toDateString();
  return sameDay ? time : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}
