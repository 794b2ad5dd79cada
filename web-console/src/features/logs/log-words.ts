import { formatCount, formatPercent, plural } from '../../ui/words/format.ts';

/** In the order of the histogram's counts. */
export const LEVEL_WORDS = ['no level', 'trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** The level of a SeverityNumber, 0 to 24. */
export const levelOf = (severity: number): number => Math.min(Math.ceil(severity / 4), LEVEL_WORDS.length - 1);

const ERROR = 5;

/** "1,204 lines in the last hour, 12 of them errors (1 %)." */
export function describeLogs(steps: readonly { counts: readonly number[] }[], total: number, window: string): string {
  if (total === 0) return `No log lines ${window}.`;
  const errors = steps.reduce((sum, { counts }) => sum + (counts[ERROR] ?? 0) + (counts[ERROR + 1] ?? 0), 0);
  const unlevelled = steps.reduce((sum, { counts }) => sum + (counts[0] ?? 0), 0);
  // Of a line without a level nobody knows whether it tells of an error.
  if (errors === 0 && unlevelled >= total) return `${plural(total, 'line')} ${window}, none of them with a level.`;
  if (errors === 0 && unlevelled > 0)
    return `${plural(total, 'line')} ${window}, none marked as an error; ${formatCount(unlevelled)} ${unlevelled === 1 ? 'has' : 'have'} no level.`;
  if (errors === 0) return `${plural(total, 'line')} ${window}, none of them an error.`;
  if (errors === total) return `${plural(total, 'line')} ${window}, ${total === 1 ? 'an error' : 'all of them errors'}.`;
  return `${plural(total, 'line')} ${window}, ${formatCount(errors)} of them ${errors === 1 ? 'an error' : 'errors'} (${formatPercent(errors / total)}).`;
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Time of day to the millisecond in the viewer's zone, out of RFC 3339 with nanoseconds. */
export const formatLogTime = (ts: string): string => `${clock.format(new Date(ts))}.${/\.(\d{3})/.exec(ts)?.[1] ?? '000'}`;

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** Words for a window that the URL names: "from 10:00:00 to 11:00:00 on 3 Nov". */
export function describeWindow(from: string, to: string): string {
  const [start, end] = [new Date(from), new Date(to)];
  const sameDay = start.toDateString() === end.toDateString();
  const short = (at: Date): string => clock.format(at);
  return sameDay
    ? `from ${short(start)} to ${short(end)} on ${day.format(start)}`
    : `from ${day.format(start)} ${short(start)} to ${day.format(end)} ${short(end)}`;
}
