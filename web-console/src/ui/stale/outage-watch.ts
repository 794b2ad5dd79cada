import type { Query, QueryCacheNotifyEvent, QueryClient } from '@tanstack/react-query';
import { type Family, isLateIn, nameOf, type Outage, summarise } from './outage.ts';
import { isAway, isPassing, REPEATS, waitMs } from './retry-rules.ts';

export interface OutageWatch {
  subscribe: (listener: () => void) => () => void;
  /** Undefined while all is answered; the same object as long as nothing of it changes. */
  read: () => Outage | undefined;
  /** Asks again at once, whatever waits for its next try. */
  tryNow: () => void;
}

/** A query that failed for good although it has an answer to show is asked again after this, unless it polls by itself. */
const REPEAT_MS = 10_000;

function ask(query: Query): void {
  // A query that waits between two tries would go on waiting: it starts anew.
  void query.cancel({ silent: true });
  query.fetch().catch(() => {});
}

/** When each query is tried next, and by whom: TanStack Query between two tries, this where it has given up. */
function createTries(isWanted: (query: Query) => boolean) {
  const at = new Map<string, number>();
  const timers = new Map<string, ReturnType<typeof setTimeout>>();
  const forget = (query: Query): void => {
    at.delete(query.queryHash);
    clearTimeout(timers.get(query.queryHash));
    timers.delete(query.queryHash);
  };
  const tryAgain = (query: Query): void => {
    forget(query);
    ask(query);
  };
  return {
    at: at as ReadonlyMap<string, number>,
    forget,
    tryAgain,
    expect: (query: Query, afterMs: number): void => void at.set(query.queryHash, Date.now() + afterMs),
    repeat: (query: Query): void => {
      forget(query);
      at.set(query.queryHash, Date.now() + REPEAT_MS);
      const again = (): void => {
        if (isWanted(query)) tryAgain(query);
      };
      timers.set(query.queryHash, setTimeout(again, REPEAT_MS));
    },
  };
}

function createWatch(client: QueryClient): OutageWatch {
  const cache = client.getQueryCache();
  const families = new Map<string, Family>();
  const answeredAt = new Map<string, number>();
  const listeners = new Set<() => void>();
  let outage: Outage | undefined;
  const late = (): Query[] => cache.getAll().filter((query) => query.isActive() && isLateIn(families, query));
  const tries = createTries((query) => query.isActive() && isLateIn(families, query));

  const noteFailure = (query: Query, failures: number, error: unknown): void => {
    const name = nameOf(query);
    const family = families.get(name) ?? { since: Date.now(), isConfirmed: false };
    // What ends in an error of the page soon, for want of an answer to show, is not announced before.
    const isLasting = failures > 1 && (isAway(error) || query.state.data !== undefined);
    families.set(name, { ...family, isConfirmed: family.isConfirmed || isLasting });
    tries.expect(query, waitMs(failures - 1, error));
  };
  const noteEnd = (query: Query, error: unknown): void => {
    tries.forget(query);
    // Without an answer to show, the page says itself what failed, and how to try again.
    if (!isPassing(error) || query.state.data === undefined) return;
    noteFailure(query, REPEATS + 1, error);
    tries.repeat(query);
  };
  const noteAnswer = (query: Query): void => {
    const name = nameOf(query);
    const wasFailing = families.has(name);
    answeredAt.set(name, query.state.dataUpdatedAt);
    tries.forget(query);
    if (!late().some((other) => nameOf(other) === name)) families.delete(name);
    if (!wasFailing) return;
    // Back again: the others need not wait for their turn.
    for (const other of late()) if ((tries.at.get(other.queryHash) ?? 0) > Date.now()) tries.tryAgain(other);
  };
  const note = (event: QueryCacheNotifyEvent): void => {
    const { query } = event;
    if (event.type === 'removed' || (event.type === 'observerRemoved' && !query.isActive())) tries.forget(query);
    if (event.type !== 'updated') return;
    const { action } = event;
    if (action.type === 'failed' && isPassing(action.error)) noteFailure(query, action.failureCount, action.error);
    else if (action.type === 'error') noteEnd(query, action.error);
    else if (action.type === 'success') noteAnswer(query);
  };
  const update = (): void => {
    const active = cache.getAll().filter((query) => query.isActive());
    for (const name of families.keys()) if (!active.some((query) => nameOf(query) === name)) families.delete(name);
    const next = summarise(families, { active, answeredAt, nextTries: tries.at });
    if (JSON.stringify(next) === JSON.stringify(outage)) return;
    outage = next;
    for (const listener of listeners) listener();
  };
  let isPlanned = false;
  cache.subscribe((event) => {
    note(event);
    // Without a failure there is nothing to work out, which is nearly always.
    if (isPlanned || (families.size === 0 && !outage)) return;
    isPlanned = true;
    // A window that moves on leaves its query before it takes up the next one: the count is taken once both have happened.
    queueMicrotask(() => {
      isPlanned = false;
      update();
    });
  });
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read: () => outage,
    tryNow: () => {
      for (const query of late()) tries.tryAgain(query);
      update();
    },
  };
}

const watches = new WeakMap<QueryClient, OutageWatch>();

/** The one watch over all queries of this client. */
export function watchOf(client: QueryClient): OutageWatch {
  const watch = watches.get(client) ?? createWatch(client);
  watches.set(client, watch);
  return watch;
}
