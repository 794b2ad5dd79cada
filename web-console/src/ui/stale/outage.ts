import type { Query } from '@tanstack/react-query';
import { isSilence } from './retry-rules.ts';

/** What on screen is not current because the server does not answer. Times are Unix milliseconds. */
export interface Outage {
  /** When the first question failed that has not been answered since. */
  since: number;
  /** What is shown is of this moment; undefined where nothing that failed shows anything. */
  shownAt: number | undefined;
  /** The next try; undefined while one is under way. */
  nextTryAt: number | undefined;
  /** What the server said, where it answered with a refusal. */
  refusal: string | undefined;
  /** Other parts of the page were answered since. */
  isPart: boolean;
  /** The page has nothing to show for one of its questions. */
  isMissing: boolean;
  /** Some of what is shown is the answer to the question before. */
  isEarlier: boolean;
  /** No question of the page itself, the shell's left aside, has an answer to show. */
  isEmpty: boolean;
}

/** Questions of one name fail together: a window that moves on is a new query, not a new outage. */
export interface Family {
  since: number;
  /** A single failure that the next try mends is not worth a word. */
  isConfirmed: boolean;
}

export const nameOf = (query: Query): string => String(query.queryKey[0]);
const isShell = (query: Query): boolean => query.meta?.shell === true;
const showsOther = (query: Query): boolean => query.observers.some((observer) => observer.getCurrentResult().data !== undefined);

/** Asked since its family fails, and not answered; not what failed without an answer to show, of which the page says so itself. */
export const isLateIn = (families: ReadonlyMap<string, Family>, query: Query): boolean =>
  query.state.dataUpdatedAt < (families.get(nameOf(query))?.since ?? 0) &&
  (query.state.fetchStatus !== 'idle' || (query.state.status === 'error' && query.state.data !== undefined));

/** What the outages of the cache come to, for the queries that something on screen uses. */
export function summarise(families: ReadonlyMap<string, Family>, context: Context): Outage | undefined {
  const { active, answeredAt, nextTries } = context;
  const late = active.filter((query) => families.get(nameOf(query))?.isConfirmed && isLateIn(families, query));
  if (late.length === 0) return undefined;
  const since = Math.min(...late.map((query) => families.get(nameOf(query))?.since ?? Number.POSITIVE_INFINITY));
  const own = late.filter(({ state }) => state.data !== undefined);
  const earlier = late.filter((query) => query.state.data === undefined && showsOther(query));
  const shown = [
    ...own.map(({ state }) => state.dataUpdatedAt),
    ...earlier.map((query) => answeredAt.get(nameOf(query)) ?? since),
  ];
  const errors = late.map(({ state }) => state.error ?? state.fetchFailureReason).filter((error) => error !== null);
  const tries = late.map(({ queryHash }) => nextTries.get(queryHash)).filter((at) => at !== undefined);
  const pages = active.filter((query) => !isShell(query));
  return {
    since,
    shownAt: shown.length > 0 ? Math.min(...shown) : undefined,
    nextTryAt: tries.length > 0 ? Math.min(...tries) : undefined,
    refusal: errors.length > 0 && !errors.some(isSilence) ? errors[0]?.message : undefined,
    isPart: pages.some((query) => !late.includes(query) && query.state.dataUpdatedAt > since),
    isMissing: own.length + earlier.length < late.length,
    isEarlier: earlier.length > 0,
    isEmpty: !pages.some((query) => query.state.data !== undefined || showsOther(query)),
  };
}

interface Context {
  active: readonly Query[];
  /** When a question of this name was last answered. */
  answeredAt: ReadonlyMap<string, number>;
  /** By query hash. */
  nextTries: ReadonlyMap<string, number>;
}
