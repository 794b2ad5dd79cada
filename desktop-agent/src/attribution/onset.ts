import type { FaultKind } from '@svc/contracts/fault-kinds';
import type { FaultFact } from '@svc/contracts/judged/fault';
import type { Cause } from '@svc/contracts/verdict';

/** What is wrong at present and when it began. */
export interface Onset {
  cause: Cause;
  /** The fault within it, with the stretch or the service that it names; empty where nothing is off, absent of an earlier version. */
  fault?: string;
  /** Unix time, milliseconds. */
  sinceMs: number;
}

/** After a longer while without a verdict nobody knows whether the cause went and came back: it begins anew. */
const LONGEST_GAP_MS = 15 * 60_000;

/** Whether a cause that was last seen then still counts as the present one. A clock that was set back tells of no past. */
export const isStillPresent = (seenMs: number, nowMs: number): boolean => seenMs <= nowMs && nowMs - seenMs <= LONGEST_GAP_MS;

/** Faults of one service: that of another began by itself. What hurts several is named by whichever is worst, and stays the same. */
const OF_A_SERVICE: readonly FaultKind[] = ['certificate', 'service_error', 'service_unreachable', 'service_slow'];

function nameFault({ kind, hop, target }: FaultFact): string {
  if (hop !== null) return `${kind} ${hop}`;
  return OF_A_SERVICE.includes(kind) ? `${kind} ${target}` : kind;
}

/** Carries the onset over verdicts of the same fault; another cause, kind, stretch or service begins now. */
export function nextOnset(
  previous: Onset | undefined,
  { cause, fault }: { cause: Cause; fault: FaultFact | null },
  nowMs: number,
): Onset {
  const name = fault ? nameFault(fault) : '';
  const isSame = previous?.cause === cause && (previous.fault === undefined || previous.fault === name);
  return { cause, fault: name, sinceMs: isSame ? previous.sinceMs : nowMs };
}

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
