export {
  formatMs,
  formatMsFigure,
  formatPercent,
  formatPercentFigure,
  formatSigned,
  joinWords,
  withUnit,
} from '@svc/contracts/words/figures';

import { withUnit } from '@svc/contracts/words/figures';
import { createMoments } from '../moments/zone.ts';

/** Between a figure and a unit of time. */
const NBSP = '\u00a0';

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

const viewer = createMoments();

/** Time of day in the viewer's zone: 14:07. */
export const formatClock = viewer.clock;
/** Time of day with seconds in the viewer's zone. */
export const formatClockSeconds = viewer.clockSeconds;
/** A moment relative to today in the viewer's zone: 14:07, yesterday 16:00, 3 Nov 09:15, 3 Nov 2025 09:15. */
export const formatMoment = viewer.moment;

/** From one moment to another; the day stands once where both are of the same, and is never left out at one end only. */
export function formatSpan(from: number | string, to: number | string, now: number): string {
  const [begin, end] = [formatMoment(from, now), formatMoment(to, now)];
  const isOneDay = new Date(from).toDateString() === new Date(to).toDateString();
  if (isOneDay) return `${begin} to ${formatClock(to)}`;
  return `${begin} to ${end === formatClock(to) ? `today ${end}` : end}`;
}

/** The same moment in UTC, for the tooltip of every shown time. */
export const formatUtc = (at: number | string): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** 1 device, 2 devices. */
export const plural = (count: number, noun: string): string => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
