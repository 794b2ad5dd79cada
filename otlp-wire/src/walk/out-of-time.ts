import type { Signal } from './signal.ts';

const DAY_MS = 86_400_000;
const RETENTION_MS: Record<Signal, number> = { traces: 15 * DAY_MS, logs: 15 * DAY_MS, metrics: 30 * DAY_MS };
const AHEAD_MS = 3_600_000;

/** Unix ms of the oldest and the newest record that is taken. */
export interface TimeBounds {
  oldestMs: number;
  newestMs: number;
}

export function findTimeBounds(signal: Signal, nowMs: number): TimeBounds {
  return { oldestMs: nowMs - RETENTION_MS[signal], newestMs: nowMs + AHEAD_MS };
}

/** Whether a record is older than its retention or more than an hour ahead. `tsMs` is its Unix time in ms with fractions, ns / 1e6. */
export function isOutOfTime(signal: Signal, tsMs: number, nowMs: number): boolean {
  const { oldestMs, newestMs } = findTimeBounds(signal, nowMs);
  return !(tsMs >= oldestMs && tsMs <= newestMs);
}

const nouns: Record<Signal, [one: string, many: string]> = {
  traces: ['span is', 'spans are'],
  logs: ['log record is', 'log records are'],
  metrics: ['data point is', 'data points are'],
};

/** A sentence for the sender's partial success; '' when nothing was refused. */
export function explainOutOfTime(signal: Signal, count: number): string {
  if (count === 0) return '';
  return `${count} ${nouns[signal][count === 1 ? 0 : 1]} older than ${RETENTION_MS[signal] / DAY_MS} days or more than one hour ahead.`;
}
