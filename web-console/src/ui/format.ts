/** Narrow no-break space between a number and its unit, and a true minus (design rules for figures). */
const THIN = '\u202f';
/** Between a figure and a unit of time. */
const NBSP = '\u00a0';
const MINUS = '\u2212';

const round = (value: number, digits: number): string => value.toFixed(digits).replace('-', MINUS);

/** Milliseconds as a person reads them: 310 ms, 6.4 s, 75 s. */
export function formatMs(ms: number): string {
  if (ms < 999.5) return `${round(ms, ms > 0 && ms < 9.95 ? 1 : 0).replace(/\.0$/, '')}${THIN}ms`;
  const seconds = ms / 1000;
  return `${round(seconds, seconds < 9.95 ? (seconds < 2 ? 2 : 1) : 0)}${NBSP}s`;
}

/** Milliseconds in a column whose head names the unit: whole from ten on, one digit below. */
export const formatMsFigure = (ms: number): string => (ms > 0 && ms < 9.95 ? round(ms, 1).replace(/\.0$/, '') : round(ms, 0));

/** A ratio of 0 to 1 as a percent figure without its sign: 0, 0.4, 4.8, 12. */
export function formatPercentFigure(ratio: number): string {
  const percent = ratio * 100;
  if (percent === 0) return '0';
  return percent < 9.95 ? round(percent, 1) : round(percent, 0);
}

export const formatPercent = (ratio: number): string => `${formatPercentFigure(ratio)}${THIN}%`;

/** A signed figure with a true minus. */
export const formatSigned = (value: number, digits = 0): string => round(value, digits);

/** A figure with its unit behind a thin space. */
export const withUnit = (value: number, unit: string, digits = 0): string => `${round(value, digits)}${THIN}${unit}`;

/** How long ago, one unit: 8 s, 4 min, 3 h, 3 d. Never negative: a clock a little ahead reads 0 s. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 100) return `${seconds}${NBSP}s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes}${NBSP}min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours}${NBSP}h` : `${Math.round(hours / 24)}${NBSP}d`;
}

/** A length of time in hours and minutes: 4 h 25 min. */
export function formatDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) return `${rest}${NBSP}min`;
  return rest === 0 ? `${hours}${NBSP}h` : `${hours}${NBSP}h ${rest}${NBSP}min`;
}

/** Bytes with a decimal unit: 640 B, 12 kB, 1.4 MB. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return withUnit(bytes, 'B');
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let at = 0;
  while (value >= 999.5 && at < units.length - 1) {
    value /= 1000;
    at += 1;
  }
  return withUnit(value, units[at] ?? 'TB', value < 9.95 ? 1 : 0);
}

/** 1200 as 1,200, whatever the browser's language: the console speaks English. */
export const formatCount = (count: number): string => count.toLocaleString('en-US');

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** Time of day in the viewer's zone: 14:07. */
export const formatClock = (at: number | string): string => clock.format(new Date(at));
/** Time of day with seconds in the viewer's zone. */
export const formatClockSeconds = (at: number | string): string => seconds.format(new Date(at));

const sameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString();

/** A moment relative to today in the viewer's zone: 14:07, yesterday 16:00, 3 Nov 09:15, 3 Nov 2025 09:15. */
export function formatMoment(at: number | string, now: number): string {
  const then = new Date(at);
  const today = new Date(now);
  if (sameDay(then, today)) return clock.format(then);
  const yesterday = new Date(now);
  yesterday.setDate(yesterday.getDate() - 1);
  if (sameDay(then, yesterday)) return `yesterday ${clock.format(then)}`;
  const date = then.getFullYear() === today.getFullYear() ? day.format(then) : dayYear.format(then);
  return `${date} ${clock.format(then)}`;
}

/** The same moment in UTC, for the tooltip of every shown time. */
export const formatUtc = (at: number | string): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** "a", "a and b", "a, b and c". */
export function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** 1 device, 2 devices. */
export const plural = (count: number, noun: string): string => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
