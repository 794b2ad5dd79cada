import { AppError } from '#kernel';

/** From (inclusive) to (exclusive), Unix milliseconds. */
export interface TimeWindow {
  fromMs: number;
  toMs: number;
}

const MAX_WINDOW_MS = 400 * 86_400_000;
const DEFAULT_WINDOW_MS = 3_600_000;

/** The window that was asked for; `validation` unless it ends after it begins, within 400 days. */
export function windowOf({ from, to }: { from?: string | undefined; to?: string | undefined }, nowMs: number): TimeWindow {
  const toMs = to === undefined ? nowMs : Date.parse(to);
  const fromMs = from === undefined ? toMs - DEFAULT_WINDOW_MS : Date.parse(from);
  if (toMs <= fromMs) throw new AppError('validation', 'The time window must end after it begins.');
  if (toMs - fromMs > MAX_WINDOW_MS) throw new AppError('validation', 'The time window may cover at most 400 days.');
  return { fromMs, toMs };
}

const monthOf = (ms: number): number => {
  const date = new Date(ms);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
};

/** The first and the last month (yyyymm, UTC) that the window lies in. */
export const monthsOf = ({ fromMs, toMs }: TimeWindow): { first: number; last: number } => ({
  first: monthOf(fromMs),
  last: monthOf(toMs - 1),
});
