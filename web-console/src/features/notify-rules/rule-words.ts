import type { Plane, Severity } from '@svc/contracts/incidents/kinds';
import type { RuleBody } from '@svc/contracts/notify/rule';
import { joinWords } from '../../ui/words/format.ts';

interface SeverityChoice {
  severity: Severity;
  most: Severity;
  label: string;
}

/** From the least to the greatest: no other two are of use. */
export const SEVERITY_CHOICES: readonly SeverityChoice[] = [
  { severity: 'info', most: 'critical', label: 'Every severity' },
  { severity: 'warning', most: 'critical', label: 'Warning and critical' },
  { severity: 'critical', most: 'critical', label: 'Critical only' },
  { severity: 'info', most: 'warning', label: 'Info and warning' },
  { severity: 'warning', most: 'warning', label: 'Warning only' },
  { severity: 'info', most: 'info', label: 'Info only' },
];
export const severityWords = ({ severity, most }: Omit<SeverityChoice, 'label'>): string =>
  SEVERITY_CHOICES.find((one) => one.severity === severity && one.most === most)?.label ?? '';
export const SEVERITY_NAMES: Readonly<Record<Severity, string>> = { info: 'Info', warning: 'Warning', critical: 'Critical' };
export const PLANE_NAMES: Readonly<Record<Plane, string>> = {
  tests: 'Tests',
  endpoint: 'Devices',
  otlp: 'Services',
  rum: 'Real users',
};
/** 0 is Sunday, as the contract counts; a week is shown from Monday. */
export const DAY_NAMES = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
export const DAYS_SHOWN = [1, 2, 3, 4, 5, 6, 0] as const;

/** A cell names so many; more are counted. */
const SHOWN = 2;
const few = (values: readonly string[]): string =>
  values.length <= SHOWN ? joinWords(values) : `${values.slice(0, SHOWN).join(', ')} and ${values.length - SHOWN} more`;

/** "Mon to Fri", "Mon, Wed and Sun": days in a row are a span. */
export function daysWords(days: readonly number[]): string {
  const shown = DAYS_SHOWN.filter((day) => days.includes(day));
  if (shown.length === 7) return 'Every day';
  const at = shown.map((day) => DAYS_SHOWN.indexOf(day));
  const isRow = shown.length > 2 && at.every((place, index) => index === 0 || place === (at[index - 1] ?? 0) + 1);
  const names = shown.map((day) => DAY_NAMES[day] ?? '');
  return isRow ? `${names[0]} to ${names.at(-1)}` : joinWords(names);
}

const spanWords = ({ from, to }: { from: string; to: string }): string => (from === to ? 'all day' : `${from} to ${to}`);

/** Which incidents a rule is about. */
export function whichWords({ severity, severity_most: most, planes, targets, sites }: RuleBody): string {
  return [
    severityWords({ severity, most }),
    ...(planes.length > 0 ? [joinWords(planes.map((plane) => PLANE_NAMES[plane]))] : []),
    ...(targets.length > 0 ? [`target ${few(targets)}`] : []),
    ...(sites.length > 0 ? [`site ${few(sites)}`] : []),
  ].join('; ');
}

export const whenWords = ({ schedule }: Pick<RuleBody, 'schedule'>): string =>
  schedule === null ? 'Always' : `${daysWords(schedule.days)}, ${spanWords(schedule)}, ${schedule.time_zone}`;

/** How long an incident has to last before it is told. */
export function delayWords(seconds: number): string {
  if (seconds === 0) return 'At once';
  if (seconds % 3600 === 0) return `After ${seconds / 3600}\u00a0h`;
  return seconds % 60 === 0 ? `After ${seconds / 60}\u00a0min` : `After ${seconds}\u00a0s`;
}

export const quietWords = ({ quiet }: Pick<RuleBody, 'quiet'>): string =>
  quiet === null ? 'None' : `${spanWords(quiet)}, ${quiet.time_zone}`;
