import type { Words } from './words.ts';

const dayOf = (atMs: number): string => new Date(atMs).toDateString();
const DAY_MS = 86_400_000;

/** "since 08:42", "since yesterday 16:00", "since 3 Nov, 09:15", with the preposition that the language wants. */
export function sinceWords(words: Words, atMs: number, nowMs: number): string {
  const time = words.clock(atMs);
  if (dayOf(atMs) === dayOf(nowMs)) return words.t('since.today', { time });
  if (dayOf(atMs) === dayOf(nowMs - DAY_MS)) return words.t('since.yesterday', { time });
  return words.t('since.date', { date: words.date(atMs, nowMs), time });
}

/** "until 15:00", "until tomorrow 00:00", "until 3 Nov, 09:15". */
export function untilWords(words: Words, atMs: number, nowMs: number): string {
  const time = words.clock(atMs);
  if (dayOf(atMs) === dayOf(nowMs)) return words.t('until.today', { time });
  if (dayOf(atMs) === dayOf(nowMs + DAY_MS)) return words.t('until.tomorrow', { time });
  return words.t('until.date', { date: words.date(atMs, nowMs), time });
}

/** Whole minutes from now to the next local midnight: what "until tomorrow" asks for. At least 1. */
export function minutesUntilTomorrow(nowMs: number): number {
  const midnight = new Date(nowMs);
  midnight.setHours(24, 0, 0, 0);
  return Math.max(1, Math.ceil((midnight.getTime() - nowMs) / 60_000));
}

export const PAUSES = ['15', '60', 'tomorrow'] as const;
export type Pause = (typeof PAUSES)[number];

export interface PauseChoice {
  label: string;
  minutes: number;
}

/** The pauses on offer: those that policy allows, or its longest one where even the shortest is too long. */
export function pauseChoices(words: Words, maxMinutes: number, nowMs: number): PauseChoice[] {
  const all = [
    { label: words.t('menu.pause15'), minutes: 15 },
    { label: words.t('menu.pause60'), minutes: 60 },
    { label: words.t('menu.pauseTomorrow'), minutes: minutesUntilTomorrow(nowMs) },
  ];
  const allowed = all.filter(({ minutes }) => minutes <= maxMinutes);
  const longest = { label: words.t('menu.pauseMost', { duration: words.duration(maxMinutes * 60_000) }), minutes: maxMinutes };
  return allowed.length > 0 ? allowed : [longest];
}
