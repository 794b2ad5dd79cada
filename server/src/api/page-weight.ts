import { AsyncLocalStorage } from 'node:async_hooks';
import { countWithin } from '#kernel';

/** Characters of one answer: a longer one would hold up everybody while it is written as JSON. The next page goes on where it ends. */
const MAX_ANSWER_WEIGHT = 8 * 1024 * 1024;
const NUMBER_WEIGHT = 8;

/** Calls whose answers are written as one. */
const callsAtOnce = new AsyncLocalStorage<number>();

/** Runs so many calls whose answers are written as one JSON: each page has an equal part of what one may have. */
export const shareAnswer = <T>(calls: number, work: () => T): T => callsAtOnce.run(calls, work);

/** Characters of all texts and names inside. */
function weigh(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + weigh(one), 0);
  if (typeof value !== 'object' || value === null || value instanceof Date) return NUMBER_WEIGHT;
  return Object.entries(value).reduce((sum, [name, one]) => sum + name.length + weigh(one), 0);
}

/**
 * How many of the first items one answer may hold, at least one; `lists` is how many such lists it has. A list that stops before its last
 * item says so by its cursor or its total.
 */
export const countOfPage = (items: readonly unknown[], lists = 1): number =>
  countWithin(items, weigh, MAX_ANSWER_WEIGHT / (lists * (callsAtOnce.getStore() ?? 1)));
