import type { StripHour } from '@svc/contracts/agent/ipc';
import { CAUSES } from '@svc/contracts/verdict';

/** What a minute was like: a cause, or why there is none. */
export type MinuteState = Exclude<StripHour, 'asleep'>;

/** Minutes of each state in one hour of Unix time. */
export interface HourTally {
  hour: number;
  minutes: Partial<Record<MinuteState, number>>;
}

export const STRIP_HOURS = 24;
const HOUR_MS = 3_600_000;
/** An hour is slow from this many slow minutes on. */
const SLOW_MINUTES = 10;
const SLOW = CAUSES.filter((cause) => cause !== 'none');

const STATES: readonly string[] = [...CAUSES, 'paused', 'declined'] satisfies MinuteState[];

export const isMinuteState = (word: string): word is MinuteState => STATES.includes(word);

const most = (minutes: HourTally['minutes'], among: readonly MinuteState[]): MinuteState | undefined => {
  const [first] = among.filter((state) => minutes[state]).sort((a, b) => (minutes[b] ?? 0) - (minutes[a] ?? 0));
  return first;
};

/** The state that an hour is shown with. */
export function ruleHour({ minutes }: HourTally): StripHour {
  const slow = SLOW.reduce((sum, cause) => sum + (minutes[cause] ?? 0), 0);
  if (slow >= SLOW_MINUTES) return most(minutes, SLOW) ?? 'unknown';
  if (minutes.none) return 'none';
  return most(minutes, ['paused', 'declined']) ?? most(minutes, SLOW) ?? 'asleep';
}

/** Counts one minute; hours older than the strip, and those that a set-back date left ahead, are forgotten. */
export function tallyMinute(tallies: readonly HourTally[], nowMs: number, state: MinuteState): HourTally[] {
  const hour = Math.floor(nowMs / HOUR_MS);
  const kept = tallies.filter((tally) => tally.hour > hour - STRIP_HOURS && tally.hour <= hour);
  const present = kept.find((tally) => tally.hour === hour) ?? { hour, minutes: {} };
  const counted = { hour, minutes: { ...present.minutes, [state]: (present.minutes[state] ?? 0) + 1 } };
  return [...kept.filter((tally) => tally.hour !== hour), counted];
}

/** The last 24 hours, oldest first, the present one last. */
export function stripOf(tallies: readonly HourTally[], nowMs: number): StripHour[] {
  const last = Math.floor(nowMs / HOUR_MS);
  return Array.from({ length: STRIP_HOURS }, (_, i) => {
    const tally = tallies.find((one) => one.hour === last - STRIP_HOURS + 1 + i);
    return tally ? ruleHour(tally) : 'asleep';
  });
}
