import type { MaintenanceTimes } from '@svc/contracts/tests/keeping';
import { instantOf, localDay } from './zone-times.ts';

export interface Span {
  fromMs: number;
  toMs: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Longest window and a week more: whatever touches an instant began within. */
const LOOK_BACK_DAYS = 8;
const LOOK_AHEAD_DAYS = 8;

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** The windows around an instant, in order: with all that touch it, and the next one. */
function spansAround(times: MaintenanceTimes, zone: string, atMs: number): Span[] {
  if (times.repeat === 'once') return [{ fromMs: Date.parse(times.from), toMs: Date.parse(times.to) }];
  const spans: Span[] = [];
  for (let offset = -LOOK_BACK_DAYS; offset <= LOOK_AHEAD_DAYS; offset += 1) {
    const day = localDay(atMs, zone, offset);
    if (!times.weekdays.includes(day.weekday)) continue;
    const fromMs = instantOf(day, minutesOf(times.from), zone);
    spans.push({ fromMs, toMs: fromMs + times.duration_minutes * MINUTE_MS });
  }
  return spans;
}

export const isActive = (times: MaintenanceTimes, zone: string, atMs: number): boolean =>
  spansAround(times, zone, atMs).some(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);

/** The present window where there is one, else the next; undefined: it is over. */
export const nextSpan = (times: MaintenanceTimes, zone: string, atMs: number): Span | undefined =>
  spansAround(times, zone, atMs).find(({ toMs }) => toMs > atMs);

/** The windows that touch a stretch of time, cut to it. */
export function spansWithin(times: MaintenanceTimes, zone: string, { fromMs, toMs }: Span): Span[] {
  const spans = new Map<number, Span>();
  for (let atMs = fromMs; ; atMs = Math.min(atMs + LOOK_AHEAD_DAYS * DAY_MS, toMs)) {
    for (const span of spansAround(times, zone, atMs)) spans.set(span.fromMs, span);
    if (atMs >= toMs) break;
  }
  return [...spans.values()]
    .map((span) => ({ fromMs: Math.max(span.fromMs, fromMs), toMs: Math.min(span.toMs, toMs) }))
    .filter((span) => span.fromMs < span.toMs);
}
