import type { StripHour, Verdict } from '@svc/contracts/endpoint/view';
import type { Cause } from '@svc/contracts/verdict';
import { formatClock, formatDuration, joinWords } from '../words/format.ts';

/** CSS suffix of a verdict's colour: the causes have one each, healthy is `ok`, states are neutral. */
export function toneOf(verdict: Verdict | StripHour): 'ok' | 'wifi' | 'local' | 'isp' | 'network' | 'unknown' | 'none' {
  if (verdict === 'none') return 'ok';
  if (verdict === 'wifi' || verdict === 'local' || verdict === 'isp' || verdict === 'network' || verdict === 'unknown')
    return verdict;
  return 'none';
}

/** The cause alone, as tiles and legends name it. */
export const CAUSE_NAMES: Readonly<Record<Cause, string>> = {
  none: 'Healthy',
  wifi: 'Wi-Fi',
  local: 'Local network',
  isp: 'ISP',
  network: 'Beyond ISP',
  unknown: 'Unknown',
};

/** "9 are slow because of ..." */
export const CAUSE_IN_SENTENCE: Readonly<Record<Exclude<Cause, 'none'>, string>> = {
  wifi: 'Wi-Fi',
  local: 'the local network',
  isp: 'the ISP',
  network: 'something beyond the ISP',
  unknown: 'an unknown cause',
};

const WORDS: Readonly<Record<Verdict, string>> = {
  none: 'Healthy',
  wifi: 'Slow: Wi-Fi',
  local: 'Slow: Local network',
  isp: 'Slow: ISP',
  network: 'Slow: Beyond ISP',
  unknown: 'Slow: cause unknown',
  paused: 'Paused',
  no_contact: 'No contact',
  needs_permission: 'Needs permission',
  declined: 'Declined',
  update_required: 'Update required',
  pending: 'Verdict pending',
};

/** The verdict as a column shows it; a pause says until when. */
export function verdictWord(verdict: Verdict, pausedUntil: string | null = null): string {
  return verdict === 'paused' && pausedUntil ? `Paused until ${formatClock(pausedUntil)}` : WORDS[verdict];
}

const SPAN_WORDS: Readonly<Record<StripHour, string>> = {
  none: 'healthy',
  wifi: 'slow: Wi-Fi',
  local: 'slow: local network',
  isp: 'slow: ISP',
  network: 'slow: beyond ISP',
  unknown: 'slow: cause unknown',
  paused: 'paused',
  declined: 'declined',
  not_measured: 'not measured',
};

/** A state of the strip as its legend names it. */
export const isState = (hour: StripHour): hour is 'paused' | 'declined' | 'not_measured' =>
  hour === 'paused' || hour === 'declined' || hour === 'not_measured';

export const spanWord = (span: StripHour): string => SPAN_WORDS[span];

/** A strip in words for those who do not see it: "4 h healthy, 14 h not measured and 6 h slow: Wi-Fi". */
export function describeStrip(hours: readonly StripHour[]): string {
  const counts = new Map<StripHour, number>();
  for (const hour of hours) counts.set(hour, (counts.get(hour) ?? 0) + 1);
  return (
    joinWords([...counts].map(([hour, count]) => `${formatDuration(count * 3_600_000)} ${SPAN_WORDS[hour]}`)) || 'not measured'
  );
}

const UNAVAILABLE: Readonly<Record<string, string>> = {
  not_supported: 'not measurable',
  permission: 'no permission',
  withheld: 'withheld',
  no_target: 'no target',
  wired: 'wired',
  tunnel: 'tunnel',
  not_connected: 'not connected',
  no_reading: 'no reading yet',
  asleep: 'no reading',
  not_built: 'not available yet',
  measuring: 'measuring',
};

/** Why a cell has no number, in a word or two. The device's state explains it where no code came. */
export function absenceWord(code: string | null, verdict: Verdict): string {
  if (verdict === 'paused' || verdict === 'declined') return verdict;
  if (code) return UNAVAILABLE[code] ?? code.replaceAll('_', ' ');
  if (verdict === 'no_contact') return 'no contact';
  if (verdict === 'needs_permission') return 'blocked';
  if (verdict === 'update_required') return 'outdated';
  return 'not yet';
}

const LONG: Readonly<Record<string, string>> = {
  not_supported: 'not measurable here: the hardware or its driver does not report it',
  permission: 'not measurable here: the operating system asks for a permission first',
  withheld: 'withheld (privacy): collection is switched off',
  no_target: 'not measured: no target chosen',
  wired: 'not measured: this device is on a cable',
  tunnel: 'not measurable here: a tunnel hides it',
  not_connected: 'not measured: its Wi-Fi is not connected to a network',
  no_reading: 'not measured: there is no reading from this network yet',
  asleep: 'not measured: there was no reading',
  not_built: 'not measurable here: this agent cannot do it on this system yet',
  measuring: 'not measured yet: the device has only just begun in this network',
};

/** The same in a full clause, for the "Not shown, and why" card. */
export const absenceClause = (code: string): string => LONG[code] ?? `not measured: ${code.replaceAll('_', ' ')}`;
